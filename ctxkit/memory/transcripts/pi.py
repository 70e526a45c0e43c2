"""pi and oh-my-pi: one JSON-lines file a session, a tree linked by `parentId` whose last entry is the live leaf."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxkit.memory.transcripts.fields import blocks, command_of, epoch
from ctxkit.memory.transcripts.json_lines import head, records
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start
from ctxkit.memory.transcripts.tree import Tree

AGENT = 'pi'
# What precedes the typed words: a skill called by its name, files named when the program was started.
_PUT_IN = re.compile(r'\A<(skill|file) name="[^"\n]*".*</\1>\s*', re.DOTALL)
SKIPPED = frozenset(
    {
        'session',
        'title',
        'model_change',
        'thinking_level_change',
        'label',
        'session_info',
        'custom',
        'custom_message',
        'reset_boundary',
        'title_change',
        'session_init',
        'mode_change',
        'service_tier_change',
        'ttsr_injection',
        'credential_pin',
        'compaction',
        'context_edit',
        'branch_summary',
    }
)


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The session files of pi and of oh-my-pi."""
    del roots
    own = environ.get('PI_CODING_AGENT_DIR')
    folders = [
        Path(
            environ.get('PI_CODING_AGENT_SESSION_DIR')
            or (Path(own) / 'sessions' if own else home / '.pi' / 'agent' / 'sessions')
        ),
        home / '.omp' / 'agent' / 'sessions',
    ]
    for folder in folders:
        for file in sorted([*folder.glob('*.jsonl'), *folder.glob('*/*.jsonl')]):
            found = candidate(AGENT, file)
            if found:
                yield found


def describe(found: Candidate) -> SessionInfo | None:
    """The session and its folder, from the header, which a title line may precede."""
    for value in head(found.path, lines=5):
        if value.get('type') == 'session' and isinstance(value.get('cwd'), str):
            info = start(found, str(value.get('id') or Path(found.path).stem))
            info.cwd = value['cwd']
            info.started = epoch(value.get('timestamp'))
            return info
        if value.get('type') != 'title':
            return None
    return None


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The messages from the root to the last entry; version 1 files have no tree and are read in file order."""
    kept, tree = Kept(info), Tree()
    for _, value in records(info, offset):
        kind, ident = str(value.get('type')), value.get('id')
        if isinstance(ident, str) and kind != 'session':
            parent = value.get('parentId')
            tree.add(ident, parent if isinstance(parent, str) else '')
        if kind == 'message' and isinstance(value.get('message'), dict):
            _message(kept, value)
        elif kind in ('compaction', 'branch_summary') and isinstance(value.get('summary'), str):
            kept.add('summary', value['summary'], msg_id=_id(value), ts=epoch(value.get('timestamp')))
        elif kind not in SKIPPED:
            info.unknown_types[kind[:40]] += 1
    dead = tree.dead()
    yield from (message for message in kept.messages if message.msg_id.split('@', 1)[0] not in dead)


def _id(value: dict[str, Any]) -> str:
    """A message's identity: eight hex digits are not unique, but with the time they are, and a fork copies both."""
    return f'{value.get("id") or ""}@{value.get("timestamp") or ""}'


def _message(kept: Kept, value: dict[str, Any]) -> None:
    body = value['message']
    role, content = body.get('role'), body.get('content')
    common: dict[str, Any] = {
        'msg_id': _id(value),
        'ts': epoch(value.get('timestamp')) or epoch(body.get('timestamp')),
    }
    text = blocks(content, ('text',))
    if role == 'user':
        typed = _PUT_IN.sub('', _PUT_IN.sub('', text)) if text.startswith('<') else text
        if typed:
            kept.add('user', typed, human=True, **common)
    elif role == 'assistant':
        if text:
            kept.add('assistant', text, **common)
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get('type') == 'toolCall':
                kept.add(
                    'tool_call',
                    command_of(block.get('arguments')),
                    tool=str(block.get('name')),
                    call=str(block.get('id')),
                    **common,
                )
    elif role == 'toolResult':
        kept.add(
            'tool_result',
            text,
            tool=str(body.get('toolName')),
            call=str(body.get('toolCallId')),
            error=body.get('isError') is True,
            **common,
        )
    elif role == 'bashExecution':
        call = f'{value.get("id")}:bash'
        kept.add('tool_call', str(body.get('command') or ''), tool='bash', call=call, **common)
        code = body.get('exitCode')
        kept.add(
            'tool_result',
            str(body.get('output') or ''),
            tool='bash',
            call=call,
            error=code != 0 if isinstance(code, int) else None,
            **common,
        )
    elif role in ('compactionSummary', 'branchSummary'):
        kept.add('summary', text or str(body.get('summary') or ''), **common)
