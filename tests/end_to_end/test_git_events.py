"""Every git event leaves the context fresh: real git, real hooks, the real worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from helpers_events import ctxkit, log, settle, status, updates
from helpers_git_events import assert_fresh, change, head

from ctxkit.events import requests
from ctxkit.events.worker import drain, machine_lock
from ctxkit.repo import find
from ctxkit.safety import lock


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


@pytest.mark.skipif(os.name == 'nt', reason='terminals send no signal there')
def test_a_terminal_that_ends_with_git_does_not_end_the_worker(work, git):
    (work / 'app.py').write_text('x = 1\n')
    in_terminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))'
    subprocess.run([sys.executable, '-c', in_terminal, 'git', 'commit', '-qam', 'x'], cwd=work, check=True, timeout=30)
    assert_fresh(work, git)


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


@pytest.mark.parametrize(
    'command', [('reset', '-q', '--hard', 'HEAD~1'), ('update-ref', 'refs/heads/main', 'HEAD~1')], ids=' '.join
)
def test_where_no_hook_runs_status_doctor_and_show_tell_that_head_moved_and_render_is_right(work, git, command):
    old = change(work, git, 'added')
    settle(work)
    git(work, *command)
    now = head(work, git)
    assert ctxkit(work, 'status').stdout.startswith(f'stale: HEAD is {now[:9]}; context.xml describes {old[:9]}')
    done = ctxkit(work, 'doctor')
    assert done.returncode == 1
    assert f'context.xml describes {old[:9]}, HEAD is {now[:9]}; run: ctxkit update' in done.stdout
    assert f'Indexed commit {old[:10]}, but HEAD is {now[:10]}' in ctxkit(work, 'show', '--agent', 'claude-code').stdout
    assert f'commit="{now[:12]}"' in ctxkit(work, 'render').stdout
    assert ctxkit(work, 'update').returncode == 0
    assert_fresh(work, git)


def test_quick_commits_lose_none(work, git):
    for number in range(8):
        change(work, git, f'quick_{number}')
    assert_fresh(work, git)
    assert 1 <= len(updates(work)) <= 8


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
    assert 'hooks never write a tracked file' in log(work)


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
