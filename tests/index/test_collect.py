"""gc drops what no tree needs, and never what a present work tree needs."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time

import pytest
from helpers_main import block, run, settings, status_of, stored_files, symbols, update, write

from ctxkit.index import collect as collecting
from ctxkit.index.base import changed_file
from ctxkit.index.collect import collect
from ctxkit.index.store import Store
from ctxkit.repo import find

DAY = 86400


@pytest.fixture
def work(git_repo, git):
    """A repository with a past: one file was replaced, one removed."""
    root = git_repo({'a.py': 'def first(): pass\n', 'b.py': 'def second(): pass\n', 'c.py': 'def third(): pass\n'})
    update(root)
    write(root, {'a.py': 'def replaced(): pass\n'})
    git(root, 'rm', '-q', 'b.py')
    git(root, 'commit', '-qam', 'change')
    update(root)
    return root


def test_old_content_goes_and_the_tree_stays(work):
    assert stored_files(work) == 4
    done = collect(find(work), settings(), time.time() + 31 * DAY, 30)
    assert (done.files, done.trees, stored_files(work)) == (2, 0, 2)
    assert update(work).sliced_files == 0
    assert 'replaced' in symbols(work, 'replaced') and 'third' in symbols(work, 'third')
    assert 'def third' in block(work, 'third').to_xml()


def test_what_was_used_lately_stays(work):
    assert collect(find(work), settings(), time.time() + 10 * DAY, 30).files == 0
    assert stored_files(work) == 4


def test_days_0_keeps_only_present_trees(work):
    assert collect(find(work), settings(), time.time(), 0).files == 2


def test_tree_of_every_present_worktree_stays(work, git, tmp_path):
    other = tmp_path / 'other'
    git(work, 'worktree', 'add', '-q', str(other), 'HEAD~1', '--detach')
    update(other)
    assert collect(find(work), settings(), time.time() + 90 * DAY, 30).files == 0
    assert update(other).sliced_files == 0
    assert 'second' in symbols(other, 'second')
    shutil.rmtree(other)
    done = collect(find(work), settings(), time.time() + 90 * DAY, 30)
    assert (done.files, done.trees) == (2, 1)
    assert update(work).sliced_files == 0


def test_branch_that_was_collected_is_indexed_again(work, git):
    collect(find(work), settings(), time.time() + 90 * DAY, 30)
    git(work, 'checkout', '-q', 'HEAD~1')
    assert update(work).sliced_files == 2
    assert 'second' in symbols(work, 'second')


def test_space_is_given_back(git_repo, git):
    root = git_repo({f'm{number}.py': f'def f{number}():\n    return {number}\n' * 200 for number in range(30)})
    update(root)
    git(root, 'rm', '-q', 'm*.py')
    write(root, {'left.py': 'x = 1\n'})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'less')
    update(root)
    file = find(root).data_dir / 'index.db'
    done = collect(find(root), settings(), time.time() + 90 * DAY, 30)
    assert done.after < done.before / 4
    assert file.stat().st_size <= done.after + 8192


def test_command_says_what_went(work):
    done = run(work, 'gc')
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.startswith('deleted 0 file versions and ')


def test_index_is_bounded_by_itself(work, monkeypatch):
    monkeypatch.setattr(collecting, 'BOUND_BYTES', 1)
    update(work, now=time.time() + 30 * DAY)
    assert stored_files(work) == 2
    assert status_of(work)['files'] == 2


def test_what_cannot_bring_more_is_tried_once_a_day(work, monkeypatch):
    monkeypatch.setattr(collecting, 'BOUND_BYTES', 1)
    tried = []
    monkeypatch.setattr(collecting, 'collect', lambda repo, settings, now, *_: tried.append(now // DAY))
    today = time.time() // DAY * DAY
    for now in (today, today + 5, today + DAY, today + DAY + 5):
        update(work, now=now)
    assert tried == [today // DAY, today // DAY + 1]


def test_a_large_database_is_not_written_anew_for_the_little_that_goes(work, git, monkeypatch):
    for count in (40, 400):
        many = [f'def long_function_{n}(one, two):\n    return other_{n}(one) + two\n' for n in range(count)]
        write(work, {'large.py': '\n\n'.join(many)})
        git(work, 'add', '-A')
        git(work, 'commit', '-qm', 'large')
        update(work)
    file = find(work).data_dir / 'index.db'
    monkeypatch.setattr(collecting, 'BOUND_BYTES', 1)
    before, size = stored_files(work), file.stat().st_size
    update(work, now=time.time() + 30 * DAY)
    assert stored_files(work) < before and file.stat().st_size == size
    collect(find(work), settings(), time.time(), 30)
    assert file.stat().st_size < size


def test_update_is_done_although_tidying_up_fails(work, monkeypatch):
    monkeypatch.setattr(collecting, 'BOUND_BYTES', 1)

    def full(store, worth_it):
        raise sqlite3.OperationalError('database or disk is full')

    monkeypatch.setattr(Store, 'compact', full)
    assert update(work, now=time.time() + 30 * DAY).files == 2


def test_what_is_kept_of_work_trees_that_are_gone_goes_with_an_update(work, git, tmp_path, monkeypatch):
    monkeypatch.setattr(collecting, 'BOUND_TREES', 6)
    kept = find(work).data_dir / 'trees'
    for number in range(4):
        other = tmp_path / f'other{number}'
        git(work, 'worktree', 'add', '-q', '--detach', str(other))
        write(other, {'new.py': f'def new_{number}(): pass\n'})
        git(other, 'add', '-A')
        git(other, 'commit', '-qm', 'new')
        update(other)
        assert changed_file(find(other)).is_file()
        git(work, 'worktree', 'remove', '--force', str(other))
    update(work)
    assert {file.name.partition('.')[0] for file in kept.iterdir()} == {find(work).tree_file('').name}


def test_half_files_of_killed_processes_go_with_an_update(work):
    folders = (work / '.ctx', find(work).data_dir, find(work).data_dir / 'trees')
    for folder in folders:
        for name, age in (('.base.segment.x7.tmp', 7200), ('.base.segment.x8.tmp', 60), ('mine.tmp', 7200)):
            (folder / name).write_text('half')
            os.utime(folder / name, (time.time() - age,) * 2)
    update(work)
    for folder in folders:
        assert sorted(file.name for file in folder.glob('*.tmp')) == ['.base.segment.x8.tmp', 'mine.tmp']


def test_update_after_a_month_keeps_the_tree_in_use(work):
    later = time.time() + 31 * DAY
    update(work, now=later)
    assert collect(find(work), settings(), later + 5 * DAY, 30).files == 2
    assert 'third' in symbols(work, 'third')
