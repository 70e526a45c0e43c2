"""Small synthetic conversations in the shapes that coding agents write, for the tests of memory."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ctxkit import repo as repos
from ctxkit.memory import run, section, transcripts
from ctxkit.memory.transcripts.record import candidate
from ctxkit.settings import Settings
from ctxkit.tokens import count

NOW = 1_780_000_000.0
DAY = 86_400.0
CODE = {
    'app/load.py': 'def load_config(path):\n    return path\n\n\ndef other():\n    return 1\n',
    'Makefile': 'check:\n\ttrue\nlint:\n\ttrue\n',
}


def enabled(**changes) -> Settings:
    """Settings of a person who lets transcripts be read."""
    settings = Settings()
    return replace(settings, memories=replace(settings.memories, **{'enabled': True, 'concurrency': 1, **changes}))


def stamp(ts: float) -> str:
    from datetime import datetime, timezone

    return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.000Z')


def write_lines(file: Path, rows, tail: bytes = b'', ended: float | None = None) -> Path:
    """JSON lines (bytes are written as they are), then `tail`; the file's time is `ended`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    body = b''.join(
        row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() + b'\n' for row in rows
    )
    file.write_bytes(body + tail)
    if ended is not None:
        os.utime(file, (ended, ended))
    return file


def claude_user(uuid: str, text, parent: str | None = None, cwd: str = '/w/app', ts: float = NOW, **extra) -> dict:
    return {
        'type': 'user',
        'uuid': uuid,
        'parentUuid': parent,
        'sessionId': 'S1',
        'timestamp': stamp(ts),
        'cwd': cwd,
        'gitBranch': 'main',
        'version': '2.1.197',
        'isSidechain': False,
        'origin': {'kind': 'human'},
        'message': {'role': 'user', 'content': text},
        **extra,
    }


def claude_agent(
    uuid: str, text: str, parent: str | None = None, cwd: str = '/w/app', ts: float = NOW, **extra
) -> dict:
    return {
        'type': 'assistant',
        'uuid': uuid,
        'parentUuid': parent,
        'sessionId': 'S1',
        'timestamp': stamp(ts),
        'cwd': cwd,
        'isSidechain': False,
        'message': {'id': f'msg_{uuid}', 'role': 'assistant', 'content': [{'type': 'text', 'text': text}]},
        **extra,
    }


def claude_tool(
    uuid: str, command: str, output: str, failed: bool, parent: str, cwd: str = '/w/app', ts: float = NOW
) -> list[dict]:
    """The call and its result, two lines."""
    call = {**claude_agent(f'{uuid}c', '', parent, cwd, ts)}
    call['message'] = {
        'id': f'm{uuid}',
        'role': 'assistant',
        'content': [{'type': 'tool_use', 'id': f't{uuid}', 'name': 'Bash', 'input': {'command': command}}],
    }
    result = {
        **claude_user(
            uuid,
            [{'type': 'tool_result', 'tool_use_id': f't{uuid}', 'content': output, 'is_error': failed}],
            f'{uuid}c',
            cwd,
            ts,
        )
    }
    del result['origin']
    return [call, {**result, 'toolUseResult': f'Error: {output}' if failed else {'stdout': output}}]


def claude_file(home: Path, cwd: Path | str, session: str) -> Path:
    """Where Claude Code keeps a session of a folder."""
    slug = ''.join(c if c.isascii() and c.isalnum() else '-' for c in str(cwd))
    return home / '.claude' / 'projects' / slug / f'{session}.jsonl'


def claude_session(home: Path, cwd: Path | str, session: str, texts: list[str], ended: float = NOW - DAY) -> Path:
    """A conversation in which a person says these texts, one after the other."""
    rows, parent = [], None
    for number, text in enumerate(texts):
        ident, ts = f'{session}-{number}', ended - 60 * (len(texts) - number)
        rows.append(claude_user(ident, text, parent, str(cwd), ts, sessionId=session))
        rows.append(claude_agent(f'{ident}a', 'Done.', ident, str(cwd), ts + 10, sessionId=session))
        parent = f'{ident}a'
    return write_lines(claude_file(home, cwd, session), rows, ended=ended)


def codex_rows(cwd: str, *payloads: tuple[str, dict], **meta) -> list[dict]:
    """A rollout: its session_meta, then (type, payload) pairs."""
    head = {
        'id': 'T1',
        'timestamp': stamp(NOW),
        'cwd': cwd,
        'originator': 'codex-tui',
        'cli_version': '0.171.0',
        'source': 'vscode',
        **meta,
    }
    return [
        {'timestamp': stamp(NOW), 'type': 'session_meta', 'payload': head},
        *({'timestamp': stamp(NOW + n), 'type': kind, 'payload': body} for n, (kind, body) in enumerate(payloads)),
    ]


