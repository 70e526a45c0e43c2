"""A message of the log: what a line of JSON must contain, and how long a message may be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ctxkit.errors import CtxError

ROLES = ('user', 'assistant', 'system', 'tool', 'tool_call', 'tool_result', 'summary')
ALIASES = {
    'human': 'user',
    'model': 'assistant',
    'ai': 'assistant',
    'developer': 'system',
    'function': 'tool',
    'tool_use': 'tool_call',
    'function_call': 'tool_call',
    'function_call_output': 'tool_result',
}
MAX_LINE = 8 * 1024 * 1024
MAX_ID = 200
MAX_CONTENT = 64_000  # characters kept of one message, from its head and its tail
READ_AT_MOST = 1_000_000  # characters read of one message, so that the secret filter stays fast


@dataclass(frozen=True)
class Message:
    """A message before it is logged. With `ephemeral` None, the rules decide. `time` is in epoch seconds."""

    session_id: str
    role: str
    content: str
    tool: str = ''
    call_id: str = ''
    ephemeral: bool | None = None
    transaction_completed: bool = False
    time: float | None = None


@dataclass(frozen=True)
class Entry:
    """A row of the log. `active` means that it is ephemeral and the conversation is still about it."""

    id: int
    session_id: str
    turn: int
    time: float
    role: str
    content: str
    tool: str
    call_id: str
    ephemeral: bool
    active: bool
    transaction_completed: bool


def half(role: str, tool: str) -> str:
    """Which half of a tool exchange a message is: 'call', 'result', or '' for neither."""
    if role == 'tool_call' or (role == 'assistant' and tool):
        return 'call'
    return 'result' if role in ('tool', 'tool_result') else ''


def decode(line: bytes) -> dict[str, Any]:
    """A line of JSON as an object. Raises CtxError with the reason."""
    if len(line) > MAX_LINE:
        raise CtxError('longer than 8 MB')
    try:
        item = json.loads(line.decode('utf-8-sig', 'replace'))
    except (ValueError, RecursionError) as error:
        raise CtxError('not JSON') from error
    if not isinstance(item, dict):
        raise CtxError('not a JSON object')
    return item


def parse(item: dict[str, Any], session_id: str = '') -> Message:
    """A decoded line as a message; `session_id` is the default for one without. Raises CtxError with the reason."""
    name = _text(item, 'session_id') or session_id
    if not name:
        raise CtxError('no session_id', 'give one in the line, or --session ID')
    role = _text(item, 'role').lower()
    role = ALIASES.get(role, role)
    if role not in ROLES:
        raise CtxError(f'role {role!r} is not one of {", ".join(ROLES)}' if role else 'no role')
    return Message(
        session_id=checked_id(name),
        role=role,
        content=_content(item.get('content')),
        tool=_text(item, 'tool')[:MAX_ID],
        call_id=(_text(item, 'call_id') or _text(item, 'tool_call_id'))[:MAX_ID],
        ephemeral=_flag(item, 'ephemeral'),
        transaction_completed=bool(_flag(item, 'transaction_completed')),
        time=moment(item.get('time')),
    )


def checked_id(name: str) -> str:
    """`name` as a conversation's id. Raises CtxError if it is empty, too long or not printable."""
    if not name or len(name) > MAX_ID or not name.isprintable():
        raise CtxError('a session id is 1 to 200 printable characters')
    return name


def bounded(content: str) -> str:
    """The redacted content within MAX_CONTENT characters: head and tail, with a note between of how much is left out.

    Each part is redacted before it is cut, so that a cut never leaves half of a secret, which no rule would recognize.
    """
    from ctxkit.safety.secrets import redact

    if len(content) <= READ_AT_MOST:
        content = redact(content)
        head, tail = content, content
    else:
        head, tail = redact(content[: READ_AT_MOST // 2]), redact(content[-READ_AT_MOST // 2 :])
    if max(len(content), len(head)) <= MAX_CONTENT:
        return content
    kept = MAX_CONTENT // 4
    left_out = len(content) - MAX_CONTENT
    return f'{head[: 3 * kept]}\n[… {left_out} characters left out …]\n{tail[-kept:]}'


def _text(item: dict[str, Any], key: str) -> str:
    value = item.get(key)
    if value is None:
        return ''
    if not isinstance(value, str):
        raise CtxError(f'{key} is not text')
    return value.encode('utf-8', 'replace').decode('utf-8')


def _content(value: Any) -> str:
    """Text, or the text blocks of a list as in chat APIs; anything else is kept as JSON."""
    if isinstance(value, str):
        said = value
    elif isinstance(value, list) and all(isinstance(part, (str, dict)) for part in value):
        said = '\n'.join(part if isinstance(part, str) else _block(part) for part in value)
    elif value is None:
        raise CtxError('no content')
    else:
        said = json.dumps(value, ensure_ascii=False)
    return said.encode('utf-8', 'replace').decode('utf-8')  # a lone surrogate cannot be stored


def _block(part: dict[str, Any]) -> str:
    text = part.get('text')
    return text if isinstance(text, str) else json.dumps(part, ensure_ascii=False)


def _flag(item: dict[str, Any], key: str) -> bool | None:
    value = item.get(key)
    if value is None or isinstance(value, bool):
        return value
    if value in (0, 1):
        return bool(value)
    raise CtxError(f'{key} is not true or false')


def moment(value: Any) -> float | None:
    """Epoch seconds from seconds, milliseconds or ISO 8601; None if the value is missing or none of these."""
    from ctxkit.memory.transcripts.fields import epoch

    return epoch(value)
