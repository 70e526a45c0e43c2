"""An older log keeps its messages and gets the flag."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from ctxkit.sessions import channels, log, person
from ctxkit.sessions.database import FILE, opened
from ctxkit.sessions.message import Message
from ctxkit.sessions.ttl import Judgement
from ctxkit.settings import SessionSettings

MINIMAL = """
CREATE TABLE chat_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT);
CREATE TABLE session_states (session_id TEXT PRIMARY KEY, state TEXT);
INSERT INTO session_states VALUES ('a', '{"tool": "editor"}');
"""
DATED = """
CREATE TABLE chat_messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
                            created_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE session_states (session_id TEXT, key TEXT NOT NULL, value TEXT, PRIMARY KEY (session_id, key));
INSERT INTO session_states VALUES ('a', 'tool', 'editor'), ('a', 'step', '2');
"""
STUBBORN = """
CREATE TABLE chat_messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
                            timestamp REAL NOT NULL, model TEXT NOT NULL, is_ephemeral INTEGER);
"""


def older(folder, schema, rows, columns):
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        db.executescript(schema)
        marks = ', '.join('?' * (columns.count(',') + 1))
        db.executemany(f'INSERT INTO chat_messages ({columns}) VALUES ({marks})', rows)
        db.commit()


def unrelated(*_):
    return Judgement(False, '')


@pytest.mark.parametrize(
    ('schema', 'columns', 'extra'),
    [
        (MINIMAL, 'session_id, role, content', ()),
        (DATED, 'session_id, role, content, created_at', ('2026-01-02 03:04:05',)),
        (STUBBORN, 'session_id, role, content, timestamp, model', (1767323045.0, 'm')),
    ],
)
def test_an_older_log_is_migrated_in_place(tmp_path, schema, columns, extra):
    rows = [('a', 'user', 'hello', *extra), ('a', 'assistant', 'hi', *extra), ('b', 'user', 'other', *extra)]
    older(tmp_path / '.ctx', schema, rows, columns)
    with opened(tmp_path / '.ctx') as db:
        entries = list(channels.person(db, 'a'))
        assert [(entry.role, entry.content, entry.ephemeral, entry.turn) for entry in entries] == [
            ('user', 'hello', False, 1),
            ('assistant', 'hi', False, 1),
        ]
        if extra:
            assert {entry.time for entry in entries} == {1767323045.0}
        assert [entry.content for entry in channels.model(db, 'a')] == ['hello', 'hi']
        log.append(db, Message('a', 'tool', 'draft', 'page_preview'), SessionSettings(), 1.0, unrelated)
        assert [entry.content for entry in channels.active(db, 'a')] == ['draft']
        person.done(db, 'a')
        assert db.execute("SELECT count(*) FROM session_states WHERE session_id = 'a'").fetchone() == (0,)
    with opened(tmp_path / '.ctx') as db:
        assert [entry.content for entry in channels.person(db, 'b')] == ['other']


def test_the_flag_of_the_plan_itself_is_understood(tmp_path):
    older(
        tmp_path / '.ctx',
        MINIMAL + 'ALTER TABLE chat_messages ADD COLUMN is_ephemeral INTEGER DEFAULT 0;',
        [('a', 'user', 'hello', 0), ('a', 'assistant', 'a preview', 1)],
        'session_id, role, content, is_ephemeral',
    )
    with opened(tmp_path / '.ctx') as db:
        assert [entry.content for entry in channels.model(db, 'a')] == ['hello']
        assert [entry.content for entry in channels.person(db, 'a')] == ['hello', 'a preview']
        # What another program filters by is what we filter by.
        assert db.execute(
            "SELECT role, content FROM chat_messages WHERE session_id = 'a' AND is_ephemeral = 0 "
            'ORDER BY id DESC LIMIT 12'
        ).fetchall() == [('user', 'hello')]


def test_missing_content_and_foreign_bytes_are_read(tmp_path):
    older(tmp_path / '.ctx', MINIMAL, [('a', 'user', None), ('a', 'user', b'\xff bytes')], 'session_id, role, content')
    with opened(tmp_path / '.ctx') as db:
        assert [entry.content for entry in channels.person(db, 'a')] == ['', '\ufffd bytes']


def test_migrating_twice_changes_nothing(tmp_path):
    older(tmp_path / '.ctx', MINIMAL, [('a', 'user', 'hello')], 'session_id, role, content')
    schemas = []
    for _ in range(2):
        with opened(tmp_path / '.ctx') as db:
            schemas.append(db.execute('SELECT name, sql FROM sqlite_master ORDER BY name').fetchall())
    assert schemas[0] == schemas[1]


def test_secrets_of_an_older_log_are_redacted(tmp_path):
    token = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
    older(tmp_path / '.ctx', MINIMAL, [('a', 'user', f'use {token}')], 'session_id, role, content')
    with opened(tmp_path / '.ctx') as db:
        assert [token in entry.content for entry in channels.person(db, 'a')] == [False]
