"""What the person does to the log: mark a message, finish or keep an ephemeral context, delete what was said."""

from __future__ import annotations

import contextlib
import sqlite3

from ctxkit.errors import CtxError
from ctxkit.safety.database import transaction
from ctxkit.sessions.database import BUSY_SECONDS
from ctxkit.sessions.state import set_state, state_of
from ctxkit.sessions.ttl import State


def mark(db: sqlite3.Connection, message_id: int, ephemeral: bool) -> None:
    """Set the flag of a message and of the other half of its tool exchange. Raises CtxError for an unknown id."""
    with transaction(db):
        row = db.execute('SELECT session_id, call_id FROM chat_messages WHERE id = ?', (message_id,)).fetchone()
        if row is None:
            raise CtxError(f'no message {message_id}', 'run ctxkit session show --json to see the ids')
        db.execute('UPDATE chat_messages SET is_ephemeral = ? WHERE id = ?', (int(ephemeral), message_id))
        if row[1]:
            db.execute(
                'UPDATE chat_messages SET is_ephemeral = ? WHERE session_id = ? AND call_id = ?', (int(ephemeral), *row)
            )


def done(db: sqlite3.Connection, session_id: str) -> int:
    """Delete the conversation's ephemeral messages and state, since the result is right; return how many messages."""
    with transaction(db):
        deleted = db.execute(
            'DELETE FROM chat_messages WHERE session_id = ? AND is_ephemeral = 1', (session_id,)
        ).rowcount
        db.execute('DELETE FROM session_states WHERE session_id = ?', (session_id,))
    _forget(db)
    return deleted


def keep(db: sqlite3.Connection, session_id: str) -> int:
    """Keep the context active, or reactivate it, since the result is not right yet; return its number of messages."""
    with transaction(db):
        state = state_of(db, session_id)
        held = db.execute(
            'SELECT count(*) FROM chat_messages WHERE session_id = ? AND is_ephemeral = 1 AND id >= ?',
            (session_id, state.since),
        ).fetchone()[0]
        if state.since:
            set_state(db, session_id, State(state.tool, state.since, held > 0, 0, False, 'kept by the person'))
        elif state.asked:
            set_state(db, session_id, State())
    return int(held)


def delete(db: sqlite3.Connection, session_id: str) -> int:
    """Delete every row of the conversation, on disk too; return how many messages."""
    with transaction(db):
        deleted = db.execute('DELETE FROM chat_messages WHERE session_id = ?', (session_id,)).rowcount
        db.execute('DELETE FROM session_states WHERE session_id = ?', (session_id,))
    _forget(db)
    return deleted


def clear(db: sqlite3.Connection) -> int:
    """Delete every conversation; return how many messages."""
    with transaction(db):
        deleted = db.execute('DELETE FROM chat_messages').rowcount
        db.execute('DELETE FROM session_states')
    _forget(db)
    with contextlib.suppress(sqlite3.OperationalError):  # somebody is reading: the space is freed another time
        db.execute('VACUUM')
        _forget(db)
    return deleted


def _forget(db: sqlite3.Connection) -> None:
    """Empty the write-ahead log, which still holds what was deleted; if a reader is in the way, that happens later."""
    db.execute('PRAGMA busy_timeout = 200')
    db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()
    db.execute(f'PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}')
