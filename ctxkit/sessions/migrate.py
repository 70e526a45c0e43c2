"""The schema of the log, and the migration of an older log: in place, in one transaction, losing no message.

`chat_messages` and `session_states` are the tables that such logs already have; missing columns, such as the flag, are
added by ALTER TABLE. Content is append-only: a trigger prevents changes to what a row says.
"""

from __future__ import annotations

import sqlite3

from ctxkit.sessions.message import moment

VERSION = 2
MESSAGES = {
    'id': 'INTEGER PRIMARY KEY AUTOINCREMENT',
    'session_id': "TEXT NOT NULL DEFAULT ''",
    'role': "TEXT NOT NULL DEFAULT ''",
    'content': "TEXT NOT NULL DEFAULT ''",
    'is_ephemeral': 'INTEGER DEFAULT 0',
    'tool': "TEXT NOT NULL DEFAULT ''",
    'call_id': "TEXT NOT NULL DEFAULT ''",
    'turn': 'INTEGER NOT NULL DEFAULT 0',
    'time': 'REAL NOT NULL DEFAULT 0',  # when it was said, in epoch seconds
    'logged': 'REAL NOT NULL DEFAULT 0',  # when it was logged; an imported message may be older
    'transaction_completed': 'INTEGER NOT NULL DEFAULT 0',
    'related': 'INTEGER',  # user message: was it about the active ephemeral context; NULL if none was active
    'source': 'TEXT',  # imported message: its identity in the transcript, so that importing twice adds nothing
}
STATES = {
    'session_id': 'TEXT PRIMARY KEY',
    'tool': "TEXT NOT NULL DEFAULT ''",
    'since': 'INTEGER NOT NULL DEFAULT 0',
    'active': 'INTEGER NOT NULL DEFAULT 0',
    'unrelated': 'INTEGER NOT NULL DEFAULT 0',
    'asked': 'INTEGER NOT NULL DEFAULT 0',
    'reason': "TEXT NOT NULL DEFAULT ''",
}
# The model's channel must not read through ephemeral rows, so its index holds none.
INDEXES = (
    'CREATE INDEX IF NOT EXISTS chat_messages_session ON chat_messages (session_id, id)',
    'CREATE INDEX IF NOT EXISTS chat_messages_model ON chat_messages (session_id, id) WHERE is_ephemeral = 0',
    "CREATE INDEX IF NOT EXISTS chat_messages_user ON chat_messages (session_id, id) WHERE role = 'user'",
    'CREATE INDEX IF NOT EXISTS chat_messages_answer ON chat_messages (session_id, id) '
    "WHERE role = 'assistant' AND is_ephemeral = 0",
    "CREATE INDEX IF NOT EXISTS chat_messages_call ON chat_messages (session_id, call_id) WHERE call_id != ''",
    'CREATE UNIQUE INDEX IF NOT EXISTS chat_messages_source ON chat_messages (session_id, source) '
    'WHERE source IS NOT NULL',
    'CREATE TRIGGER IF NOT EXISTS chat_messages_append_only '
    'BEFORE UPDATE OF id, session_id, role, content, tool, call_id, turn, time ON chat_messages '
    "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
)
OLDER_TIMES = ('created_at', 'timestamp', 'ts', 'date', 'created')


def migrate(db: sqlite3.Connection) -> None:
    """Bring an empty or older database to VERSION; a current one is left alone. Call it inside a transaction."""
    if db.execute('PRAGMA user_version').fetchone()[0] >= VERSION:
        return
    db.execute('DROP TRIGGER IF EXISTS chat_messages_append_only')  # it would block the migration; made anew below
    older = _adopt(db, 'chat_messages', MESSAGES)
    _adopt(db, 'session_states', STATES)
    if older:
        db.execute('UPDATE chat_messages SET is_ephemeral = 0 WHERE is_ephemeral IS NULL')
        db.execute("UPDATE chat_messages SET logged = strftime('%s', 'now') WHERE logged = 0")
        _number_turns(db)
        _redact(db)
    for statement in INDEXES:
        db.execute(statement)
    db.execute(f'PRAGMA user_version = {VERSION}')


def _adopt(db: sqlite3.Connection, table: str, wanted: dict[str, str]) -> bool:
    """Create the table (False), or give an older one its missing columns (True).

    An older table that could not take our rows (a mandatory column of its own, another key) is rebuilt.
    """
    existing = {row[1]: row for row in db.execute(f'PRAGMA table_info({table})')}
    columns = ', '.join(f'{name} {kind}' for name, kind in wanted.items())
    if not existing:
        db.execute(f'CREATE TABLE {table} ({columns})')
        return False
    key = next(iter(wanted))
    keys = [name for name, row in existing.items() if row[5]]
    must_be_given = [name for name, row in existing.items() if name not in wanted and row[3] and row[4] is None]
    time = next((name for name in OLDER_TIMES if name in existing), '') if table == 'chat_messages' else ''
    if keys == [key] and not must_be_given:
        for name, kind in wanted.items():
            if name not in existing:
                db.execute(f'ALTER TABLE {table} ADD COLUMN {name} {kind}')
        if time and 'time' not in existing:
            db.executemany(
                f'UPDATE {table} SET time = ? WHERE {key} = ?',
                [
                    (moment(said) or 0.0, name)
                    for name, said in db.execute(f'SELECT {key}, {time} FROM {table}').fetchall()
                ],
            )
        return True
    db.execute(f'ALTER TABLE {table} RENAME TO {table}_older')
    db.execute(f'CREATE TABLE {table} ({columns})')
    both = [name for name in wanted if name in existing]
    values = [_given(name, wanted[name]) for name in both]
    if time and 'time' not in existing:
        db.create_function('moment', 1, lambda said: moment(said) or 0.0)
        both, values = [*both, 'time'], [*values, f'moment({time})']
    db.execute(
        f'INSERT OR REPLACE INTO {table} ({", ".join(both)}) SELECT {", ".join(values)} FROM {table}_older '
        'ORDER BY rowid'
    )
    db.execute(f'DROP TABLE {table}_older')
    return True


def _given(name: str, kind: str) -> str:
    """An SQL expression for the column's value, with its default in place of NULL."""
    _, _, default = kind.partition(' DEFAULT ')
    return f'coalesce({name}, {default})' if default else name


def _redact(db: sqlite3.Connection) -> None:
    """Redact the content of an older log, which was written without the secret filter."""
    from ctxkit.safety.secrets import redact

    changed = []
    for row, content in db.execute('SELECT id, content FROM chat_messages'):
        if isinstance(content, str) and (safe := redact(content)) != content:
            changed.append((safe, row))
    db.executemany('UPDATE chat_messages SET content = ? WHERE id = ?', changed)


def _number_turns(db: sqlite3.Connection) -> None:
    """Number the turns: each user message begins one, and what is said before the first is turn 0."""
    turns: dict[str, int] = {}
    numbered = []
    for row, session, role in db.execute('SELECT id, session_id, role FROM chat_messages ORDER BY id'):
        turns[session] = turns.get(session, 0) + (role == 'user')
        numbered.append((turns[session], row))
    db.executemany('UPDATE chat_messages SET turn = ? WHERE id = ?', numbered)
