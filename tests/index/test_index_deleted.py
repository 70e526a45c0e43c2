"""An index that was deleted, or that another version wrote: made again from git, no id taken for another."""

from __future__ import annotations

import sqlite3

import pytest
from helpers_index import assert_works, index_of, remove_index
from helpers_main import block, run, search, symbols, update, write

from ctxkit.errors import CtxError
from ctxkit.index.store import Store
from ctxkit.repo import find


def test_index_of_a_newer_version_is_left_alone_with_one_line(work):
    with sqlite3.connect(index_of(work)) as db:
        db.execute('PRAGMA user_version=99')
    db.close()
    before = index_of(work).read_bytes()
    done = run(work, 'search', 'function_3')
    assert done.returncode == 1
    assert 'newer ctxkit' in done.stderr and done.stderr.count('\n') == 1
    assert index_of(work).read_bytes() == before


def test_index_of_an_older_version_is_replaced(work):
    with sqlite3.connect(index_of(work)) as db:
        db.execute('ALTER TABLE file RENAME COLUMN postings TO something')
        db.execute('PRAGMA user_version=1')
    db.close()
    assert_works(work)


def test_deleted_folder_is_made_again(work):
    import shutil

    shutil.rmtree(find(work).data_dir)
    assert 'function_3' in symbols(work, 'function_3')
    assert_works(work)


def test_deleted_index_with_everything_else_left_gives_no_wrong_answer(work, git):
    """Ids of a new database must not be taken for those that a manifest or a segment remembers."""
    remove_index(work)
    write(work, {'mod2.py': 'LIMIT = 1\n\n\ndef other_name():\n    return 1\n\n\ndef third():\n    pass\n'})
    git(work, 'commit', '-qam', 'other')
    update(work)
    found = {place.symbol: place for place in search(work, 'other_name third function_2')}
    assert found['other_name'].start_line == 4
    assert 'function_2' not in found


def test_deleted_index_is_noticed_by_every_worktree(work, git, tmp_path):
    other = tmp_path / 'second'
    git(work, 'worktree', 'add', '-q', str(other), '-b', 'second')
    write(other, {'aaa.py': 'def first_of_all(): pass\n'})
    git(other, 'add', '-A')
    git(other, 'commit', '-qm', 'one more')
    update(other)
    remove_index(work)
    update(other)
    assert 'function_3' in symbols(work, 'function_3')
    assert 'return value + 3' in block(work, 'function_3').to_xml()


def test_collected_ids_are_not_used_again(git_repo, git):
    root = git_repo({'a.py': 'def aaa():\n    return 1\n', 'z.py': 'def zzz():\n    return 1\n'})
    update(root)
    git(root, 'rm', '-q', 'z.py')
    git(root, 'commit', '-qm', 'gone')
    update(root)
    assert run(root, 'gc', '--days', '0').returncode == 0
    write(root, {'z.py': 'LIMIT = 3\n\n\ndef brand_new():\n    return 1\n'})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'new')
    update(root)
    found = {place.symbol: place.start_line for place in search(root, 'brand_new zzz')}
    assert found.get('brand_new') == 4
    assert 'zzz' not in found


def test_index_that_another_process_made_anew_is_not_removed(work):
    with pytest.raises(CtxError, match='was damaged'), Store(find(work).data_dir):
        remove_index(work)
        update(work)
        raise sqlite3.DatabaseError('what was opened is damaged')
    assert update(work).sliced_files == 0
