"""Every git event leaves the context fresh: real git, real hooks, the real worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers_events import ctxkit, install_hooks, log, settle, status, updates

from ctxkit.events import requests
from ctxkit.events.worker import drain, machine_lock
from ctxkit.repo import find
from ctxkit.safety import lock

CODE = {'app.py': 'def one():\n    return 1\n', 'lib.py': 'def two():\n    return 2\n'}


@pytest.fixture
def work(git_repo, git):
    """A repository with our hooks and a first context."""
    root = git_repo(CODE)
    install_hooks(root)
    return root


def change(root: Path, git, name: str, file: str = 'app.py') -> str:
    with (root / file).open('a') as out:
        out.write(f'\n\ndef {name}():\n    return 0\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', name)
    return git(root, 'rev-parse', 'HEAD').strip()


def head(root: Path, git) -> str:
    return git(root, 'rev-parse', 'HEAD').strip()


def assert_fresh(root: Path, git) -> None:
    settle(root)
    assert status(root).get('commit') == head(root, git), log(root)
    assert head(root, git)[:9] in (root / '.ctx' / 'context.xml').read_text('utf-8')


def test_commit_leaves_a_fresh_context_and_a_clean_tree(work, git):
    change(work, git, 'added')
    assert_fresh(work, git)
    assert git(work, 'status', '--porcelain') == ''
    assert updates(work) == ['post-commit']
    assert requests.pending(find(work).common_dir) == []


@pytest.mark.slow
def test_hook_prints_nothing(work):
    (work / 'app.py').write_text('x = 1\n')
    done = subprocess.run(['git', 'commit', '-qam', 'x'], cwd=work, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b'', b'')
    settle(work)


def test_git_does_not_wait_for_the_worker(work):
    (work / 'app.py').write_text('x = 1\n')
    with lock.held(machine_lock(os.environ)) as got:  # so the worker cannot go on
        assert got
        subprocess.run(['git', 'commit', '-qam', 'x'], cwd=work, capture_output=True, check=True, timeout=30)
        assert updates(work) == []
        assert requests.pending(find(work).common_dir)
    settle(work)
    assert updates(work) == ['post-commit']


def test_disabled_hook_does_nothing(work, git, monkeypatch):
    monkeypatch.setenv('CTXKIT_DISABLE', '1')
    change(work, git, 'added')
    assert not (find(work).common_dir / 'ctxkit').exists()


def test_amend_is_one_update(work, git):
    git(work, 'commit', '-q', '--amend', '-m', 'other')
    assert_fresh(work, git)
    assert updates(work) == ['post-commit']


def test_cherry_pick_revert_and_merge_are_followed(work, git):
    git(work, 'checkout', '-qb', 'side')
    picked = change(work, git, 'side_one', 'side.py')
    change(work, git, 'side_two', 'other.py')
    git(work, 'checkout', '-q', 'main')
    git(work, 'cherry-pick', picked)
    assert_fresh(work, git)
    git(work, 'revert', '--no-edit', 'HEAD')
    assert_fresh(work, git)
    git(work, 'merge', '-q', '-X', 'ours', '--no-ff', '-m', 'merged', 'side')
    assert_fresh(work, git)
    git(work, 'checkout', '-qb', 'behind', 'HEAD~1')
    git(work, 'merge', '-q', '--ff-only', 'main')
    assert_fresh(work, git)
    assert status(work)['event'] == 'post-merge'


def test_checkout_of_a_branch_and_of_no_branch(work, git):
    first = head(work, git)
    change(work, git, 'added')
    settle(work)
    git(work, 'checkout', '-q', '--detach', first)
    assert_fresh(work, git)
    assert status(work)['branch'] == ''
    git(work, 'checkout', '-q', 'main')
    assert_fresh(work, git)
    assert (status(work)['branch'], status(work)['sliced_files']) == ('main', 0)


def test_new_branch_slices_nothing_and_gets_its_label(work, git):
    change(work, git, 'added')
    settle(work)
    git(work, 'checkout', '-qb', 'feature')
    assert_fresh(work, git)
    assert (status(work)['branch'], status(work)['sliced_files']) == ('feature', 0)
    assert 'feature' in (work / '.ctx' / 'context.xml').read_text('utf-8')


def test_checkout_of_single_files_starts_nothing(work, git):
    (work / 'app.py').write_text('changed\n')
    git(work, 'checkout', '--', 'app.py')
    git(work, 'restore', 'app.py')
    assert not (find(work).common_dir / 'ctxkit').exists()


def test_rebase_of_twenty_commits_is_one_update(work, git):
    git(work, 'checkout', '-qb', 'side')
    for number in range(20):
        change(work, git, f'side_{number}', 'side.py')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'on_main')
    git(work, 'checkout', '-q', 'side')
    settle(work)
    before = len(updates(work))
    git(work, 'rebase', '-q', 'main')
    assert_fresh(work, git)
    assert len(updates(work)) == before + 1
    assert status(work)['branch'] == 'side'
    assert git(work, 'status', '--porcelain') == ''


def test_rebase_that_stops_at_a_conflict_is_done_when_it_is_over(work, git, monkeypatch):
    git(work, 'checkout', '-qb', 'side')
    change(work, git, 'mine')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'theirs')
    git(work, 'checkout', '-q', 'side')
    settle(work)
    git(work, 'rebase', '-q', 'main', check=False)
    assert (work / '.git' / 'rebase-merge').exists()
    before = len(updates(work))
    (work / 'app.py').write_text('def both():\n    return 3\n')
    git(work, 'add', 'app.py')
    monkeypatch.setenv('GIT_EDITOR', 'true')
    git(work, 'rebase', '--continue')
    assert_fresh(work, git)
    assert len(updates(work)) == before + 1


def test_rebase_that_drops_every_commit_is_seen(work, git):
    git(work, 'checkout', '-qb', 'side')
    picked = change(work, git, 'same')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'other', 'lib.py')
    git(work, 'cherry-pick', picked)
    git(work, 'checkout', '-q', 'side')
    git(work, 'rebase', '-q', 'main')
    assert_fresh(work, git)


@pytest.mark.slow
def test_rebase_with_the_apply_backend(work, git):
    git(work, 'checkout', '-qb', 'side')
    change(work, git, 'mine', 'side.py')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'theirs')
    git(work, 'checkout', '-q', 'side')
    git(work, 'rebase', '-q', '--apply', 'main')
    assert_fresh(work, git)
    assert updates(work)[-1] == 'post-rewrite' and 'post-applypatch' not in updates(work)


def test_a_series_of_patches_is_one_update(work, git, tmp_path):
    git(work, 'checkout', '-qb', 'side')
    for number in range(5):
        change(work, git, f'side_{number}', 'side.py')
    git(work, 'format-patch', '-q', 'main', '-o', str(tmp_path / 'patches'))
    git(work, 'checkout', '-q', 'main')
    settle(work)
    before = updates(work)
    git(work, 'am', '-q', *map(str, sorted((tmp_path / 'patches').iterdir())))
    assert_fresh(work, git)
    assert updates(work) == [*before, 'post-applypatch']
    assert 'side_4' in (work / '.ctx' / 'context.xml').read_text('utf-8')


def test_a_patch_that_conflicts_is_waited_for(work, git, tmp_path):
    git(work, 'checkout', '-qb', 'side')
    change(work, git, 'first', 'side.py')
    change(work, git, 'second')
    git(work, 'format-patch', '-q', 'main', '-o', str(tmp_path / 'patches'))
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'other')
    settle(work)
    before = updates(work)
    git(work, 'am', '-q', '-3', *map(str, sorted((tmp_path / 'patches').iterdir())), check=False)
    assert 'noted for after the am: post-applypatch' in ctxkit(work, 'doctor').stdout
    git(work, 'checkout', '--theirs', 'app.py')
    git(work, 'add', '-A')
    git(work, 'am', '--continue')
    assert_fresh(work, git)
    assert updates(work) == [*before, 'post-applypatch']


def test_quick_commits_lose_none(work, git):
    for number in range(8):
        change(work, git, f'quick_{number}')
    assert_fresh(work, git)
    assert 1 <= len(updates(work)) <= 8


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
    assert 'is not there; run: ctxkit init' in done.stdout


def test_killed_worker_leaves_its_request_and_no_lock(work, git):
    common = find(work).common_dir
    with lock.held(machine_lock(os.environ)):
        (work / 'app.py').write_text('x = 1\n')
        git(work, 'commit', '-qam', 'x')
        claimed = common / 'ctxkit' / 'requests' / (requests.MAIN + requests.CLAIMED)
        end = time.monotonic() + 30
        while not (claimed.exists() and lock.is_held(common / 'ctxkit' / 'worker.lock')) and time.monotonic() < end:
            time.sleep(0.02)
        listed = subprocess.run(['ps', '-eww', '-o', 'pid,args'], capture_output=True, text=True, check=True).stdout
        workers = [
            int(line.split()[0])
            for line in listed.splitlines()
            if f'ctxkit.events {common}' in line and 'sh -c' not in line and '/sh ' not in line
        ]
        assert workers
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        end = time.monotonic() + 10
        while lock.is_held(common / 'ctxkit' / 'worker.lock') and time.monotonic() < end:
            time.sleep(0.02)
        assert [request.event for request in requests.pending(common)] == ['post-commit']
    assert drain(common, os.environ) == 1
    assert status(work)['commit'] == head(work, git)


def test_tracked_artefacts_are_not_written_by_a_hook(work, git):
    (work / '.ctx').mkdir()
    (work / '.ctx' / 'context.xml').write_text('tracked\n')
    git(work, 'add', '-f', '.ctx/context.xml')
    git(work, 'commit', '-qm', 'tracked')
    settle(work)
    assert (work / '.ctx' / 'context.xml').read_text() == 'tracked\n'
    assert git(work, 'status', '--porcelain') == ''
    assert 'a hook writes no tracked file' in log(work)


def test_broken_settings_are_logged_and_the_old_context_stays(work, git):
    change(work, git, 'added')
    settle(work)
    before = (work / '.ctx' / 'context.xml').read_bytes()
    (work / '.ctx' / 'config.yaml').write_text('units:\n  top_q: 3\n')
    change(work, git, 'more')
    settle(work)
    assert 'unknown key units.top_q' in log(work)
    assert (work / '.ctx' / 'context.xml').read_bytes() == before
    assert 'unknown key units.top_q' in ctxkit(work, 'doctor').stdout
