"""The hook command, and what every command does outside a repository, in an empty one, and with links in its way."""

from __future__ import annotations

import os

import pytest
from helpers_events import ctxkit, log, settle, updates


@pytest.mark.parametrize(('word', 'meant'), [('serch', 'search'), ('rendre', 'render'), ('xyz', '')])
def test_a_misspelt_command_names_the_one_that_was_meant(git_repo, word, meant):
    done = ctxkit(git_repo({'a.py': 'x = 1\n'}), word)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(f"No such command '{word}'." + (f' Did you mean {meant}?' if meant else ''))


def test_hook_command_notes_and_returns_without_a_word(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    done = ctxkit(root, 'hook', 'post-commit')
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
    settle(root)
    assert updates(root) == ['post-commit']
    for args in (('post-checkout', 'a', 'b', '0'), ('post-rewrite', 'amend')):
        assert ctxkit(root, 'hook', *args).returncode == 0
    assert ctxkit(root, 'hook', 'post-commit', env={**os.environ, 'CTXKIT_DISABLE': '1'}).returncode == 0
    settle(root)
    assert updates(root) == ['post-commit']


def test_refresh_learns_the_event_from_pre_commits_variables(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    for variables, event in (
        ({'PRE_COMMIT_CHECKOUT_TYPE': '1'}, 'post-checkout'),
        ({'PRE_COMMIT_CHECKOUT_TYPE': '0'}, ''),
        ({'PRE_COMMIT_REWRITE_COMMAND': 'rebase'}, 'post-rewrite'),
        ({'PRE_COMMIT_REWRITE_COMMAND': 'amend'}, ''),
        ({'PRE_COMMIT_IS_SQUASH_MERGE': '0'}, 'post-merge'),
        ({}, 'post-commit'),
    ):
        before = updates(root)
        assert ctxkit(root, 'hook', 'refresh', env={**os.environ, **variables}).returncode == 0
        settle(root)
        assert updates(root) == [*before, *([event] if event else [])]


def test_hook_outside_a_repository_fails_nothing(tmp_path):
    done = ctxkit(tmp_path, 'hook', 'post-commit')
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')


@pytest.mark.parametrize('command', [('init',), ('uninstall',), ('status',), ('doctor',), ('check',)])
def test_outside_a_repository_it_is_one_line_with_the_way_out(tmp_path, command):
    done = ctxkit(tmp_path, *command)
    assert done.returncode == 1 and done.stdout == ''
    assert len(done.stderr.splitlines()) == 1 and 'git init' in done.stderr


@pytest.mark.parametrize('command', [('status',), ('doctor',), ('check',), ('init',)])
def test_repository_without_a_commit_is_no_error(git_repo, command):
    root = git_repo({})
    done = ctxkit(root, *command)
    assert done.returncode in (0, 1) and done.stderr == ''
    settle(root)
    assert 'bug' not in log(root)


def test_ctx_that_is_a_link_is_refused_everywhere(git_repo, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    outside = tmp_path / 'outside'
    outside.mkdir()
    (root / '.ctx').symlink_to(outside, target_is_directory=True)
    done = ctxkit(root, 'init')
    assert done.returncode == 1 and 'is a link' in done.stderr
    assert ctxkit(root, 'update').returncode == 1
    assert 'is a link' in ctxkit(root, 'doctor').stdout
    assert ctxkit(root, 'uninstall').returncode == 0
    assert list(outside.iterdir()) == [] and (root / '.ctx').is_symlink()


def test_links_inside_ctx_are_not_followed(git_repo, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    for name in ('context.xml', 'units.jsonl', 'status.json', '.gitignore'):
        (tmp_path / name).write_text('theirs')
        (root / '.ctx' / name).symlink_to(tmp_path / name)
    ctxkit(root, 'update')
    ctxkit(root, 'init')
    settle(root)
    for name in ('context.xml', 'units.jsonl', 'status.json', '.gitignore'):
        assert (tmp_path / name).read_text() == 'theirs'


def test_no_block_tells_what_memory_was_told_to_forget(git_repo, git, tmp_path):
    root, linked = git_repo({'a.py': 'x = 1\n'}), tmp_path / 'linked'
    git(root, 'worktree', 'add', '-q', str(linked), '-b', 'topic')
    blocks = [folder / '.ctx/context.xml' for folder in (root, linked)]
    for folder in (root, linked):
        assert ctxkit(folder, 'update').returncode == 0
    for command, told in (
        (('add', 'decision', 'Use pylint for all of it'), True),
        (('retract', 'pylint'), False),
        (('add', 'decision', 'Use pylint for all of it'), True),
        (('clear', '--yes'), False),
    ):
        assert ctxkit(root, 'memory', *command).returncode == 0
        settle(root)
        assert ['pylint' in block.read_text() for block in blocks] == [told, told], command
