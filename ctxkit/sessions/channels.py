"""Read the log: the person's channel, the model's channel, the list of conversations. Nothing is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.errors import CtxError
from ctxkit.sessions.message import Entry, half
from ctxkit.sessions.state import state_of

NOTHING_LOGGED = 'run ctxkit session import AGENT to fill the log from transcripts; docs/sessions.md lists other ways'
MODEL_MESSAGES = 12
BATCH = 4 * MODEL_MESSAGES
MAX_BATCHES = 64
ROW = 'id, session_id, turn, time, role, content, tool, call_id, is_ephemeral, transaction_completed'


class Conversation(NamedTuple):
    """A conversation in the list: how much was said, when last (epoch seconds), and its ephemeral context."""

    session_id: str
    messages: int
    ephemeral: int
    last_time: float
    tool: str
    active: bool
    asked: bool
    reason: str


def person(db: sqlite3.Connection, session_id: str, last: int | None = None) -> Iterator[Entry]:
    """Everything that was said, oldest first, with ephemeral messages marked; only the `last` messages if given."""
    state = state_of(db, session_id)
    since = state.since if state.active else None
    if last is None:
        rows = db.execute(f'SELECT {ROW} FROM chat_messages WHERE session_id = ? ORDER BY id', (session_id,))
    else:
        rows = db.execute(
            f'SELECT * FROM (SELECT {ROW} FROM chat_messages WHERE session_id = ? ORDER BY id DESC '
            'LIMIT ?) ORDER BY id',
            (session_id, last),
        )
    return (_entry(row, since) for row in rows)


def model(db: sqlite3.Connection, session_id: str, last: int = MODEL_MESSAGES) -> list[Entry]:
    """What the model sees: the `last` messages that are not ephemeral, oldest first, and never half of a tool exchange.

    A message is skipped if its other half is ephemeral or has not come yet, and left out if its other half is older
    than the first message shown.
    """
    usable: list[Entry] = []
    before = 1 << 62
    for _ in range(MAX_BATCHES):
        rows = [
            _entry(row, None)
            for row in db.execute(
                f'SELECT {ROW} FROM chat_messages WHERE session_id = ? AND is_ephemeral = 0 AND id < ? '
                'ORDER BY id DESC LIMIT ?',
                (session_id, before, BATCH),
            )
        ]
        usable += [entry for entry in rows if not _is_torn(db, entry)]
        if len(rows) < BATCH or len(usable) >= last:
            break
        before = rows[-1].id
    window = usable[:last]
    whole = [
        entry
        for entry in window
        if not entry.call_id or _halves(db, entry) <= {(other.id) for other in window if other.call_id == entry.call_id}
    ]
    return whole[::-1]


def active(db: sqlite3.Connection, session_id: str, last: int = MODEL_MESSAGES) -> list[Entry]:
    """The newest messages of the conversation's active ephemeral context, oldest first; none once it has ended."""
    state = state_of(db, session_id)
    if not state.active:
        return []
    rows = db.execute(
        f'SELECT {ROW} FROM chat_messages WHERE session_id = ? AND is_ephemeral = 1 AND id >= ? '
        'ORDER BY id DESC LIMIT ?',
        (session_id, state.since, last),
    ).fetchall()
    return [_entry(row, state.since) for row in rows[::-1]]


def latest(db: sqlite3.Connection) -> str:
    """The conversation with the newest message; '' if there is none."""
    row = db.execute('SELECT session_id FROM chat_messages ORDER BY id DESC LIMIT 1').fetchone()
    return str(row[0]) if row else ''


def is_known(db: sqlite3.Connection, session_id: str) -> bool:
    """Whether the log holds anything of the conversation."""
    return (
        db.execute(
            'SELECT 1 FROM chat_messages WHERE session_id = ? UNION ALL '
            'SELECT 1 FROM session_states WHERE session_id = ? LIMIT 1',
            (session_id, session_id),
        ).fetchone()
        is not None
    )


def chosen(db: sqlite3.Connection, session_id: str | None) -> str:
    """The requested conversation, or the latest one for None. Raises CtxError if there is none."""
    if session_id is None:
        session_id = latest(db)
        if not session_id:
            raise CtxError('no conversation is logged here', NOTHING_LOGGED)
    elif not is_known(db, session_id):
        raise CtxError(f'no conversation {session_id}', 'run ctxkit session list to see them')
    return session_id


def asked(db: sqlite3.Connection, session_id: str | None) -> str:
    """The requested conversation; for None, the only one with an open question. Raises CtxError for none or several."""
    if session_id is not None:
        return chosen(db, session_id)
    waiting = [item.session_id for item in conversations(db) if item.asked]
    if len(waiting) != 1:
        raise CtxError(f'{len(waiting)} conversations wait for an answer', 'choose one with --session ID')
    return waiting[0]


def conversations(db: sqlite3.Connection) -> list[Conversation]:
    """All conversations, the most recently active first."""
    return [
        Conversation(row[0], row[1], row[2], row[3], row[4] or '', bool(row[5]), bool(row[6]), row[7] or '')
        for row in db.execute(
            'SELECT m.session_id, count(*), sum(m.is_ephemeral), max(m.time), s.tool, s.active, s.asked, s.reason '
            'FROM chat_messages m LEFT JOIN session_states s ON s.session_id = m.session_id '
            'GROUP BY m.session_id ORDER BY max(m.id) DESC'
        )
    ]


def _entry(row: tuple[object, ...], since: int | None) -> Entry:
    number, session, turn, time, role, content, tool, call_id, ephemeral, completed = row
    assert isinstance(number, int)
    return Entry(
        id=number,
        session_id=str(session),
        turn=int(str(turn)),
        time=float(str(time)),
        role=str(role),
        content=_column_text(content),
        tool=_column_text(tool),
        call_id=_column_text(call_id),
        ephemeral=bool(ephemeral),
        active=bool(ephemeral) and since is not None and number >= since,
        transaction_completed=bool(completed),
    )


def _column_text(value: object) -> str:
    """A text column as `str`; in a log that another program may have written, NULL and bytes are possible."""
    if isinstance(value, bytes):
        return value.decode('utf-8', 'replace')
    return '' if value is None else str(value)


def _halves(db: sqlite3.Connection, entry: Entry) -> set[int]:
    return {
        row[0]
        for row in db.execute(
            'SELECT id FROM chat_messages WHERE session_id = ? AND call_id = ?', (entry.session_id, entry.call_id)
        )
    }


def _is_torn(db: sqlite3.Connection, entry: Entry) -> bool:
    """Whether the entry is half of an exchange that cannot be shown whole, however large the window is."""
    own = half(entry.role, entry.tool)
    if not own or not entry.call_id:
        return False
    others = db.execute(
        'SELECT role, tool, is_ephemeral FROM chat_messages WHERE session_id = ? AND call_id = ? AND id != ?',
        (entry.session_id, entry.call_id, entry.id),
    ).fetchall()
    if any(ephemeral for _, _, ephemeral in others):
        return True
    if any(half(role, tool) != own for role, tool, _ in others):
        return False
    # The other half is missing. If the caller named the pair, it is incomplete. If we only guessed it ('auto-'), it
    # never was a pair, unless the role says that it is a call.
    return entry.role in ('tool_call', 'tool_result') or not entry.call_id.startswith('auto-')
