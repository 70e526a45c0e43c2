"""Messages and conversations as lines for a person, and as rows for a program."""

from __future__ import annotations

import time
from typing import Any

from ctxkit.counted import counted
from ctxkit.safety.text import printable, visible
from ctxkit.sessions.channels import Conversation
from ctxkit.sessions.message import Entry


def line(entry: Entry) -> str:
    """A message on one line: id, who says it, whether it is ephemeral, and the content."""
    state = ' (ephemeral)' if entry.active else ' (ephemeral, ended)' if entry.ephemeral else ''
    who = f'{entry.role} {entry.tool}'.strip()
    return f'{entry.id} {printable(who)}{state}: {visible(entry.content)}'


def row(entry: Entry) -> dict[str, Any]:
    """A message with everything that is stored of it, for JSON lines."""
    return {
        'id': entry.id,
        'session_id': entry.session_id,
        'turn': entry.turn,
        'time': _iso(entry.time),
        'role': entry.role,
        'content': visible(entry.content),
        'tool': entry.tool,
        'call_id': entry.call_id,
        'ephemeral': entry.ephemeral,
        'active': entry.active,
        'transaction_completed': entry.transaction_completed,
    }


def conversation_line(item: Conversation) -> str:
    """A conversation on one line: when it ended, its id, how much was said, and its ephemeral context."""
    context = f'  {item.tool or "draft"} active ({item.reason})' if item.active else ''
    question = '  waits for done or keep' if item.asked else ''
    return printable(
        f'{_iso(item.last_time)}  {item.session_id}  {counted(item.messages, "message")}, '
        f'{item.ephemeral} ephemeral{context}{question}'
    )


def conversation_row(item: Conversation) -> dict[str, Any]:
    """A conversation for JSON lines."""
    return {**item._asdict(), 'last_time': _iso(item.last_time)}


def _iso(moment: float) -> str:
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(moment)) if 0 <= moment < 1e11 else ''
