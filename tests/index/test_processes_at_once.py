"""Processes that index at once, and one that is killed: the others get whole answers, and what was done stays."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers_index import index_of
from helpers_main import run, status_of, stored_files, symbols, update, write

from ctxkit.errors import CtxError


@pytest.mark.slow
def test_killed_first_index_goes_on_where_it_stopped(git_repo):
    many = 900
    root = git_repo(
        {
            f'pack{number % 30}/mod{number}.py': ''.join(
                f'def function_{number}_{one}(value):\n    """Do {one}."""\n    return helper(value, {one})\n\n\n'
                for one in range(40)
            )
            for number in range(many)
        }
    )
    process = subprocess.Popen([sys.executable, '-m', 'ctxkit', 'update'], cwd=root, stdin=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if index_of(root).exists() and stored_files(root) > 100:
                break
        except (sqlite3.Error, CtxError):
            pass
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)
    kept = stored_files(root)
    assert 100 < kept < many, 'killed too late to tell anything'
    done = update(root)
    assert done.sliced_files == many - kept
    assert done.files == many


@pytest.mark.skipif(not os.path.isdir('/proc/self'), reason='looks for processes in /proc')
def test_killed_first_index_leaves_no_process_behind(git_repo):
    root = git_repo(
        {
            f'pack{number % 30}/mod{number}.py': ''.join(
                f'def function_{number}_{one}(value):\n    return helper(value, {one})\n\n\n' for one in range(30)
            )
            for number in range(400)
        }
    )
    mark = f'CTXKIT_TEST_MARK={root}'
    process = subprocess.Popen(
        [sys.executable, '-m', 'ctxkit', 'update'],
        cwd=root,
        stdin=subprocess.DEVNULL,
        env={**os.environ, 'CTXKIT_TEST_MARK': str(root)},
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and len(marked(mark)) < 3 and process.poll() is None:
        time.sleep(0.02)
    assert process.poll() is None, 'it was over before its workers were seen'
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    end = time.monotonic() + 20
    while marked(mark) and time.monotonic() < end:
        time.sleep(0.1)
    left = marked(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def marked(mark):
    """The processes that have `mark` in their environment."""
    found = []
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open(f'/proc/{name}/environ', 'rb') as source:
                    if mark.encode() in source.read():
                        found.append(int(name))
            except OSError:
                continue
    return found


def test_two_processes_that_update_at_once_both_succeed(git_repo):
    root = git_repo({f'mod{number}.py': f'def function_{number}():\n    return {number}\n' for number in range(150)})
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: run(root, 'update'), range(3)))
    assert [(one.returncode, one.stderr) for one in done] == [(0, '')] * 3
    assert status_of(root)['files'] == 150
    assert stored_files(root) == 150
    assert 'function_77' in symbols(root, 'function_77')


def test_searches_during_an_update_see_whole_answers(work, git):
    write(work, {f'extra{number}.py': f'def extra_{number}():\n    return {number}\n' for number in range(120)})
    git(work, 'add', '-A')
    git(work, 'commit', '-qm', 'more')
    with ThreadPoolExecutor(3) as pool:
        updating = pool.submit(run, work, 'update')
        looking = [pool.submit(run, work, 'search', 'function_3') for _ in range(3)]
        for one in (updating, *looking):
            done = one.result()
            assert (done.returncode, done.stderr) == (0, '')
        assert all('function_3' in one.result().stdout for one in looking)
