"""Reading a conversation's state; apart from the writing, so that showing a channel imports little."""

from __future__ import annotations

import sqlite3

from ctxkit.sessions.matter import State


def state_of(db: sqlite3.Connection, session_id: str) -> State:
    """The conversation's state; an empty one where there is none."""
    row = db.execute(
        'SELECT tool, since, active, unrelated, asked, reason FROM session_states WHERE session_id = ?', (session_id,)
    ).fetchone()
    return State(row[0], row[1], bool(row[2]), row[3], bool(row[4]), row[5]) if row else State()
