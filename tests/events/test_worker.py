"""Requests, locks and the worker, each by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from helpers_events import ctxkit, log, settle, status, updates
from helpers_main import status_of

from ctxkit import log as logs
from ctxkit import places
from ctxkit.config import user_config_file
from ctxkit.embedding.folder import models_folder
from ctxkit.events import requests, worker
from ctxkit.events.detach import note_and_start
from ctxkit.events.install import install
from ctxkit.events.worker import drain, root_of
from ctxkit.places import cache_dir
from ctxkit.repo import find
from ctxkit.safety import lock


def test_lock_is_held_by_one_and_freed_by_death(tmp_path):
    file = tmp_path / 'lock'
    script = (
        'import sys, time; from pathlib import Path; from ctxkit.safety.lock import held\n'
        'with held(Path(sys.argv[1])) as got:\n    print(got, flush=True); time.sleep(60)'
    )
    holder = subprocess.Popen([sys.executable, '-c', script, str(file)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b'True'
    assert lock.is_held(file)
    with lock.held(file) as got:
        assert not got
    holder.kill()
    holder.wait()
    holder.stdout.close()
    with lock.held(file, wait=10) as got:
        assert got
    assert not lock.is_held(file)


@pytest.mark.parametrize(('error', 'said'), [(MemoryError(), 'out of memory'), (KeyError('odd'), "KeyError: 'odd'")])
def test_update_that_ends_in_a_bug_is_a_line_in_the_log_and_is_not_tried_for_ever(git_repo, monkeypatch, error, said):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()

    def fails(*_, **__):
        raise error

    monkeypatch.setattr('ctxkit.pipeline.update', fails)
    requests.note(root / '.git', requests.MAIN, 'post-commit', '', root)
    assert drain(root / '.git', os.environ) == 0
    assert f'error post-commit {root}: ' in log(root) and said in log(root)
    assert requests.pending(root / '.git') == []


def test_worker_waits_for_the_one_of_another_repository(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'update')
    git(root, 'commit', '-qm', 'second', '--allow-empty')
    common, made = root / '.git', status(root)
    requests.note(common, requests.MAIN, 'post-commit', '', root)
    worked = threading.Thread(target=drain, args=(common, os.environ))
    with lock.held(worker.machine_lock(os.environ)):
        worked.start()
        worked.join(1.5)
        assert worked.is_alive() and status(root) == made
    worked.join(60)
    assert status(root)['commit'] == git(root, 'rev-parse', 'HEAD').strip()


def test_newest_request_of_a_work_tree_wins_and_order_is_by_time(tmp_path):
    folder = requests.folder(tmp_path)
    folder.mkdir(parents=True)
    noted = (('one.5', 'old', 100), ('one.6', 'new', 300), ('two.7', 'other', 200), ('one.claimed', 'x', 50))
    for name, event, when in noted:
        (folder / name).write_text(f'{event}\n\n/somewhere/{name}')
        os.utime(folder / name, (when, when))
    found = [(request.worktree, request.event) for request in requests.pending(tmp_path)]
    assert found == [('two', 'other'), ('one', 'new')]


def test_claim_takes_what_is_there_and_finish_leaves_what_came_later(tmp_path):
    requests.note(tmp_path, 'one', 'post-commit', '', tmp_path)
    requests.claim(tmp_path, 'one')
    requests.note(tmp_path, 'one', 'post-merge', '', tmp_path)
    requests.finish(tmp_path, 'one')
    assert [request.event for request in requests.pending(tmp_path)] == ['post-merge']


def test_empty_half_written_and_odd_requests_are_requests(tmp_path):
    folder = requests.folder(tmp_path)
    folder.mkdir(parents=True)
    (folder / 'a.1').write_bytes(b'')
    (folder / 'b.1').write_bytes(b'post-co')
    (folder / 'c.1').write_bytes(b'post-commit\n\n/x/\xff\ny')
    (folder / 'd.1').symlink_to('/etc/hostname')
    (folder / 'e.1').mkdir()
    found = {request.worktree: request for request in requests.pending(tmp_path)}
    assert set(found) == {'a', 'b', 'c'}
    assert found['a'].event == 'unknown'
    assert os.fsencode(found['c'].root) == b'/x/\xff\ny'


def test_request_without_a_folder_finds_its_work_tree(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    git(root, 'worktree', 'add', '-q', '-b', 'other', str(tmp_path / 'other'))
    common = root / '.git'
    assert root_of(common, requests.Request(requests.MAIN, 'x', '', '', 0)) == root
    assert root_of(common, requests.Request('other', 'x', '', '/gone', 0)) == tmp_path / 'other'
    assert root_of(common, requests.Request('never', 'x', '', '/gone', 0)) is None


def test_request_that_comes_while_the_worker_runs_is_not_lost(git_repo, git):
    root = git_repo({'a.py': 'def one():\n    return 1\n'})
    (root / '.ctx').mkdir()
    common = find(root).common_dir
    for number in range(6):
        requests.note(common, requests.MAIN, f'event-{number}', '', root)
        worker = threading.Thread(target=drain, args=(common, dict(os.environ)))
        worker.start()
        time.sleep(0.02 * number)
        (root / 'a.py').write_text(f'def one():\n    return {number}\n')
        git(root, 'commit', '-qam', 'x')
        requests.note(common, requests.MAIN, 'later', '', root)
        drain(common, os.environ)  # returns at once if the other is at it
        worker.join()
        assert requests.pending(common) == []
        assert status(root)['commit'] == git(root, 'rev-parse', 'HEAD').strip()


def test_request_of_another_repository_is_refused(git_repo, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    other = git_repo({'b.py': 'x = 1\n'}, name='other')
    requests.note(find(root).common_dir, requests.MAIN, 'post-commit', '', other)
    assert drain(find(root).common_dir, os.environ) == 0
    assert not (other / '.ctx').exists()


def test_failure_is_logged_without_secrets_and_the_next_event_works(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').write_text('a file')
    note_and_start(find(root), 'post-commit', os.environ)
    settle(root)
    assert 'error post-commit' in log(root) and 'is not a folder' in log(root)
    (root / '.ctx').unlink()
    note_and_start(find(root), 'post-commit', os.environ)
    settle(root)
    assert updates(root) == ['post-commit']
    assert logs.errors(find(root).common_dir) == []


@pytest.mark.skipif(sys.platform == 'win32', reason='links need a right there')
def test_a_link_to_nowhere_in_the_place_of_ctx_is_told(git_repo, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').symlink_to(tmp_path / 'nowhere')
    note_and_start(find(root), 'post-commit', os.environ)
    settle(root)
    assert '.ctx is a link' in log(root) and not (tmp_path / 'nowhere').exists()


def test_log_is_bounded_and_holds_no_secret(tmp_path):
    (tmp_path / 'ctxkit').mkdir()
    token = 'gh' + 'p_' + 'aB3' * 12
    for number in range(400):
        logs.append(tmp_path, 'error', f'{number} {token} \x1b[31m\n' + 'x' * 1500, 1000.0 + number)
    file = tmp_path / 'ctxkit' / 'log'
    assert file.stat().st_size < 2 * logs.MAX_BYTES
    assert token not in file.read_text() and '\x1b' not in file.read_text()
    assert logs.errors(tmp_path)[-1].split(' ')[2] == '399'
    assert logs.errors(tmp_path, since=5000.0) == []
    logs.append(tmp_path, 'done', 'x', 2000.0)
    assert logs.errors(tmp_path) == []


def test_worker_is_a_session_of_its_own_at_low_priority(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    script = (
        'import os; from ctxkit.events.worker import yield_to_people\n'
        'yield_to_people(); print(os.getsid(0) == os.getpid(), os.nice(0))'
    )
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.split() == ['True', str(min(19, os.nice(0) + 10))]


def test_hostile_modules_in_the_work_tree_are_not_imported(git_repo):
    root = git_repo(
        {
            'click.py': 'raise SystemExit("run")\n',
            'ctxkit/__init__.py': 'open("ran", "w")\n',
            'json.py': 'open("ran", "w")\n',
        }
    )
    from ctxkit.events.install import install

    install(find(root), sys.executable)
    (root / 'a.py').write_text('x = 1\n')
    subprocess.run(['git', 'add', '-A'], cwd=root, check=True)
    subprocess.run(['git', 'commit', '-qm', 'x'], cwd=root, check=True)
    settle(root)
    assert updates(root) == ['post-commit']
    assert not (root / 'ran').exists()


def test_cache_folder_follows_the_platform_and_ignores_a_relative_one(tmp_path):
    if os.name == 'posix' and sys.platform != 'darwin':
        assert cache_dir({'HOME': '/h'}) == Path('/h/.cache/ctxkit')
        assert cache_dir({'HOME': '/h', 'XDG_CACHE_HOME': '/c'}) == Path('/c/ctxkit')
        assert cache_dir({'HOME': '/h', 'XDG_CACHE_HOME': 'c'}) == Path('/h/.cache/ctxkit')


def test_whoever_looks_at_the_lock_for_a_moment_loses_no_request(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    common = find(root).common_dir
    requests.note(common, requests.MAIN, 'post-commit', '', root)
    monkeypatch.setattr(worker, 'MOMENT', 60.0)
    taken = threading.Event()

    def look():
        with lock.held(common / 'ctxkit' / 'worker.lock') as got:
            assert got
            taken.set()
            time.sleep(0.2)

    looking = threading.Thread(target=look)
    looking.start()
    taken.wait(60)
    assert drain(common, os.environ) == 1
    looking.join()


def test_lock_that_cannot_be_opened_is_no_error_of_status(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    place = find(root).data_dir
    place.mkdir()
    (place / 'other').write_text('')
    (place / 'worker.lock').symlink_to('other')  # one that another user owns cannot be opened either
    done = ctxkit(root, 'status')
    assert (done.returncode, done.stderr) == (0, '')


def test_worker_that_may_not_take_the_lock_says_so_and_not_that_it_did_not_start(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (find(root).data_dir / 'worker.lock').mkdir(parents=True)  # one that another user owns cannot be opened either
    install(find(root), sys.executable)
    git(root, 'commit', '-q', '--allow-empty', '-m', 'x')
    end = time.monotonic() + 60
    while not log(root) and time.monotonic() < end:
        time.sleep(0.05)
    assert 'error the worker cannot work here: ' in log(root) and 'start' not in log(root)


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may write everything')
def test_doctor_tells_of_files_that_another_user_owns(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'update').returncode == 0
    (find(root).data_dir / 'index.db').chmod(0o400)
    assert 'index.db is not writable, so hooks do nothing' in ctxkit(root, 'doctor').stdout


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() != 0, reason='only root makes files of another user')
def test_each_user_of_a_repository_has_an_index_and_a_worker_of_their_own(git_repo, git):
    root = git_repo({'a.py': 'def one():\n    return 1\n'})
    theirs = find(root).data_dir
    theirs.mkdir()
    (theirs / 'worker.lock').touch()
    os.chown(theirs, 4711, -1)
    install(find(root), sys.executable)
    (root / 'a.py').write_text('def two():\n    return 2\n')
    git(root, 'commit', '-qam', 'two')
    settle(root)
    assert updates(root) == ['post-commit']
    assert 'def two' in (root / '.ctx' / 'context.xml').read_text('utf-8')
    assert [file.name for file in theirs.iterdir()] == ['worker.lock']


def test_worker_goes_by_the_real_clock(git_repo, monkeypatch):
    """A shell that builds fixes the clock for all that is started in it, git and its hooks too."""
    monkeypatch.setenv('SOURCE_DATE_EPOCH', '1700000000')
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    (root / '.ctx').mkdir()
    requests.note(root / '.git', requests.MAIN, 'post-commit', '', root)
    assert drain(root / '.git', os.environ) == 1
    assert abs(status_of(root)['time'] - time.time()) < 60


def test_worker_works_where_home_cannot_be_written(git_repo, tmp_path):
    root = git_repo({'a.py': 'def one():\n    return 1\n'})
    (root / '.ctx').mkdir()
    (tmp_path / 'home').touch()
    environ = {name: value for name, value in os.environ.items() if name not in ('LOCALAPPDATA', 'XDG_CACHE_HOME')}
    environ |= {'HOME': str(tmp_path / 'home'), 'USERPROFILE': str(tmp_path / 'home')}
    requests.note(find(root).common_dir, requests.MAIN, 'post-commit', '', root)
    assert drain(find(root).common_dir, environ) == 1


@pytest.mark.skipif(os.name == 'nt', reason='there are no users without an entry')
def test_without_a_home_nothing_is_read_or_written_below_the_current_folder(monkeypatch):
    monkeypatch.delenv('HOME', raising=False)
    monkeypatch.delenv('XDG_CONFIG_HOME', raising=False)
    monkeypatch.setattr('pwd.getpwuid', lambda user: {}[user])  # as in a container
    assert places.cache_dir({}).is_absolute() and places.config_dir().is_absolute()
    assert user_config_file({}).is_absolute() and models_folder().is_absolute()


def test_request_that_comes_while_another_is_left_for_its_rebase_is_served(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    common = find(root).common_dir
    (common / 'rebase-merge').mkdir()
    requests.note(common, requests.MAIN, 'post-checkout', '', root)
    wait = worker._drain_held

    def wait_and_end_the_rebase(*args):
        result = wait(*args)
        if (common / 'rebase-merge').exists():
            (common / 'rebase-merge').rmdir()
            requests.note(common, requests.MAIN, 'post-rewrite', '', root)
        return result

    monkeypatch.setattr(worker, 'SERIES_PATIENCE', 0.0)
    monkeypatch.setattr(worker, '_drain_held', wait_and_end_the_rebase)
    assert drain(common, os.environ) == 1
    assert requests.pending(common) == []


@pytest.mark.skipif(shutil.which('flock') is None, reason='no flock to ask')
def test_no_worker_is_started_while_one_is_at_it(git_repo, git, tmp_path, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    python, started, asked = tmp_path / 'python', tmp_path / 'started', tmp_path / 'asked'
    programs = tmp_path / 'programs'
    programs.mkdir()
    said = f'"{shutil.which("flock")}" "$@"; said=$?; echo x >>"{asked}"; exit $said'
    for file, text in ((programs / 'flock', said), (python, f'echo x >>"{started}"; exec "{sys.executable}" "$@"')):
        file.write_text(f'#!/bin/sh\n{text}\n')
        file.chmod(0o755)
    monkeypatch.setenv('PATH', f'{programs}{os.pathsep}{os.environ["PATH"]}')
    install(find(root), str(python))
    place = find(root).data_dir
    place.mkdir()
    with lock.held(place / 'worker.lock') as got:
        assert got
        for number in range(5):
            (root / 'a.py').write_text(f'x = {number + 2}\n')
            git(root, 'commit', '-qam', 'x')
        end = time.monotonic() + 60
        while not (asked.exists() and asked.read_text() == 'x\n' * 5) and time.monotonic() < end:
            time.sleep(0.02)
        assert asked.read_text() == 'x\n' * 5
    assert not started.exists()
    git(root, 'commit', '-q', '--allow-empty', '-m', 'x')
    settle(root)
    assert started.read_text() == 'x\n'
    assert status(root)['commit'] == git(root, 'rev-parse', 'HEAD').strip()


def test_work_tree_that_is_removed_meanwhile_is_no_error(git_repo, git, tmp_path, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    other = tmp_path / 'other'
    git(root, 'worktree', 'add', '-q', '--detach', str(other))
    common = find(root).common_dir
    requests.note(common, 'other', 'post-checkout', '', other)

    def found(start):
        git(root, 'worktree', 'remove', str(other))
        return find(start)

    monkeypatch.setattr('ctxkit.repo.find', found)
    assert drain(common, os.environ) == 0
    assert (log(root), requests.pending(common)) == ('', [])


@pytest.mark.skipif(os.name == 'nt', reason='no kill -9')
def test_worker_that_is_killed_is_not_said_not_to_start(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    python = tmp_path / 'python'
    python.write_text('#!/bin/sh\nkill -9 $$\n')
    python.chmod(0o755)
    install(find(root), str(python))
    git(root, 'commit', '-q', '--allow-empty', '-m', 'x')
    end = time.monotonic() + 60
    while not log(root) and time.monotonic() < end:
        time.sleep(0.05)
    assert 'error the worker was killed' in log(root) and 'start' not in log(root)


def test_worker_makes_no_folder_in_a_work_tree_that_somebody_is_removing(git_repo, git, tmp_path):
    root = git_repo({'a.py': 'x = 1\n'})
    other = tmp_path / 'other'
    git(root, 'worktree', 'add', '-q', '--detach', str(other))
    common = find(root).common_dir
    requests.note(common, 'other', 'post-checkout', '', other)
    assert drain(common, os.environ) == 0
    assert (sorted(file.name for file in other.iterdir()), log(root)) == (['.git', 'a.py'], '')
    assert note_and_start(find(other), 'post-checkout', os.environ, detached=False)
    assert (drain(common, os.environ), updates(root)) == (1, ['post-checkout'])
