"""Write the log: messages are appended as they are said, or imported from past conversations; old ones are deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from ctxkit.safety.database import transaction
from ctxkit.sessions.ephemeral import is_ephemeral
from ctxkit.sessions.message import Message, bounded, half
from ctxkit.sessions.state import set_state, state_of
from ctxkit.sessions.ttl import Judgement, State, advance, is_judged
from ctxkit.settings import SessionSettings

Judge = Callable[[sqlite3.Connection, str, State, str], Judgement]
IMPORT_AT_ONCE = 500
PRUNE_EVERY = 500  # messages between two checks of the retention limits
PRUNE_AT_MOST = 5000  # rows deleted at once, so that other writers wait milliseconds
DAY = 86_400.0


@dataclass(frozen=True)
class Logged:
    """The result of logging a message: its id, its flag, and whether to ask the person (an operation is finished)."""

    id: int
    ephemeral: bool
    asked: bool


def append(db: sqlite3.Connection, message: Message, settings: SessionSettings, now: float, judge: Judge) -> Logged:
    """Write one message, redacted and bounded, and update the conversation's state, in one transaction.

    `judge` says whether a request is about the ephemeral context. It is called only while a context is active, and
    outside the transaction, because it may load the embedding.
    """
    content = bounded(message.content)
    message = _with_tool(db, message)
    ephemeral = is_ephemeral(message, settings.ephemeral_tools, settings.permanent_tools)
    before = state_of(db, message.session_id)
    judgement = None
    if is_judged(before, message.role, message.tool):
        judgement = judge(db, message.session_id, before, content)
    with transaction(db):
        call_id = message.call_id or _loose_pair(db, message)
        related = None if judgement is None else int(judgement.related)
        row = _insert(db, message, content, call_id, ephemeral, now, related)
        state = advance(
            state_of(db, message.session_id),
            row,
            message.role,
            message.tool,
            ephemeral,
            message.transaction_completed,
            judgement,
            settings.unrelated_messages,
        )
        if state != before:
            set_state(db, message.session_id, state)
        if row % PRUNE_EVERY == 0:
            _prune(db, settings, now)
    return Logged(row, ephemeral, message.transaction_completed)


def import_messages(
    db: sqlite3.Connection, messages: Iterable[tuple[Message, str]], settings: SessionSettings, now: float
) -> int:
    """Write (message, identity in its source) pairs of past conversations; return how many were new.

    Messages already in the log stay as they are. Imported ephemeral messages are history: none of them becomes active.
    """
    added = 0
    pending = iter(messages)
    # The secret filter is slow, so it runs before the write lock is taken.
    while batch := [(message, bounded(message.content), source) for message, source in islice(pending, IMPORT_AT_ONCE)]:
        with transaction(db):
            for message, content, source in batch:
                known = db.execute(
                    'SELECT 1 FROM chat_messages WHERE session_id = ? AND source = ?', (message.session_id, source)
                ).fetchone()
                if known is None:
                    message = _with_tool(db, message)
                    ephemeral = is_ephemeral(message, settings.ephemeral_tools, settings.permanent_tools)
                    _insert(
                        db, message, content, message.call_id or _loose_pair(db, message), ephemeral, now, None, source
                    )
                    added += 1
            _prune(db, settings, now)
    return added


def _insert(
    db: sqlite3.Connection,
    message: Message,
    content: str,
    call_id: str,
    ephemeral: bool,
    now: float,
    related: int | None,
    source: str | None = None,
) -> int:
    last = db.execute(
        'SELECT turn FROM chat_messages WHERE session_id = ? ORDER BY id DESC LIMIT 1', (message.session_id,)
    ).fetchone()
    turn = (last[0] if last else 0) + (message.role == 'user')
    row = db.execute(
        'INSERT INTO chat_messages (session_id, role, content, is_ephemeral, tool, call_id, turn, time, '
        'logged, transaction_completed, related, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        (
            message.session_id,
            message.role,
            content,
            int(ephemeral),
            message.tool,
            call_id,
            turn,
            message.time or now,
            now,
            int(message.transaction_completed),
            related,
            source,
        ),
    ).lastrowid
    assert row is not None
    return row


def _with_tool(db: sqlite3.Connection, message: Message) -> Message:
    """Give a result that names its call but no tool the tool of the call."""
    if message.tool or not message.call_id or half(message.role, '') != 'result':
        return message
    row = db.execute(
        "SELECT tool FROM chat_messages WHERE session_id = ? AND call_id = ? AND tool != '' LIMIT 1",
        (message.session_id, message.call_id),
    ).fetchone()
    return replace(message, tool=str(row[0])) if row else message


def _loose_pair(db: sqlite3.Connection, message: Message) -> str:
    """An id for the pair if the caller gave none: a call gets a new one, a result gets that of the call it answers.

    A result answers the last call of its tool that has no result yet and is newer than the last request.
    """
    which = half(message.role, message.tool)
    if which == 'call':
        last = db.execute('SELECT max(id) FROM chat_messages').fetchone()[0] or 0
        return f'auto-{last + 1}'
    if which == 'result':
        for role, tool, call_id in db.execute(
            'SELECT role, tool, call_id FROM chat_messages WHERE session_id = ? ORDER BY id DESC LIMIT 64',
            (message.session_id,),
        ):
            if role == 'user':
                break
            if half(role, tool) == 'call' and tool == (message.tool or tool) and not _has_result(db, message, call_id):
                return str(call_id)
    return ''


def _has_result(db: sqlite3.Connection, message: Message, call_id: str) -> bool:
    return (
        db.execute(
            "SELECT 1 FROM chat_messages WHERE session_id = ? AND call_id = ? AND role IN ('tool', 'tool_result')",
            (message.session_id, call_id),
        ).fetchone()
        is not None
    )


def _prune(db: sqlite3.Connection, settings: SessionSettings, now: float) -> None:
    """Delete whole conversations that were idle for too long, then the oldest messages above the limit.

    A wrong clock should delete nothing. A gap in the log is a break or a clock that is ahead, so it counts only from
    its second day on; and what was written after something recent is recent itself, as the ids show.
    """
    kept = settings.keep_days * DAY
    first = db.execute('SELECT min(logged) FROM (SELECT logged FROM chat_messages ORDER BY id LIMIT 100)').fetchone()[0]
    if first is not None and first < now - kept:
        last = db.execute('SELECT max(logged) FROM chat_messages WHERE logged < ?', (now - DAY,)).fetchone()[0]
        recent = 'SELECT min(id) FROM chat_messages WHERE logged BETWEEN ? AND ?'
        idle = f'max(logged) < ? AND max(id) < ({recent})'
        for (session_id,) in db.execute(
            f'SELECT session_id FROM chat_messages GROUP BY session_id HAVING {idle}', (last - kept, last - kept, now)
        ).fetchall():
            db.execute('DELETE FROM chat_messages WHERE session_id = ?', (session_id,))
            db.execute('DELETE FROM session_states WHERE session_id = ?', (session_id,))
    surplus = db.execute('SELECT count(*) FROM chat_messages').fetchone()[0] - settings.max_messages
    if surplus > 0:
        db.execute(
            'DELETE FROM chat_messages WHERE id IN (SELECT id FROM chat_messages ORDER BY id LIMIT ?)',
            (min(surplus, PRUNE_AT_MOST),),
        )
