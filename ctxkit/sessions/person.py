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
    """Set a message's flag afterwards, with the other half of its tool exchange. Raises CtxError for an unknown id."""
    with transaction(db):
        row = db.execute('SELECT session_id, call_id FROM chat_messages WHERE id = ?', (message_id,)).fetchone()
        if row is None:
            raise CtxError(f'no message {message_id}', 'ctxkit session show --json lists them with their ids')
        db.execute('UPDATE chat_messages SET is_ephemeral = ? WHERE id = ?', (int(ephemeral), message_id))
        if row[1]:
            db.execute(
                'UPDATE chat_messages SET is_ephemeral = ? WHERE session_id = ? AND call_id = ?', (int(ephemeral), *row)
            )


def done(db: sqlite3.Connection, session_id: str) -> int:
    """The result is right: delete the conversation's ephemeral messages and its state, together. Returns how many."""
    with transaction(db):
        deleted = db.execute(
            'DELETE FROM chat_messages WHERE session_id = ? AND is_ephemeral = 1', (session_id,)
        ).rowcount
        db.execute('DELETE FROM session_states WHERE session_id = ?', (session_id,))
    _forget(db)
    return deleted


def keep(db: sqlite3.Connection, session_id: str) -> int:
    """The result is not right yet: the context stays active, or is so again. Returns how many messages that is."""
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
    """Remove every row of the conversation; what is deleted does not stay on disk. Returns how many messages."""
    with transaction(db):
        deleted = db.execute('DELETE FROM chat_messages WHERE session_id = ?', (session_id,)).rowcount
        db.execute('DELETE FROM session_states WHERE session_id = ?', (session_id,))
    _forget(db)
    return deleted


def clear(db: sqlite3.Connection) -> int:
    """Remove every conversation. Returns how many messages."""
    with transaction(db):
        deleted = db.execute('DELETE FROM chat_messages').rowcount
        db.execute('DELETE FROM session_states')
    _forget(db)
    with contextlib.suppress(sqlite3.OperationalError):  # somebody reads: the space is given back another time
        db.execute('VACUUM')
        _forget(db)
    return deleted


def _forget(db: sqlite3.Connection) -> None:
    """Empty the write-ahead log, which still holds what was deleted; a reader in the way leaves it for later."""
    db.execute('PRAGMA busy_timeout = 200')
    db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()
    db.execute(f'PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}')
