"""status, doctor, check, hook and crash reports, as a person meets them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers_events import ctxkit, install_hooks, log, settle, updates

from ctxkit.cli.status import doctor, status
from ctxkit.crash import report
from ctxkit.events import requests
from ctxkit.events.report import freshness
from ctxkit.events.worker import drain
from ctxkit.repo import Repo, find
from ctxkit.safety import lock

TOKEN = 'gh' + 'p_' + 'aB3' * 12


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


def test_worker_that_ends_while_status_looks_is_not_told_as_stale(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    repo = find(root)
    requests.note(repo.common_dir, requests.MAIN, 'post-commit', '', root)

    def branch(repo: Repo) -> str:
        drain(repo.common_dir, os.environ)
        return 'main'

    monkeypatch.setattr('ctxkit.events.report.branch', branch)
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


def test_doctor_says_what_to_do_where_nothing_is_set_up(git_repo):
    done = ctxkit(git_repo({'a.py': 'x = 1\n'}), 'doctor')
    assert done.returncode == 1
    assert 'ctxkit is not set up here; run: ctxkit init' in done.stdout
    assert 'there is no context yet; run: ctxkit update' in done.stdout


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
        'no worker took it: post-commit',
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
    (line,) = [line for line in done.stdout.splitlines() if line.startswith('settings do not hold: ')]
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
    assert f'{data} is no folder' in ctxkit(root, 'doctor').stdout


def test_doctor_names_variables_that_mean_nothing(git_repo, monkeypatch):
    root = git_repo({'a.py': 'x = 1\n'})
    for name in ('CTXKIT_UNITS_TOPK', 'CTXKIT_QUIET', 'CTXKIT_INPUT_QUERY', 'CTXKIT_UNITS_TOP_K', 'CTXKIT_PYTHON'):
        monkeypatch.setenv(name, '3')
    said = [line for line in ctxkit(root, 'doctor').stdout.splitlines() if 'is no setting' in line]
    assert said == [
        '!!  CTXKIT_QUIET is no setting of ctxkit and is ignored; unset it',
        '!!  CTXKIT_UNITS_TOPK is no setting of ctxkit and is ignored; did you mean CTXKIT_UNITS_TOP_K?',
    ]


@pytest.mark.parametrize(('word', 'meant'), [('serch', 'search'), ('rendre', 'render'), ('xyz', '')])
def test_a_misspelt_command_names_the_one_that_was_meant(git_repo, word, meant):
    done = ctxkit(git_repo({'a.py': 'x = 1\n'}), word)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith(f"No such command '{word}'." + (f' Did you mean {meant}?' if meant else ''))


def test_doctor_forgets_an_error_that_an_update_has_mended(git_repo):
    root = git_repo({'a.py': 'x = 1\n'})
    install_hooks(root)
    (find(root).data_dir).mkdir(exist_ok=True)
    (find(root).data_dir / 'log').write_text('2001-01-01T00:00:00Z error post-commit: it failed\n')
    assert 'it failed' in ctxkit(root, 'doctor').stdout
    ctxkit(root, 'update')
    assert 'it failed' not in ctxkit(root, 'doctor').stdout


def test_check_passes_what_is_right(git_repo, git):
    root = git_repo({'a.py': f'token = "{TOKEN}"\n'})
    assert ctxkit(root, 'check').returncode == 0
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'config.yaml').write_text('units:\n  top_k: 5\n')
    git(root, 'add', '-f', '.ctx')
    assert (ctxkit(root, 'check').returncode, ctxkit(root, 'check', '.ctx/config.yaml').returncode) == (0, 0)


def test_check_looks_at_what_is_staged_not_at_the_work_tree(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    file = root / '.ctx' / 'config.yaml'
    file.write_text(f'# {TOKEN}\n')
    git(root, 'add', '-f', '.ctx')
    file.write_text('units:\n  top_k: 5\n')
    done = ctxkit(root, 'check')
    assert done.returncode == 1
    assert '.ctx/config.yaml:1: a secret (github-token)' in done.stderr and TOKEN not in done.stderr


def test_check_sends_what_a_repository_may_not_set_to_the_persons_settings(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'config.yaml').write_text('model:\n  name: large\n')
    git(root, 'add', '-f', '.ctx')
    assert 'cannot be set by a repository; set it in your own settings instead' in ctxkit(root, 'check').stderr


def test_check_refuses_foreign_files_links_other_spellings_and_env_values(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.env').write_text('APP_SECRET=orangutans-everywhere\n')
    (root / '.ctx').mkdir()
    (root / '.ctx' / 'config.yaml').symlink_to('/etc/passwd')
    (root / '.ctx' / 'line\nbreak').write_text('orangutans-everywhere')
    (root / '.CTX').mkdir(exist_ok=True)
    (root / '.CTX' / 'context.xml').write_text('x')
    git(root, 'add', '-f', '.ctx', '.CTX')
    done = ctxkit(root, 'check')
    assert done.returncode == 1
    assert '.ctx/config.yaml is staged' in done.stderr
    assert '.ctx/line\\nbreak is staged' in done.stderr
    assert '.ctx/line\\nbreak:1: a secret (env)' in done.stderr
    assert '.CTX/context.xml is staged' in done.stderr


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


def test_crash_report_holds_versions_and_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    try:
        raise ValueError(f'bad {TOKEN}')
    except ValueError as error:
        said = report(error, ['ctxkit', 'render', '--query', TOKEN])
    assert 'this is a bug in ctxkit (ValueError: bad [REDACTED:github-token])' in said and '\n' not in said
    (file,) = (tmp_path / 'cache' / 'ctxkit' / 'crashes').iterdir()
    assert str(file) in said
    text = file.read_text('utf-8')
    assert TOKEN not in text and 'Traceback' in text and 'ctxkit 0' in text and sys.version.split()[0] in text


def test_crash_report_without_a_place_to_write_is_still_one_line(tmp_path, monkeypatch):
    (tmp_path / 'cache').write_text('a file')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    assert 'could not be written' in report(ValueError('x'), [])


def test_old_crash_reports_are_cleared(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    folder = tmp_path / 'ctxkit' / 'crashes'
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f'2001010{number:02d}.md').write_text('x')
    report(ValueError('x'), [])
    assert len(list(folder.iterdir())) == 11


@pytest.mark.skipif(os.name == 'nt', reason='limits of POSIX')
def test_full_disk_is_one_line_and_nothing_is_lost(git_repo):
    root = git_repo({f'f{number}.py': 'def one():\n    return 1\n' * 50 for number in range(20)})
    assert ctxkit(root, 'update').returncode == 0
    before = {name: (root / '.ctx' / name).read_bytes() for name in ('context.xml', 'status.json')}
    (root / 'f1.py').write_text(''.join(f'def two_{number}():\n    return {number}\n\n\n' for number in range(400)))
    subprocess.run(['git', 'commit', '-qam', 'x'], cwd=root, check=True)
    script = (
        'import resource, runpy, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n'
        'resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); sys.argv[1:] = ["update"]\n'
        'runpy.run_module("ctxkit", run_name="__main__")'
    )
    done = subprocess.run([sys.executable, '-c', script], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.splitlines()) == 1 and 'bug' not in done.stderr
    assert {name: (root / '.ctx' / name).read_bytes() for name in before} == before
    assert ctxkit(root, 'update').returncode == 0
    assert 'fresh' in ctxkit(root, 'status').stdout


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may write everywhere')
def test_read_only_repository_is_one_line_and_git_goes_on(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    install_hooks(root)
    (root / '.git').chmod(0o500)
    try:
        done = ctxkit(root, 'update')
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    finally:
        (root / '.git').chmod(0o700)


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() == 0, reason='root may write everywhere')
@pytest.mark.parametrize('command', ['init', 'watch', 'gc', 'update'])
def test_data_folder_that_cannot_be_written_is_one_line(git_repo, command):
    root = git_repo({'a.py': 'x = 1\n'})
    assert ctxkit(root, 'update').returncode == 0
    data = find(root).data_dir
    data.chmod(0o500)
    try:
        done = ctxkit(root, command)
        assert done.returncode == 1 and 'check permissions' in done.stderr and done.stderr.count('\n') == 1
    finally:
        data.chmod(0o700)


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
    assert 'a worker is at it (init)' in said and 'no context yet' not in said
