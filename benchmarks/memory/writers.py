"""Conversations written as each agent writes them: small synthetic files in the shapes of the real ones."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple


class Turn(NamedTuple):
    """What happens in a conversation: who is human, agent or tool; a tool turn has a command, output and exit code."""

    who: str
    text: str
    output: str = ''
    code: int = 0


def _iso(ts: float) -> str:
    return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%dT%H:%M:%S.') + f'{int(ts * 1000) % 1000:03d}Z'


def _uuid(*parts: object) -> str:
    return str(uuid.UUID(hashlib.md5('\0'.join(map(str, parts)).encode()).hexdigest()))


def _write(file: Path, rows: list[dict]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(''.join(json.dumps(row, ensure_ascii=False) + '\n' for row in rows), 'utf-8')
    return file


def claude(home: Path, cwd: str, name: str, start: float, turns: Sequence[Turn]) -> Path:
    session = _uuid('claude', name)
    rows: list[dict] = []
    parent = None
    for number, turn in enumerate(turns):
        common = {
            'sessionId': session,
            'cwd': cwd,
            'gitBranch': 'main',
            'version': '2.1.197',
            'isSidechain': False,
            'userType': 'external',
            'entrypoint': 'cli',
            'timestamp': _iso(start + number * 20),
        }

        def add(kind: str, message: dict, **extra: object) -> None:
            nonlocal parent
            ident = _uuid(session, len(rows))
            rows.append({'type': kind, 'uuid': ident, 'parentUuid': parent, **common, 'message': message, **extra})  # noqa: B023
            parent = ident

        if turn.who == 'human':
            add('user', {'role': 'user', 'content': turn.text}, origin={'kind': 'human'}, promptSource='typed')
        elif turn.who == 'agent':
            add(
                'assistant',
                {'id': f'msg_{number}', 'role': 'assistant', 'content': [{'type': 'text', 'text': turn.text}]},
            )
        else:
            call = f'toolu_{number}'
            add(
                'assistant',
                {
                    'id': f'msg_{number}',
                    'role': 'assistant',
                    'content': [{'type': 'tool_use', 'id': call, 'name': 'Bash', 'input': {'command': turn.text}}],
                },
            )
            text = (f'Exit code {turn.code}\n' if turn.code else '') + turn.output
            add(
                'user',
                {
                    'role': 'user',
                    'content': [
                        {'type': 'tool_result', 'tool_use_id': call, 'content': text, 'is_error': bool(turn.code)}
                    ],
                },
                toolUseResult=f'Error: {text}' if turn.code else {'stdout': turn.output, 'stderr': ''},
            )
    slug = ''.join(c if c.isascii() and c.isalnum() else '-' for c in cwd)
    return _write(home / '.claude' / 'projects' / slug / f'{session}.jsonl', rows)


def codex(home: Path, cwd: str, name: str, start: float, turns: Sequence[Turn]) -> Path:
    session = _uuid('codex', name)
    rows: list[dict] = [
        {
            'timestamp': _iso(start),
            'type': 'session_meta',
            'payload': {
                'id': session,
                'timestamp': _iso(start),
                'cwd': cwd,
                'originator': 'codex-tui',
                'cli_version': '0.171.0',
                'source': 'vscode',
                'git': {'branch': 'main'},
            },
        }
    ]
    for number, turn in enumerate(turns):
        stamp = _iso(start + number * 20)

        def add(kind: str, payload: dict) -> None:
            rows.append({'timestamp': stamp, 'type': kind, 'payload': payload})  # noqa: B023

        if turn.who == 'human':
            add(
                'response_item',
                {
                    'type': 'message',
                    'role': 'user',
                    'content': [{'type': 'input_text', 'text': turn.text}],
                    'internal_chat_message_metadata_passthrough': {'content_item_kinds': ['user.text']},
                },
            )
            add(
                'event_msg',
                {
                    'type': 'item_completed',
                    'item': {
                        'type': 'UserMessage',
                        'id': f'i{number}-{session[:8]}',
                        'content': [{'type': 'text', 'text': turn.text}],
                    },
                },
            )
        elif turn.who == 'agent':
            add(
                'response_item',
                {'type': 'message', 'role': 'assistant', 'content': [{'type': 'output_text', 'text': turn.text}]},
            )
        else:
            call = f'c{number}'
            add(
                'response_item',
                {
                    'type': 'function_call',
                    'name': 'exec_command',
                    'call_id': call,
                    'arguments': json.dumps({'cmd': turn.text}),
                },
            )
            add(
                'response_item',
                {
                    'type': 'function_call_output',
                    'call_id': call,
                    'output': 'Chunk ID: a1\nWall time: 0.1 seconds\n'
                    f'Process exited with code {turn.code}\nOutput:\n{turn.output}',
                },
            )
    day = datetime.fromtimestamp(start, timezone.utc)
    return _write(
        home / '.codex' / 'sessions' / f'{day:%Y/%m/%d}' / f'rollout-{day:%Y-%m-%dT%H-%M-%S}-{session}.jsonl', rows
    )


def pi(home: Path, cwd: str, name: str, start: float, turns: Sequence[Turn]) -> Path:
    session = _uuid('pi', name)
    rows: list[dict] = [{'type': 'session', 'version': 3, 'id': session, 'timestamp': _iso(start), 'cwd': cwd}]
    parent = None
    for number, turn in enumerate(turns):
        stamp = _iso(start + number * 20)

        def add(message: dict) -> None:
            nonlocal parent
            ident = _uuid(session, len(rows))[:8]
            rows.append({'type': 'message', 'id': ident, 'parentId': parent, 'timestamp': stamp, 'message': message})  # noqa: B023
            parent = ident

        if turn.who in ('human', 'agent'):
            add(
                {
                    'role': 'user' if turn.who == 'human' else 'assistant',
                    'content': [{'type': 'text', 'text': turn.text}],
                }
            )
        else:
            add(
                {
                    'role': 'assistant',
                    'content': [
                        {'type': 'toolCall', 'id': f'k{number}', 'name': 'bash', 'arguments': {'command': turn.text}}
                    ],
                }
            )
            add(
                {
                    'role': 'toolResult',
                    'toolCallId': f'k{number}',
                    'toolName': 'bash',
                    'isError': bool(turn.code),
                    'content': [{'type': 'text', 'text': turn.output}],
                }
            )
    folder = '--' + cwd.strip('/').replace('/', '-') + '--'
    return _write(home / '.pi' / 'agent' / 'sessions' / folder / f'{int(start)}_{session}.jsonl', rows)


def gemini(home: Path, cwd: str, name: str, start: float, turns: Sequence[Turn]) -> Path:
    session = _uuid('gemini', name)
    project = 'p' + hashlib.sha256(cwd.encode()).hexdigest()[:8]
    rows: list[dict] = [
        {
            'sessionId': session,
            'projectHash': hashlib.sha256(cwd.encode()).hexdigest(),
            'startTime': _iso(start),
            'lastUpdated': _iso(start),
            'kind': 'main',
        },
        {
            '$set': {
                'messages': [
                    {
                        'id': 'ctx',
                        'timestamp': _iso(start),
                        'type': 'user',
                        'content': [{'text': '<session_context>\nToday is …\n</session_context>'}],
                    }
                ]
            }
        },
    ]
    for number, turn in enumerate(turns):
        stamp = _iso(start + number * 20)
        if turn.who == 'human':
            rows.append({'id': f'm{number}', 'timestamp': stamp, 'type': 'user', 'content': [{'text': turn.text}]})
        elif turn.who == 'agent':
            rows.append(
                {'id': f'm{number}', 'timestamp': stamp, 'type': 'gemini', 'content': turn.text, 'thoughts': []}
            )
        else:
            text = turn.output + (f'\nExit Code: {turn.code}' if turn.code else '')
            call = {
                'id': f'k{number}',
                'name': 'run_shell_command',
                'args': {'command': turn.text},
                'status': 'success',
                'timestamp': stamp,
                'result': [
                    {
                        'functionResponse': {
                            'id': f'k{number}',
                            'name': 'run_shell_command',
                            'response': {'output': text},
                        }
                    }
                ],
            }
            answer = {'id': f'm{number}', 'timestamp': stamp, 'type': 'gemini', 'content': ''}
            rows += [
                answer,
                {**answer, 'toolCalls': [call]},
                {'id': f'r{number}', 'timestamp': stamp, 'type': 'user', 'content': [call['result'][0]]},
            ]
    folder = home / '.gemini' / 'tmp' / project
    file = _write(
        folder / 'chats' / f'session-{datetime.fromtimestamp(start, timezone.utc):%Y-%m-%dT%H-%M}-{session[:8]}.jsonl',
        rows,
    )
    (folder / '.project_root').write_text(cwd)
    return file


def opencode(home: Path, cwd: str, name: str, start: float, turns: Sequence[Turn]) -> Path:
    session = 'ses_' + _uuid('opencode', name).replace('-', '')[:20]
    file = home / '.local' / 'share' / 'opencode' / 'opencode.db'
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute('PRAGMA synchronous=OFF')
        db.execute('CREATE TABLE IF NOT EXISTS project(id TEXT PRIMARY KEY, worktree TEXT)')
        db.execute(
            'CREATE TABLE IF NOT EXISTS session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT,'
            ' title TEXT,'
            ' version TEXT, time_created INTEGER, time_updated INTEGER)'
        )
        db.execute(
            'CREATE TABLE IF NOT EXISTS message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,'
            ' time_updated INTEGER, data TEXT)'
        )
        db.execute(
            'CREATE TABLE IF NOT EXISTS part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,'
            ' time_created INTEGER,'
            ' time_updated INTEGER, data TEXT)'
        )
        ends = int((start + len(turns) * 20) * 1000)
        db.execute(
            'INSERT INTO session VALUES(?,?,?,?,?,?,?,?)',
            (session, 'p', None, cwd, name, '1.18.33', int(start * 1000), ends),
        )
        for number, turn in enumerate(turns):
            at = int((start + number * 20) * 1000)
            ident = f'msg_{session[4:]}_{number:05d}'
            role = 'user' if turn.who == 'human' else 'assistant'
            db.execute(
                'INSERT INTO message VALUES(?,?,?,?,?)',
                (ident, session, at, at, json.dumps({'role': role, 'time': {'created': at}})),
            )
            part = (
                {'type': 'text', 'text': turn.text}
                if turn.who != 'tool'
                else {
                    'type': 'tool',
                    'callID': f'k{number}',
                    'tool': 'bash',
                    'state': {
                        'status': 'completed',
                        'input': {'command': turn.text},
                        'output': turn.output,
                        'metadata': {'exit': turn.code},
                    },
                }
            )
            db.execute(
                'INSERT INTO part VALUES(?,?,?,?,?,?)', (f'prt_{ident}', ident, session, at, at, json.dumps(part))
            )
    return file


def aider(home: Path, cwd: str, name: str, start: float, turns: Sequence[Turn]) -> Path:
    del home, name
    lines = [
        '',
        f'# aider chat started at {datetime.fromtimestamp(start):%Y-%m-%d %H:%M:%S}',
        '',
        '> Aider v0.86.2  ',
        '',
    ]
    for turn in turns:
        if turn.who == 'human':
            lines += [f'#### {line}  ' for line in turn.text.split('\n')] + ['']
        elif turn.who == 'agent':
            lines += [turn.text, '']
        else:
            lines += [f'#### /run {turn.text}  ', '', '> Added 3 lines of output to the chat.  ', '']
    file = Path(cwd) / '.aider.chat.history.md'
    with open(file, 'a', encoding='utf-8') as out:
        out.write('\n'.join(lines) + '\n')
    return file


WRITERS = {'claude': claude, 'codex': codex, 'pi': pi, 'gemini': gemini, 'opencode': opencode, 'aider': aider}
