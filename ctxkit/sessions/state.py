"""Read and write a conversation's state; separate from the log, so that showing a channel imports little."""

from __future__ import annotations

import sqlite3
from dataclasses import astuple

from ctxkit.sessions.ttl import State


def state_of(db: sqlite3.Connection, session_id: str) -> State:
    """The conversation's state; an empty one if there is none."""
    row = db.execute(
        'SELECT tool, since, active, unrelated, asked, reason FROM session_states WHERE session_id = ?', (session_id,)
    ).fetchone()
    return State(row[0], row[1], bool(row[2]), row[3], bool(row[4]), row[5]) if row else State()


def set_state(db: sqlite3.Connection, session_id: str, state: State) -> None:
    """Replace the conversation's state, within the caller's transaction."""
    db.execute(
        'INSERT INTO session_states (session_id, tool, since, active, unrelated, asked, reason) '
        'VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET tool = excluded.tool, '
        'since = excluded.since, active = excluded.active, unrelated = excluded.unrelated, '
        'asked = excluded.asked, reason = excluded.reason',
        (session_id, *astuple(state)),
    )
