"""status and doctor, as a person meets them: how fresh, what was skipped, what is wrong and what to do."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers_events import ctxkit, install_hooks

from ctxkit.cli.status import doctor, status
from ctxkit.events import requests
from ctxkit.events.freshness import freshness
from ctxkit.events.worker import drain
from ctxkit.repo import Repo, find
from ctxkit.safety import lock


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.stderr == ''
    return done.stdout.splitlines()


def test_status_before_and_after_an_update_and_when_head_has_moved(git_repo, git):
    root = git_repo({'a.py': 'def one():\n    return 1\n', 'big.bin': b'\0' * 10})
    assert lines(ctxkit(root, 'status')) == ['no context yet', 'run: ctxkit update']
    assert ctxkit(root, 'update').returncode == 0
    said = lines(ctxkit(root, 'status'))
    assert said[0].startswith(f'fresh; context.xml describes {git(root, "rev-parse", "HEAD")[:9]} (main), made ')
    assert said[1].startswith(('2 files, 1 chunk', '1 file, 1 chunk'))
    git(root, 'commit', '-q', '--allow-empty', '-m', 'x')
    assert lines(ctxkit(root, 'status'))[0].startswith(f'stale: HEAD is {git(root, "rev-parse", "HEAD")[:9]}')
    data = json.loads(ctxkit(root, 'status', '--json').stdout)
    assert data['fresh'] is False and data['head'] == git(root, 'rev-parse', 'HEAD').strip()
    assert data['last']['event'] == 'update'


BROKEN = ['', '{', '[]', 'null', '{"commit": 5}', '{"commit": "5", "skipped": "x", "time": "y"}', '[' * 5000]
BROKEN += [f'{{"commit": "5", "time": {time}}}' for time in ('NaN', 'Infinity', '1e300', '-1e300')]


def test_worker_that_ends_while_status_looks_is_not_told_as_stale(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    repo = find(root)
    requests.note(repo.common_dir, requests.MAIN, 'post-commit', '', root)

    def branch(repo: Repo) -> str:
        drain(repo.common_dir, os.environ)
        return 'main'

    monkeypatch.setattr('ctxkit.events.freshness.branch', branch)
    state = freshness(repo)
    assert (state.fresh, state.pending) == (True, ['post-commit'])


@pytest.mark.parametrize('content', BROKEN)
def test_status_and_doctor_survive_a_broken_status_file(git_repo, content, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'status.json').write_text(content)
    monkeypatch.chdir(root)
    for command, code in ((status, 0), (doctor, 1)):
        done = CliRunner().invoke(command)
        assert (done.exit_code, type(done.exception)) == (code, SystemExit if code else type(None)), done.output


def test_doctor_names_what_was_skipped_and_why(git_repo):
    huge = 'x = 1\n' * 300_000
    code = {
        'a.py': 'def one():\n    return 1\n',
        'picture.py': b'\0\1' * 100,
        'huge.py': huge,
        'deep.cs': '{a\n' * 9_000,
    }
    root = git_repo(code)
    install_hooks(root)
    ctxkit(root, 'update')
    done = ctxkit(root, 'doctor')
    assert done.returncode == 0, done.stdout
    for name in ('picture.py', 'huge.py', 'deep.cs'):
        assert f'skipped {name}: ' in done.stdout
    assert 'read as plain text' in done.stdout
    found = [json.loads(line) for line in ctxkit(root, 'doctor', '--json').stdout.splitlines()]
    assert {'picture.py', 'huge.py'} <= {item.get('skipped') for item in found}


def test_what_is_skipped_for_a_rare_reason_comes_first_and_all_are_counted(git_repo):
    generated = {f'a{number:03}.py': 'x = 1\n' for number in range(510)}
    root = git_repo(generated | {'z.py': b'\0\1', '.gitattributes': 'a*.py linguist-generated\n', 'b.py': 'x = 1\n'})
    ctxkit(root, 'update')
    lines = [line for line in ctxkit(root, 'doctor').stdout.splitlines() if line.startswith('--')]
    assert lines[0] == '--  skipped z.py: binary' and len(lines) == 21
    assert lines[-1] == '--  and 491 more skipped files: ctxkit doctor --all'
    last = ctxkit(root, 'doctor', '--all').stdout.splitlines()[-1]
    assert last == '--  and 11 more skipped files: ctxkit update --json'
    assert len(json.loads(ctxkit(root, 'update', '--json').stdout)['skipped']) == 511


def test_doctor_says_what_to_do_where_nothing_is_set_up(git_repo):
    done = ctxkit(git_repo({'a.py': 'x = 1\n'}), 'doctor')
    assert done.returncode == 1
    assert 'ctxkit is not set up here; run: ctxkit init' in done.stdout
    assert 'there is no context yet; run: ctxkit update' in done.stdout


def test_doctor_says_once_that_nothing_is_set_up_and_how_pre_commit_goes_on(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'doctor').stdout.count('run: ctxkit init') == 1
    ctxkit(root, 'init', '--hooks', 'pre-commit')
    said = ctxkit(root, 'doctor').stdout
    assert 'run: pre-commit install --allow-missing-config' in said and 'ctxkit init' not in said


def test_doctor_finds_each_fault(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n', '.ctx/context.xml': 'tracked\n'})
    install_hooks(root)
    repo = find(root)
    requests.note(repo.common_dir, requests.MAIN, 'post-commit', '', root)
    (root / '.ctx' / 'config.yaml').write_text('units: {nothing: 1}\n')
    (repo.data_dir / 'index.db').write_bytes(b'not a database' * 100)
    git(root, 'update-ref', '-d', 'refs/none')
    done = ctxkit(root, 'doctor')
    assert done.returncode == 1
    for said in (
        'git tracks .ctx/context.xml',
        'unknown key units.nothing',
        'no worker is running: post-commit',
        'the index cannot be read',
        'ok  hooks are installed',
    ):
        assert said in done.stdout, said


def test_status_says_that_the_settings_do_not_hold(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'update')
    assert 'settings' not in ctxkit(root, 'status').stdout
    (root / '.ctx' / 'config.yaml').write_text('units: {topk: 1}\n')
    done = ctxkit(root, 'status')
    assert done.returncode == 0 and done.stdout.startswith('fresh')
    (line,) = [line for line in done.stdout.splitlines() if line.startswith('settings are invalid: ')]
    assert line.endswith('config.yaml: unknown key units.topk; did you mean units.top_k?')
    assert 'units.top_k' in json.loads(ctxkit(root, 'status', '--json').stdout)['settings_problem']


def test_doctor_tells_of_an_index_that_cannot_be_used(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    ctxkit(root, 'update')
    data = find(root).data_dir
    link = sqlite3.connect(data / 'index.db')
    link.execute('PRAGMA user_version=99')
    link.close()
    assert 'written by a newer ctxkit' in ctxkit(root, 'doctor').stdout
    shutil.rmtree(data)
    data.write_text('x')
    assert f'{data} is not a folder' in ctxkit(root, 'doctor').stdout


def test_doctor_names_variables_that_mean_nothing(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    for name in ('CTXKIT_UNITS_TOPK', 'CTXKIT_QUIET', 'CTXKIT_INPUT_QUERY', 'CTXKIT_UNITS_TOP_K', 'CTXKIT_PYTHON'):
        monkeypatch.setenv(name, '3')
    said = [line for line in ctxkit(root, 'doctor').stdout.splitlines() if 'is not a setting' in line]
    assert said == [
        '!!  CTXKIT_QUIET is not a setting of ctxkit and is ignored; unset it',
        '!!  CTXKIT_UNITS_TOPK is not a setting of ctxkit and is ignored; did you mean CTXKIT_UNITS_TOP_K?',
    ]


def test_doctor_forgets_an_error_that_an_update_has_mended(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    install_hooks(root)
    (find(root).data_dir).mkdir(exist_ok=True)
    (find(root).data_dir / 'log').write_text('2001-01-01T00:00:00Z error post-commit: it failed\n')
    assert 'it failed' in ctxkit(root, 'doctor').stdout
    ctxkit(root, 'update')
    assert 'it failed' not in ctxkit(root, 'doctor').stdout


def test_hostile_file_names_reach_no_terminal_as_they_are(git_repo):
    bad = b'bad\xff.py'.decode('utf-8', 'surrogateescape')
    names = ['-dash.py', 'esc\x1b[31m.py', 'line\nbreak.py', 'quote"\'.py', bad]
    root = git_repo({'a.py': 'x = 1\n'})
    for name in names:
        Path(root, name).write_bytes(b'\0\1' * 50)
    subprocess.run(['git', 'add', '-A'], cwd=root, check=True)
    subprocess.run(['git', 'commit', '-qm', 'x'], cwd=root, check=True)
    assert ctxkit(root, 'update').returncode == 0
    for command in (('status',), ('doctor', '--all'), ('doctor', '--json'), ('check',)):
        done = ctxkit(root, *command)
        assert '\x1b' not in done.stdout + done.stderr
    said = ctxkit(root, 'doctor', '--all').stdout
    assert 'skipped line\\nbreak.py' in said and 'skipped esc\\x1b[31m.py' in said


def test_doctor_waits_for_the_worker_that_makes_the_first_context(git_repo):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    common = find(root).common_dir
    requests.note(common, requests.MAIN, 'init', '', root)
    with lock.held(common / 'ctxkit' / 'worker.lock', wait=0.0):
        said = ctxkit(root, 'doctor').stdout
    assert 'a worker is running (init)' in said and 'no context yet' not in said
