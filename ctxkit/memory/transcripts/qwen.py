"""Qwen Code: one JSON-lines file a session below `projects/*/chats/`, a tree linked by `parentUuid`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ctxkit.memory.transcripts.fields import command_of, epoch, exited_badly, response_of, typed_in
from ctxkit.memory.transcripts.json_lines import head, records
from ctxkit.memory.transcripts.record import Candidate, Kept, Message, SessionInfo, candidate, start
from ctxkit.memory.transcripts.tree import Tree

AGENT = 'qwen'
TYPED = frozenset({'', 'mid_turn_user_message'})
# User records that nobody typed: reports of an agent or a timer, a step towards a goal, what was spoken.
NOT_TYPED = frozenset({'notification', 'cron', 'goal_runtime', 'realtime_message'})
MAX_LOG_BYTES = 16 * 1024 * 1024
SECONDS_TO_EXPAND = 2.0


def candidates(home: Path, environ: Mapping[str, str], roots: Sequence[Path]) -> Iterator[Candidate]:
    """The session files of all projects, archived ones too; the separate folders of subagents are not entered."""
    del roots
    root = Path(environ.get('QWEN_RUNTIME_DIR') or environ.get('QWEN_HOME') or home / '.qwen')
    for file in sorted([*root.glob('projects/*/chats/*.jsonl'), *root.glob('projects/*/chats/archive/*.jsonl')]):
        found = candidate(AGENT, file)
        if found:
            yield found


def describe(found: Candidate) -> SessionInfo | None:
    """The session and its folder, from the head of the file; None if it holds no conversation of Qwen Code."""
    info = start(found, Path(found.path).stem)
    ours = at_a_terminal = False
    for value in head(found.path):
        ours = ours or is_ours(value)
        if not info.cwd:
            info.session_id = _text(value.get('sessionId')) or info.session_id
            info.cwd = _text(value.get('cwd'))
            info.git_branch = _text(value.get('gitBranch')) or None
            info.started = epoch(value.get('timestamp'))
        if value.get('isSidechain') or value.get('agentId'):
            info.kind = 'subagent'
        # Written before each prompt to which a person may want to go back, so not with `-p`.
        at_a_terminal = at_a_terminal or value.get('subtype') == 'file_history_snapshot'
        if value.get('type') == 'assistant':
            break
    if not ours or not info.cwd:
        return None
    if info.kind == 'main' and not at_a_terminal and not _logged(Path(found.path), info):
        info.kind = 'headless'
    return info


def is_ours(value: dict[str, Any]) -> bool:
    """Whether a message is Qwen Code's: Claude Code's has the same envelope, but `content` in place of `parts`."""
    message = value.get('message')
    return isinstance(message, dict) and 'parts' in message


def _logged(path: Path, info: SessionInfo) -> bool:
    """Whether the log of typed prompts contains the session; older versions record nowhere else that a person typed."""
    folder = next((parent.parent for parent in path.parents if parent.name == 'projects'), path.parent)
    project = info.cwd.lower() if sys.platform == 'win32' else info.cwd
    log = folder / 'tmp' / sha256(project.encode('utf-8', 'replace')).hexdigest() / 'logs.json'
    try:
        return log.stat().st_size <= MAX_LOG_BYTES and info.session_id.encode() in log.read_bytes()
    except OSError:
        return False


def messages(info: SessionInfo, offset: int = 0) -> Iterator[Message]:
    """The conversation without what was rewound, injected, or said by a subagent."""
    kept, tree, command = Kept(info), Tree(), _Command()
    for _, value in records(info, offset):
        kind, subtype = str(value.get('type')), _text(value.get('subtype'))
        said = kind in ('user', 'assistant', 'tool_result') or subtype == 'rewind'
        if _text(value.get('uuid')):
            tree.add(value['uuid'], _text(value.get('parentUuid')), last=said)
        if value.get('isSidechain'):
            continue
        if kind == 'user':
            _user(kept, value, subtype, command)
        elif kind in ('assistant', 'tool_result'):
            _answer(kept, value)
        elif kind == 'system':
            command.seen(value, subtype)
        else:
            info.unknown_types[kind[:40]] += 1
    dead = tree.dead()
    yield from (message for message in kept.messages if message.msg_id not in dead)


class _Command:
    """A slash command that was typed: the next user message is the command's file, which nobody typed."""

    def __init__(self) -> None:
        self.typed, self.sent, self.at = '', False, 0.0

    def seen(self, value: dict[str, Any], subtype: str) -> None:
        """Process a system record."""
        body = value.get('systemPayload')
        if subtype == 'slash_command' and isinstance(body, dict) and body.get('phase') == 'invocation':
            self.typed = '' if body.get('sentToModel') is False else _text(body.get('rawCommand'))
            self.sent, self.at = body.get('sentToModel') is True, epoch(value.get('timestamp')) or 0.0

    def expanded(self, ts: float | None) -> str:
        """What was typed in place of the user message at `ts`; '' if that is not a command's. Older versions do not say
        whether a command is sent to the model, but if so, it is sent at once."""
        typed, self.typed = self.typed, ''
        return typed if self.sent or abs((ts or 0.0) - self.at) < SECONDS_TO_EXPAND else ''


def _user(kept: Kept, value: dict[str, Any], subtype: str, command: _Command) -> None:
    human = subtype in TYPED and value.get('provenance', 'real_user') == 'real_user'
    if subtype not in TYPED | NOT_TYPED:
        kept.info.unknown_types[f'user {subtype}'[:40]] += 1
    ts = epoch(value.get('timestamp'))
    shown = value.get('systemPayload')
    text = _text(shown.get('displayText')) if isinstance(shown, dict) else ''
    typed = command.expanded(ts) if human else ''
    text = text or typed or typed_in(_parts(value))
    if text.strip():
        kept.add('user' if human else 'meta', text, msg_id=_text(value.get('uuid')), ts=ts, human=human)


def _answer(kept: Kept, value: dict[str, Any]) -> None:
    common: dict[str, Any] = {'msg_id': _text(value.get('uuid')), 'ts': epoch(value.get('timestamp'))}
    result = value.get('toolCallResult')
    status = result.get('status') if isinstance(result, dict) else None
    for part in _parts(value):
        call, answer = part.get('functionCall'), part.get('functionResponse')
        named = call if isinstance(call, dict) else answer if isinstance(answer, dict) else {}
        common |= {'tool': _text(named.get('name')) or None, 'call': _text(named.get('id')) or None}
        if isinstance(call, dict):
            kept.add('tool_call', command_of(call.get('args')), **common)
        elif isinstance(answer, dict):
            output = response_of(part)
            kept.add('tool_result', output, error=status not in ('success', None) or exited_badly(output), **common)
        elif _text(part.get('text')).strip() and not part.get('thought') and value.get('type') == 'assistant':
            kept.add('assistant', part['text'], **common)


def _parts(value: dict[str, Any]) -> list[dict[str, Any]]:
    message = value.get('message')
    parts = message.get('parts') if isinstance(message, dict) else None
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ''