def qwen_rows(*said: tuple[str, str, object], after: list[dict] = (), apart: int = 0) -> list[dict]:
    """Records of Qwen Code, each the child of the one before: (type, subtype, text or parts or what a system record
    says), `apart` seconds from each other."""
    rows: list[dict] = []
    for number, (kind, subtype, body) in enumerate(said, len(after)):
        row = {'uuid': f'q{number}', 'parentUuid': ([*after, *rows][-1:] or [{'uuid': None}])[0]['uuid'], 'type': kind}
        row |= {'sessionId': 'Q1', 'timestamp': stamp(NOW + number * apart), 'cwd': '/w/app', 'gitBranch': 'main'}
        row |= {'subtype': subtype} if subtype else {}
        if kind == 'system':
            row['systemPayload'] = body
        else:
            parts = [{'text': body}] if isinstance(body, str) else body
            row['message'] = {'role': 'model' if kind == 'assistant' else 'user', 'parts': parts}
        rows.append(row)
    return rows


def copilot_rows(cwd: str, *events: tuple[str, dict]) -> list[dict]:
    """The events of Copilot's CLI: its session.start, then (type, data) pairs."""
    context = {'cwd': cwd, 'gitRoot': cwd, 'branch': 'main'}
    begun = {'sessionId': 'C1', 'copilotVersion': '1.0.102', 'startTime': stamp(NOW), 'context': context}
    return [
        {'type': kind, 'data': data, 'id': f'e{number}', 'timestamp': stamp(NOW), 'parentId': f'e{number - 1}'}
        for number, (kind, data) in enumerate([('session.start', begun), *events])
    ]


def codex_typed(text: str, ident: str = 'i1') -> list[tuple[str, dict]]:
    """A typed message as Codex 0.171 writes it: an item, and the same as an event."""
    return [
        (
            'response_item',
            {
                'type': 'message',
                'role': 'user',
                'content': [{'type': 'input_text', 'text': text}],
                'internal_chat_message_metadata_passthrough': {'content_item_kinds': ['user.text']},
            },
        ),
        (
            'event_msg',
            {
                'type': 'item_completed',
                'item': {'type': 'UserMessage', 'id': ident, 'content': [{'type': 'text', 'text': text}]},
            },
        ),
    ]


def opencode_db(file: Path, sessions: dict[str, tuple[str, str | None, list[tuple[str, list[dict]]]]]) -> Path:
    """An opencode database: session -> (folder, parent, [(role, parts)])."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(
            'CREATE TABLE session(id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, version TEXT,'
            ' time_created INTEGER, time_updated INTEGER)'
        )
        db.execute(
            'CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)'
        )
        db.execute('CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)')
        for session, (folder, parent, messages) in sessions.items():
            ms = int((NOW - DAY) * 1000)
            db.execute('INSERT INTO session VALUES(?,?,?,?,?,?,?)', (session, 'p', parent, folder, '1.18.33', ms, ms))
            for number, (role, parts) in enumerate(messages):
                ident = f'msg_{session}_{number}'
                db.execute(
                    'INSERT INTO message VALUES(?,?,?,?,?)',
                    (
                        ident,
                        session,
                        ms + number,
                        ms,
                        json.dumps({'role': role, 'summary': {'diffs': []}} if role == 'user' else {'role': role}),
                    ),
                )
                for at, part in enumerate(parts):
                    db.execute(
                        'INSERT INTO part VALUES(?,?,?,?,?)', (f'{ident}_{at}', ident, session, ms, json.dumps(part))
                    )
    return file


def read_file(agent: str, file: Path):
    """(info, messages) of the one session in a file."""
    info = transcripts.describe(candidate(agent, file))
    return info, list(transcripts.messages(info)) if info else []


def humans(messages) -> list[str]:
    """What the person typed."""
    return [message.text for message in messages if message.human]


def remember(root: Path, home: Path, now: float = NOW, **changes):
    """Run both phases over the repository at `root`."""
    return run.run(repos.find(root), enabled(**changes), home, {}, now, everything=True)


def active(facts) -> list[str]:
    """The texts of the facts that hold."""
    return [fact.text for fact in facts if fact.status == 'active']


def commit(git, root, message, **files):
    """Commit these files (`__` stands for `/`) and all else; returns the commit."""
    for path, content in files.items():
        (root / path.replace('__', '/')).write_text(content)
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', message, '--allow-empty')
    return repos.resolve(repos.find(root))


def lines(root, budget=400, now=NOW):
    """The section of memory of the block."""
    return section.lines(repos.find(root), Settings(), budget, now, count)


def read_claude(tmp_path, rows, tail=b''):
    """(info, messages) of one session of Claude Code with these rows."""
    return read_file('claude', write_lines(claude_file(tmp_path, '/w/app', 'S1'), rows, tail))
