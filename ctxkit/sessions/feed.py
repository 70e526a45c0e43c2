"""Log messages from outside: JSON lines, or the input that an agent gives its hooks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from ctxkit.errors import CtxError
from ctxkit.sessions import hook_input
from ctxkit.sessions.log import append
from ctxkit.sessions.message import decode, parse
from ctxkit.sessions.related import judge
from ctxkit.settings import SessionSettings


@dataclass
class Fed:
    """The result of a feed: how many lines were logged, which conversations to ask about, and the bad lines and why."""

    logged: int = 0
    asked: list[str] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)


def feed(db: sqlite3.Connection, lines: Iterable[bytes], session_id: str, settings: SessionSettings, now: float) -> Fed:
    """Log each line: a message, or the input that an agent gives its hooks.

    A bad line is recorded and skipped, so that one fault never costs the rest of a conversation.
    """
    fed = Fed()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            item = decode(line)
            messages = (
                hook_input.messages(item, session_id) if hook_input.is_hook_input(item) else [parse(item, session_id)]
            )
        except CtxError as error:
            fed.bad.append((number, error.format_message()))
            continue
        for message in messages:
            logged = append(db, message, settings, now, judge)
            if logged.asked and message.session_id not in fed.asked:
                fed.asked.append(message.session_id)
        fed.logged += 1
    return fed
