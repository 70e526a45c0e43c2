"""Where nothing can be written, and where ctxkit itself fails: one line, no secret, nothing lost."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from helpers_events import ctxkit, install_hooks

from ctxkit.crash import report
from ctxkit.repo import find

TOKEN = 'gh' + 'p_' + 'aB3' * 12


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
