"""The segments on disk: the same however much is put together at a time, and not put together twice."""

from __future__ import annotations

import pytest
from helpers_main import opened, symbols, update, write

from ctxkit.index import assemble, scratch
from ctxkit.index.base import base_file, changed_file
from ctxkit.index.store import Store
from ctxkit.repo import find

CODE = {f'pack{number}/mod.py': f'def name_{number}():\n    return other_{number % 3}(1)\n' for number in range(9)}


def segment(root) -> bytes:
    file = base_file(find(root))
    file.unlink(missing_ok=True)
    with opened(root):
        return file.read_bytes()


@pytest.mark.parametrize('held', [0, 100, 10_000_000])
def test_same_bytes_whether_postings_are_sorted_in_one_go_or_in_many(git_repo, monkeypatch, held):
    root = git_repo(CODE)
    update(root)
    whole = segment(root)
    monkeypatch.setattr(assemble, 'POSTINGS_AT_ONCE', 7)
    monkeypatch.setattr(scratch, 'MOST_HELD', held)
    monkeypatch.setattr(scratch, 'PIECE', 50)
    assert segment(root) == whole


def test_a_segment_of_many_portions_reads_each_file_of_the_store_once(git_repo, monkeypatch):
    root = git_repo(CODE)
    update(root)
    read = []
    searchable = Store.searchable

    def counted(self, file, model):
        read.append(file)
        return searchable(self, file, model)

    monkeypatch.setattr(assemble, 'POSTINGS_AT_ONCE', 7)
    monkeypatch.setattr(Store, 'searchable', counted)
    segment(root)
    assert len(read) == len(set(read)) == len(CODE)


def test_what_changed_since_the_base_is_put_together_once(git_repo, git, monkeypatch):
    root = git_repo(CODE)
    update(root)
    write(root, {'pack1/mod.py': 'def renamed_function():\n    return 1\n', 'pack2/mod.py': 'def second_one(): pass\n'})
    git(root, 'commit', '-qam', 'change')
    update(root)
    kept = changed_file(find(root)).read_bytes()

    def again(*_):
        raise AssertionError('made again')

    monkeypatch.setattr(assemble, 'stored_parts', again)
    assert symbols(root, 'renamed_function')[0] == 'renamed_function'
    write(root, {'pack2/mod.py': 'def edited_function():\n    return 2\n'})
    assert symbols(root, 'edited_function')[0] == 'edited_function'
    assert 'second_one' not in symbols(root, 'second_one')
    assert changed_file(find(root)).read_bytes() == kept


def test_each_work_tree_has_what_it_changed(git_repo, git, tmp_path):
    root = git_repo(CODE)
    update(root)
    other = tmp_path / 'other'
    git(root, 'worktree', 'add', '-q', '-b', 'other', str(other))
    for tree, name in ((root, 'here'), (other, 'there')):
        write(tree, {'pack1/mod.py': f'def only_{name}():\n    return 1\n'})
        git(tree, 'commit', '-qam', name)
        update(tree)
    for tree, name in ((root, 'here'), (other, 'there'), (root, 'here')):
        assert symbols(tree, 'only function')[0] == f'only_{name}'
