"""The tables of one repository's memory, and how its database is opened; `store.py` says what they hold."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ctxkit.safety.database import private_file

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS statements(
    id TEXT PRIMARY KEY, conversation TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, who TEXT NOT NULL,
    agent TEXT NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL, at REAL NOT NULL, cwd TEXT NOT NULL,
    branch TEXT NOT NULL, chosen TEXT NOT NULL, instead_of TEXT NOT NULL, negative INTEGER NOT NULL,
    fact TEXT NOT NULL, anchors TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS statements_conversation ON statements(conversation);
CREATE TABLE IF NOT EXISTS rulings(fact TEXT PRIMARY KEY, ruling TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS places(
    path TEXT NOT NULL, key TEXT NOT NULL, agent TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    conversation TEXT NOT NULL, session TEXT NOT NULL, cwd TEXT NOT NULL, reason TEXT NOT NULL,
    updated REAL NOT NULL, PRIMARY KEY(path, key));
CREATE TABLE IF NOT EXISTS conversations(
    conversation TEXT PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, path TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL, turns INTEGER NOT NULL,
    updated REAL NOT NULL, synopsis TEXT NOT NULL, workflows TEXT NOT NULL, skipped INTEGER NOT NULL,
    unknown TEXT NOT NULL, extractor INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS forgotten(conversation TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS jobs(
    kind TEXT NOT NULL, key TEXT NOT NULL, status TEXT NOT NULL, token TEXT NOT NULL, lease_until REAL NOT NULL,
    retry_at REAL NOT NULL, retries INTEGER NOT NULL, error TEXT NOT NULL, input INTEGER NOT NULL,
    done INTEGER NOT NULL, PRIMARY KEY(kind, key));
CREATE TABLE IF NOT EXISTS documents(
    root TEXT NOT NULL, name TEXT NOT NULL, generated TEXT NOT NULL, pending TEXT NOT NULL, PRIMARY KEY(root, name));
CREATE TABLE IF NOT EXISTS units(blob TEXT NOT NULL, path TEXT NOT NULL, units TEXT NOT NULL,
    PRIMARY KEY(blob, path));
"""


class Connection(sqlite3.Connection):
    """A connection that accepts strings that are not valid Unicode, such as a folder's name from an older system.
    SQLite refuses them, so their bytes are written as escapes."""

    def execute(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:  # type: ignore[override]
        """Like `sqlite3.Connection.execute`."""
        return super().execute(statement, [_whole(value) for value in values])

    def executemany(self, statement: str, rows: Iterable[Iterable[Any]]) -> sqlite3.Cursor:  # type: ignore[override]
        """Like `sqlite3.Connection.executemany`."""
        return super().executemany(statement, ([_whole(value) for value in row] for row in rows))


def _whole(value: Any) -> Any:
    return value.encode('utf-8', 'backslashreplace').decode('utf-8') if isinstance(value, str) else value


def connect(file: Path) -> Connection:
    """Open the database at `file`, creating it if needed. An unreadable one is moved aside and made anew."""
    try:
        return _connect(file)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        os.replace(file, file.with_suffix('.broken'))
        for tail in ('-wal', '-shm'):
            Path(f'{file}{tail}').unlink(missing_ok=True)
        return _connect(file)


def _connect(file: Path) -> Connection:
    db = sqlite3.connect(private_file(file), isolation_level=None, timeout=30, factory=Connection)
    try:
        db.execute('PRAGMA busy_timeout=30000')
        db.execute('PRAGMA journal_mode=WAL')
        db.execute('PRAGMA synchronous=NORMAL')
        db.executescript(SCHEMA)
    except BaseException:
        db.close()
        raise
    return db


def meta(db: Connection, key: str) -> str:
    """The single value kept under `key`; '' if it was never set."""
    row = db.execute('SELECT value FROM meta WHERE key=?', (key,)).fetchone()
    return str(row[0]) if row else ''


def set_meta(db: Connection, key: str, value: str) -> None:
    """Set the single value kept under `key`."""
    db.execute('INSERT INTO meta VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value', (key, value))
