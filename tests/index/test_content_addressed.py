"""What was sliced once is never sliced again: the index is keyed by content, not by time, branch or work tree."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers_main import block, search, status_of, stored_files, symbols, update, write

from ctxkit.index.base import base_file
from ctxkit.repo import find

CODE = {
    'app/one.py': 'def alpha(value):\n    """First."""\n    return value + 1\n',
    'app/two.py': 'def beta(value):\n    return value * 2\n',
    'README.md': '# Title\n\nSome words about widgets.\n',
}


@pytest.fixture
def work(git_repo):
    root = git_repo(CODE)
    update(root)
    return root


def commit(root, git, files, message='change'):
    write(root, files)
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', message)


def test_first_update_slices_every_file_and_the_second_none(git_repo):
    root = git_repo(CODE)
    first = update(root)
    assert (first.sliced_files, first.files) == (3, 3)
    assert first.embedded_chunks == first.chunks > 2
    second = update(root)
    assert (second.sliced_files, second.embedded_chunks, second.chunks) == (0, 0, first.chunks)


def test_commit_slices_only_what_it_changed(work, git):
    commit(work, git, {'app/two.py': 'def beta(value):\n    return value * 3\n', 'app/new.py': 'def gamma(): pass\n'})
    done = update(work)
    assert (done.sliced_files, done.files) == (2, 4)


def test_switching_back_to_a_branch_slices_and_embeds_nothing(work, git):
    git(work, 'checkout', '-qb', 'side')
    commit(work, git, {'app/two.py': 'def delta():\n    return 4\n'})
    update(work)
    for branch, there, gone in (('main', 'beta', 'delta'), ('side', 'delta', 'beta')):
        git(work, 'checkout', '-q', branch)
        update(work)
        status = status_of(work)
        assert (status['branch'], status['sliced_files'], status['embedded_chunks']) == (branch, 0, 0)
        assert there in symbols(work, there)
        assert gone not in symbols(work, gone)


def test_rebase_that_changes_no_content_slices_nothing(work, git):
    git(work, 'commit', '-q', '--amend', '-m', 'other words')
    assert update(work).sliced_files == 0


def test_second_worktree_shares_the_index(work, git, tmp_path):
    git(work, 'worktree', 'add', '-q', str(tmp_path / 'second'), '-b', 'second')
    done = update(tmp_path / 'second')
    assert (done.sliced_files, done.embedded_chunks, done.files) == (0, 0, 3)
    assert not (tmp_path / 'second' / '.git').is_dir()
    assert 'alpha' in symbols(tmp_path / 'second', 'alpha')


def test_worktrees_on_different_commits_each_see_their_own_tree(work, git, tmp_path):
    other = tmp_path / 'second'
    git(work, 'worktree', 'add', '-q', str(other), '-b', 'second')
    commit(other, git, {'app/one.py': 'def renamed(value):\n    return value\n'})
    update(other)
    assert 'renamed' in symbols(other, 'renamed')
    assert 'renamed' not in symbols(work, 'renamed')
    assert 'alpha' in symbols(work, 'alpha')
    assert 'alpha' not in symbols(other, 'alpha')


def test_worktree_inside_the_repository_is_not_indexed_twice(work, git):
    git(work, 'worktree', 'add', '-q', str(work / 'agents' / 'one'), '-b', 'agent')
    assert [place.path for place in search(work, 'alpha') if place.symbol == 'alpha'] == ['app/one.py']


def test_file_that_moves_with_its_folder_is_not_sliced_again(work, git):
    git(work, 'mv', 'app', 'application')
    git(work, 'commit', '-qm', 'move')
    # The last folder is part of what the model reads, so a new name of it is new content ...
    assert update(work).sliced_files == 2
    (work / 'src').mkdir()
    git(work, 'mv', 'application', 'src/application')
    git(work, 'commit', '-qm', 'move deeper')
    # ... and the folders above are not.
    done = update(work)
    assert done.sliced_files == 0
    assert [place.path for place in search(work, 'alpha')][:1] == ['src/application/one.py']


def test_same_content_twice_in_a_tree_is_stored_once(git_repo):
    text = 'def same():\n    return 1\n'
    root = git_repo({'a/x/mod.py': text, 'b/x/mod.py': text})
    done = update(root)
    assert stored_files(root) == 1
    assert done.files == 2
    assert {place.path for place in search(root, 'same')} == {'a/x/mod.py', 'b/x/mod.py'}


def test_touching_files_without_a_change_costs_nothing(work):
    for path in CODE:
        (work / path).touch()
    assert update(work).sliced_files == 0


def test_touched_clock_does_not_make_old_content_fresh(work, git):
    import os

    old = (work / 'app/two.py').stat()
    commit(work, git, {'app/two.py': 'def beta(value):\n    return value + 2\n\n\ndef late(): pass\n'})
    os.utime(work / 'app/two.py', ns=(old.st_atime_ns, old.st_mtime_ns))
    assert 'late' in symbols(work, 'late')


def test_a_program_that_workers_cannot_start_again_indexes_all_the_same(git_repo):
    """A program read from standard input or typed in a notebook has no file that a worker process could import."""
    root = git_repo({f'm{number}.py': f'def function_{number}():\n    return {number}\n' for number in range(150)})
    program = (
        'from pathlib import Path; from ctxkit import config, pipeline, repo\n'
        'done = pipeline.update(repo.find(Path.cwd()), config.Settings(), now=1e9)\n'
        'print(done.files, done.sliced_files)\n'
    )
    done = subprocess.run([sys.executable, '-'], cwd=root, input=program, capture_output=True, text=True)
    assert done.stdout.split() == ['150', '150'], done.stderr


def test_same_tree_gives_the_same_answers_whatever_was_indexed_before(work, git):
    """What is gone counts for nothing, and what ranks the same stands in the order of the tree."""
    same = 'def resize_widget(width):\n    """Resize it."""\n    return helper(width)\n'
    commit(work, git, {f'widgets/widget_{number}.py': f'def other_{number}(): pass\n' for number in range(6)})
    commit(work, git, {'m/same.py': same, 'm/call.py': 'def helper(x):\n    return x\n'})
    base_file(find(work)).unlink()
    update(work)
    git(work, 'rm', '-qr', 'widgets')
    commit(work, git, {'a/same.py': same, 'z/same.py': same, 'z/widget.py': 'def size(): pass\n'})
    update(work)
    write(work, {'b/same.py': same})

    def answers():
        found = [search(work, query) for query in ('resize_widget', 'widget', 'how is a widget resized')]
        return found, block(work, 'how is a widget resized', now=2e9).to_xml(), context(work)

    def context(root):
        update(root, now=2e9)
        return (root / '.ctx' / 'context.xml').read_text('utf-8')

    before = answers()
    base_file(find(work)).unlink()
    assert answers() == before
    paths = [place.path for place in before[0][0]]
    assert paths[:4] == ['a/same.py', 'b/same.py', 'm/same.py', 'z/same.py']
