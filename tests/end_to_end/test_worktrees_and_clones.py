"""Hooks in work trees, clones, submodules and sparse checkouts, in odd folders, with an interpreter that is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from helpers_events import ctxkit, install_hooks, log, settle, status
from helpers_git_events import CODE, assert_fresh, change

from ctxkit.events import requests
from ctxkit.events.worker import machine_lock
from ctxkit.repo import find
from ctxkit.safety import lock


def test_worktrees_have_their_own_context_and_share_the_index(work, git, tmp_path):
    change(work, git, 'added')
    settle(work)
    for name in ('linked', 'main'):  # a folder named like the main work tree's request
        other = tmp_path / 'trees' / name
        git(work, 'worktree', 'add', '-q', '-b', f'branch-{name}', str(other))
        settle(work)
        change(other, git, f'in_{name}', 'side.py')
        assert_fresh(other, git)
        assert git(other, 'status', '--porcelain') == ''
        assert status(other)['branch'] == f'branch-{name}'
    assert status(work)['branch'] == 'main'
    assert [path for path in tmp_path.rglob('index.db')] == [work / '.git' / 'ctxkit' / 'index.db']


def test_removed_worktree_leaves_nothing_waiting(work, git, tmp_path):
    other = tmp_path / 'gone'
    with lock.held(machine_lock(os.environ)):
        git(work, 'worktree', 'add', '-q', '-b', 'gone', str(other))
        git(work, 'worktree', 'remove', '--force', str(other))
    settle(work)
    assert requests.pending(find(work).common_dir) == []


def test_clone_with_our_hooks_in_its_template_is_set_up(work, git, tmp_path):
    template = tmp_path / 'template'
    (template / 'hooks').mkdir(parents=True)
    for hook in (work / '.git' / 'hooks').glob('post-*'):
        (template / 'hooks' / hook.name).write_bytes(hook.read_bytes())
        (template / 'hooks' / hook.name).chmod(0o755)
    git(tmp_path, 'clone', '-q', f'--template={template}', str(work), 'copy')
    assert_fresh(tmp_path / 'copy', git)


def test_submodule_is_a_repository_of_its_own(work, git, git_repo):
    outer = git_repo({'README.md': '# outer\n'}, name='outer')
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', str(work), 'inner')
    git(outer, 'commit', '-qm', 'inner')
    install_hooks(outer / 'inner')
    change(outer / 'inner', git, 'inside')
    assert_fresh(outer / 'inner', git)
    assert not (outer / '.ctx').exists()
    install_hooks(outer)
    change(outer, git, 'outside', 'out.py')
    assert_fresh(outer, git)
    assert 'def inside' not in (outer / '.ctx' / 'units.jsonl').read_text('utf-8')


@pytest.mark.slow
def test_shallow_clone(work, git, tmp_path):
    change(work, git, 'added')
    git(tmp_path, 'clone', '-q', '--depth=1', f'file://{work}', 'shallow')
    install_hooks(tmp_path / 'shallow')
    change(tmp_path / 'shallow', git, 'here')
    assert_fresh(tmp_path / 'shallow', git)


def test_partial_clone_with_missing_objects_fetches_nothing(work, git, tmp_path):
    for number in range(5):
        (work / f'extra_{number}').mkdir()
        (work / f'extra_{number}' / 'far.py').write_text(f'def far_{number}():\n    return {number}\n')
    change(work, git, 'added')
    git(work, 'config', 'uploadpack.allowFilter', 'true')
    copy = tmp_path / 'partial'
    git(tmp_path, 'clone', '-q', '--filter=blob:none', '--sparse', f'file://{work}', 'partial')
    missing = git(copy, 'rev-list', '--objects', '--all', '--missing=print')
    assert missing.count('?') >= 5
    install_hooks(copy)
    git(copy, 'remote', 'set-url', 'origin', 'file:///nowhere')
    (copy / 'app.py').write_text('def here():\n    return 1\n')
    git(copy, 'commit', '-qam', 'here')
    assert_fresh(copy, git)
    assert git(copy, 'rev-list', '--objects', '--all', '--missing=print').count('?') >= 5


@pytest.mark.slow
def test_sparse_checkout(work, git):
    (work / 'deep').mkdir()
    change(work, git, 'below', 'deep/below.py')
    git(work, 'sparse-checkout', 'set', '--no-cone', '/app.py')
    change(work, git, 'added')
    assert_fresh(work, git)
    assert git(work, 'status', '--porcelain') == ''


SLOW = pytest.mark.slow
ODD = [
    pytest.param('with space', marks=SLOW),
    'it\'s "$HOME" `id`',
    'line\nbreak',
    pytest.param('-dash', marks=SLOW),
    pytest.param('ümläut', marks=SLOW),
]


@pytest.mark.parametrize('name', ODD)
def test_repository_in_an_odd_folder(git_repo, git, name):
    root = git_repo(CODE, name=name)
    install_hooks(root)
    change(root, git, 'added')
    assert_fresh(root, git)


@pytest.mark.slow
def test_linked_worktree_in_an_odd_folder(work, git, tmp_path):
    other = tmp_path / 'a b \'c" d'
    git(work, 'worktree', 'add', '-q', '-b', 'other', str(other))
    change(other, git, 'added')
    assert_fresh(other, git)


def test_interpreter_in_an_odd_folder(git_repo, git, tmp_path):
    from ctxkit.events.install import install

    python = tmp_path / "a 'python' env" / 'python $x'
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    root = git_repo(CODE)
    install(find(root), str(python))
    change(root, git, 'added')
    assert_fresh(root, git)


def test_interpreter_that_is_gone_is_reported_and_git_goes_on(git_repo, git, monkeypatch):
    from ctxkit.events.install import install

    root = git_repo(CODE)
    install(find(root), '/gone/python')
    git_only = root.parent / 'bin'
    git_only.mkdir()
    for program in ('git', 'sh', 'mkdir', 'date', 'cat'):
        found = subprocess.run(['sh', '-c', f'command -v {program}'], capture_output=True, text=True, check=True)
        (git_only / program).symlink_to(found.stdout.strip())
    monkeypatch.setenv('PATH', str(git_only))
    change(root, git, 'added')
    end = time.monotonic() + 20
    while 'did not start' not in log(root) and time.monotonic() < end:
        time.sleep(0.05)
    assert 'error ctxkit did not start' in log(root)
    done = ctxkit(root, 'doctor')
    assert done.returncode == 1
    assert 'does not exist; run: ctxkit init' in done.stdout
