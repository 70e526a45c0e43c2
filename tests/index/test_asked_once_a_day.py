"""The store is asked for each file of a tree once a day; an event asks for what it changed."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

import pytest
from helpers_main import status_of, symbols, update, write

from ctxkit.index.store import Store
from ctxkit.repo import find

CODE = {f'pack{number}/mod.py': f'def name_{number}():\n    return other_{number}(1)\n' for number in range(30)}


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """The hints (folder and name) of the files that the store is asked for."""
    hints: list[str] = []
    known = Store.known

    def noted(self, keys):
        keys = list(keys)
        hints.extend(key.path_hint for key in keys)
        return known(self, keys)

    monkeypatch.setattr(Store, 'known', noted)
    return hints


def test_an_event_asks_the_store_for_what_it_changed(git_repo, git, asked):
    root = git_repo(CODE)
    update(root)
    write(root, {'pack1/mod.py': 'def renamed_function():\n    return 1\n'})
    git(root, 'commit', '-qam', 'change')
    asked.clear()
    update(root)
    assert 'pack1/mod.py' in asked and len(set(asked)) <= 2
    assert symbols(root, 'renamed_function')[0] == 'renamed_function'


def test_each_day_all_files_are_asked_for_and_noted_as_in_use(git_repo, asked):
    root, now = git_repo(CODE), time.time()
    update(root, now=now)
    asked.clear()
    update(root, now=now + 86400)
    assert set(asked) == set(CODE)
    with closing(sqlite3.connect(find(root).data_dir / 'index.db')) as db:
        assert db.execute('SELECT DISTINCT seen FROM file').fetchall() == [(int(now // 86400) + 1,)]


def test_what_was_skipped_is_told_after_an_event_that_did_not_look_at_it(git_repo, git):
    root = git_repo({**CODE, 'data.bin': 'a\0b' * 100, 'left.py': 'def left(): pass\n'})
    update(root)
    before = status_of(root)['skipped']
    assert [one['path'] for one in before] == ['data.bin']
    write(root, {'pack1/mod.py': 'def renamed_function():\n    return 1\n'})
    git(root, 'commit', '-qam', 'change')
    update(root)
    assert status_of(root)['skipped'] == before


def test_a_limit_that_was_changed_counts_at_once(git_repo):
    root = git_repo({**CODE, 'long.py': 'def long_one():\n    return 1\n' + '# comment\n' * 500})
    update(root)
    assert update(root, slicing__max_file_bytes=2000).skipped[0][0] == 'long.py'
    assert update(root).skipped == ()


def test_an_index_that_lost_its_last_writes_is_not_believed(git_repo, git):
    root = git_repo(CODE)
    update(root)
    file = find(root).data_dir / 'index.db'
    with closing(sqlite3.connect(file)) as db, closing(sqlite3.connect(root / 'older.db')) as older:
        db.backup(older)
    write(root, {'lost/lost.py': 'def lost_function():\n    return 1\n'})
    git(root, 'add', 'lost')
    git(root, 'commit', '-qm', 'one')
    update(root)
    for suffix in ('-wal', '-shm'):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    (root / 'older.db').replace(file)
    write(root, {'pack1/mod.py': 'def next_function():\n    return 2\n'})
    git(root, 'commit', '-qam', 'two')
    update(root)
    assert symbols(root, 'lost_function')[0] == 'lost_function'
    assert symbols(root, 'next_function')[0] == 'next_function'
