"""Many writers at once, and writers that are killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from ctxkit.sessions import channels
from ctxkit.sessions.database import FILE, opened

WRITER = """
import sys
from pathlib import Path
from ctxkit.settings import SessionSettings
from ctxkit.sessions.database import opened
from ctxkit.sessions.log import append
from ctxkit.sessions.ttl import Judgement
from ctxkit.sessions.message import Message
folder, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with opened(folder, make=True) as db:
    for n in range(number):
        session = 'shared' if n % 2 else name
        tool = 'page_preview' if n % 3 == 0 else ''
        append(db, Message(session, 'tool' if tool else 'user', f'{name} {n}', tool), SessionSettings(), n,
               lambda *_: Judgement(False, ''))
        print(n, flush=True)
"""


def start(folder, name, number):
    return subprocess.Popen([sys.executable, '-c', WRITER, str(folder), name, str(number)], stdout=subprocess.PIPE)


def test_eight_writers_at_once_lose_nothing(tmp_path):
    folder = tmp_path / '.ctx'
    writers = [start(folder, f'w{number}', 60) for number in range(8)]
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0] * 8
    with opened(folder) as db:
        kept = [row[0] for row in db.execute('SELECT content FROM chat_messages')]
    assert sorted(kept) == sorted(f'w{writer} {n}' for writer in range(8) for n in range(60))


@pytest.mark.skipif(sys.platform == 'win32', reason='needs SIGKILL')
def test_a_writer_killed_at_any_moment_leaves_a_whole_database(tmp_path):
    folder = tmp_path / '.ctx'
    with opened(folder, make=True):
        pass
    for attempt in range(6):
        writer = start(folder, f'w{attempt}', 100_000)
        for _ in range(3 + 17 * attempt):
            writer.stdout.readline()
        time.sleep(0.003 * attempt)
        os.kill(writer.pid, signal.SIGKILL)
        said = [int(line) for line in writer.communicate()[0].split()]
        with opened(folder) as db:
            assert db.execute('PRAGMA integrity_check').fetchone() == ('ok',)
            kept = {row[0] for row in db.execute('SELECT content FROM chat_messages')}
            # What the writer had reported is there.
            assert all(f'w{attempt} {n}' in kept for n in said)
            # Each state belongs to a message that is there: they were written together.
            orphans = db.execute(
                'SELECT count(*) FROM session_states s WHERE active = 1 AND NOT EXISTS (SELECT 1 FROM '
                'chat_messages m WHERE m.session_id = s.session_id AND m.id = s.since)'
            ).fetchone()
            assert orphans == (0,)


def test_a_reader_does_not_wait_for_a_writer(tmp_path):
    with opened(tmp_path / '.ctx', make=True) as writer:
        writer.execute('BEGIN IMMEDIATE')
        writer.execute("INSERT INTO chat_messages (session_id, role, content) VALUES ('s', 'user', 'not yet')")
        with opened(tmp_path / '.ctx') as reader:
            assert channels.model(reader, 's') == []
        writer.execute('COMMIT')
        with opened(tmp_path / '.ctx') as reader:
            assert [entry.content for entry in channels.model(reader, 's')] == ['not yet']


def test_the_channels_read_no_more_than_they_show(tmp_path):
    """The plan of the queries: each is a search in an index, however long the log is."""
    with opened(tmp_path / '.ctx', make=True) as db:
        plans = []
        db.set_trace_callback(lambda statement: plans.append(statement))
        channels.model(db, 's')
        channels.active(db, 's')
        channels.latest(db)
        db.set_trace_callback(None)
        steps = []
        for statement in plans:
            plan = [row[3] for row in db.execute(f'EXPLAIN QUERY PLAN {statement}', [None] * statement.count('?'))]
            assert all('USING' in step and 'B-TREE' not in step or step == 'SCAN chat_messages' for step in plan), plan
            steps += plan
        assert 'chat_messages_model' in str(steps)


def test_the_file_is_an_ordinary_database_for_other_programs(tmp_path):
    with opened(tmp_path / '.ctx', make=True):
        pass
    other = sqlite3.connect(tmp_path / '.ctx' / FILE)
    try:
        other.execute("INSERT INTO chat_messages (session_id, role, content) VALUES ('s', 'user', 'from elsewhere')")
        other.commit()
    finally:
        other.close()
    with opened(tmp_path / '.ctx') as db:
        assert json.dumps([entry.content for entry in channels.model(db, 's')]) == '["from elsewhere"]'
