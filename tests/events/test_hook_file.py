"""Our lines in a hook file: beside what is there, and taken away to the byte."""

from __future__ import annotations

import os
import subprocess
import time
from shutil import which

import pytest

from ctxkit.events.hook_file import has, put, take, why_not
from ctxkit.events.requests import folder, pending
from ctxkit.events.shim import HOOKS, block
from ctxkit.repo import find
from ctxkit.safety.paths import CTX_IGNORE

LINES = block('post-commit', "/opt/my python/it's/bin/python")
THERE = {
    'plain': b'#!/bin/sh\necho one\n',
    'no line break at the end': b'#!/bin/sh\necho one',
    'only a shebang': b'#!/bin/bash',
    'exit at the end': b'#!/bin/sh\necho one\nexit 0\n',
    'exec': b'#!/usr/bin/env bash\nexec other "$@"\n',
    'options': b'#!/bin/sh -eu\necho one\n',
    'no shebang': b'echo one\n',
    'line breaks of windows': b'#!/bin/sh\r\necho one\r\n',
    'invalid utf-8': b'#!/bin/sh\necho \xff\xfe\n',
    'blank lines': b'#!/bin/sh\n\n\necho one\n\n\n',
    'env -S': b'#!/usr/bin/env -S bash -e\necho one\n',
}


@pytest.mark.parametrize('content', THERE.values(), ids=THERE.keys())
def test_what_was_there_comes_back_to_the_byte(content):
    with_ours = put(content, LINES)
    assert has(with_ours) and not has(content)
    assert take(with_ours) == content
    assert put(with_ours, LINES) == with_ours


@pytest.mark.parametrize('content', THERE.values(), ids=THERE.keys())
def test_shell_script_can_be_extended(content):
    assert why_not(content) == ''


def test_renewed_lines_stay_in_their_place():
    newer = block('post-commit', '/elsewhere/python')
    assert put(put(b'#!/bin/sh\necho one\nexit 0\n', LINES), newer) == put(b'#!/bin/sh\necho one\nexit 0\n', newer)


def test_file_that_we_made_is_gone_without_us():
    assert take(put(None, LINES)) is None
    assert take(put(b'', LINES)) is None


@pytest.mark.parametrize(
    'content',
    [
        b'#!/usr/bin/env python3\nprint(1)\n',
        b'#!/usr/bin/node\n',
        b'#!/usr/bin/fish\n',
        b'\x7fELF\0\0',
        b'#!/usr/bin/perl -w\n',
        b'#!/usr/bin/env pwsh\n',
    ],
)
def test_hook_of_another_language_is_refused_with_the_reason(content):
    assert why_not(content)


def test_hook_after_us_gets_standard_input_and_its_own_exit_status(tmp_path):
    hook = tmp_path / 'post-rewrite'
    hook.write_bytes(put(b'#!/bin/sh\ncat\necho "$1"\nexit 3\n', block('post-rewrite', '/nowhere/python')))
    hook.chmod(0o755)
    done = subprocess.run([hook, 'rebase'], input=b'old new\n', capture_output=True, cwd=tmp_path, check=False)
    assert done.stdout == b'old new\nrebase\n'
    assert done.returncode == 3


SHELLS = [['sh'], ['bash'], ['dash'], ['ksh'], ['mksh'], ['busybox', 'sh'], ['zsh'], ['zsh', '--emulate', 'sh']]


@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
@pytest.mark.parametrize('options', [[], ['-e'], ['-e', '-u']], ids=' '.join)
def test_lines_go_on_in_every_shell_and_with_strict_options(git_repo, shell, options):
    root = git_repo({'a.py': 'x = 1\n'})
    for hook in HOOKS:
        file = root / hook
        file.write_bytes(block(hook, which('true') or '') + b'echo after\n')
        done = subprocess.run([*shell, *options, file], capture_output=True, cwd=root, check=False)
        assert (done.stdout, done.stderr, done.returncode) == (b'after\n', b'', 0)
    noted = {request.read_text() for request in (root / '.git' / 'ctxkit' / 'requests').iterdir()}
    assert noted == {f'{hook}\n\n{root}' for hook in HOOKS}


@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
@pytest.mark.parametrize(
    ('says', 'starts'),
    [
        ('exit 77', False),
        ('while [ $# -gt 2 ]; do shift; done; exec "$2"', True),
        ('echo "flock: invalid option -- E" >&2; exit 1', True),
        ('exit 127', True),
    ],
    ids=['held', 'free', 'BusyBox', 'broken'],
)
def test_worker_is_started_unless_flock_says_that_one_is_at_it(git_repo, tmp_path, shell, says, starts):
    root, programs = git_repo({'a.py': 'x = 1\n'}), tmp_path / 'programs'
    programs.mkdir()
    (root / '.git' / 'ctxkit').mkdir()
    (root / '.git' / 'ctxkit' / 'worker.lock').touch()
    for name, text in (('flock', f'{says}\n'), ('py thon', 'exit 0\n')):
        (programs / name).write_text(f'#!/bin/sh\n: >"{tmp_path}/{name} began"\n{text}')
        (programs / name).chmod(0o755)
    file = tmp_path / 'hook'
    # `wait` is not in a hook: it tells the test that what git does not wait for has ended
    lines = block('post-commit', str(programs / 'py thon')).replace(b'  } &\n', b'  } & wait\n')
    file.write_bytes(lines)
    environ = {**os.environ, 'PATH': f'{programs}{os.pathsep}{os.environ["PATH"]}'}
    done = subprocess.run([*shell, file], capture_output=True, cwd=root, check=False, env=environ)
    assert (done.stdout, done.stderr, done.returncode) == (b'', b'', 0)
    assert (tmp_path / 'flock began').exists()
    assert (tmp_path / 'py thon began').exists() == starts


@pytest.mark.skipif(os.name == 'nt' or not which('flock'), reason='no flock')
@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
def test_lock_that_was_taken_for_git_is_not_held_while_the_worker_works(git_repo, tmp_path, shell):
    root, taken, end = git_repo({'a.py': 'x = 1\n'}), tmp_path / 'taken', tmp_path / 'end'
    worker = tmp_path / 'worker'
    worker.write_text(f'#!/bin/sh\n: >"{tmp_path}/began"\nwhile [ ! -e "{end}" ]; do sleep 0.05; done\n')
    worker.chmod(0o755)
    file = root / 'hook'
    file.write_bytes(block('post-merge', str(worker)))
    command = f'exec 9>"{taken}"; flock 9; "$@"'
    subprocess.run(['sh', '-c', command, 'sh', *shell, str(file)], cwd=root, check=True)
    try:
        until = time.monotonic() + 60
        while not (tmp_path / 'began').exists() and time.monotonic() < until:
            time.sleep(0.02)
        assert subprocess.run(['flock', '-n', taken, 'true'], check=False).returncode == 0
    finally:
        end.touch()


@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
def test_events_without_a_ctxkit_that_starts_leave_one_request_and_not_one_each(git_repo, shell):
    root = git_repo({'a.py': 'x = 1\n'})
    file = root / '.git' / 'hook'
    file.write_bytes(block('post-merge', which('false') or '').replace(b'  } &\n', b'  } & wait\n'))
    for _ in range(3):
        assert subprocess.run([*shell, file], cwd=root, check=False).returncode == 0
    assert [kept.read_text() for kept in folder(root / '.git').iterdir()] == [f'post-merge\n\n{root}']
    assert [request.event for request in pending(root / '.git')] == ['post-merge']


@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
def test_folder_of_the_artefacts_is_there_before_git_goes_on(git_repo, git, shell):
    root = git_repo({'a.py': 'x = 1\n'})
    file = root / '.git' / 'hook'
    file.write_bytes(block('post-merge', which('true') or ''))
    for _ in range(2):
        assert subprocess.run([*shell, file], cwd=root, check=False).returncode == 0
        assert (root / '.ctx' / '.gitignore').read_bytes() == CTX_IGNORE.encode()
    assert git(root, 'status', '--porcelain') == ''


@pytest.mark.skipif(os.name == 'nt' or os.geteuid() != 0, reason='only root makes files of another user')
@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
def test_beside_another_users_folder_a_request_goes_to_one_of_ones_own(git_repo, shell):
    root = git_repo({'a.py': 'x = 1\n'})
    theirs = root / '.git' / 'ctxkit'
    (theirs / 'requests').mkdir(parents=True)
    os.chown(theirs, 4711, -1)
    file = root / 'hook'
    file.write_bytes(block('post-merge', which('true') or ''))
    assert subprocess.run([*shell, file], cwd=root, check=False).returncode == 0
    assert not list((theirs / 'requests').iterdir())
    assert [request.event for request in pending(root / '.git')] == ['post-merge']


@pytest.mark.skipif(os.name == 'nt', reason='one folder for all users there')
@pytest.mark.parametrize('shell', [pytest.param(shell, id=' '.join(shell)) for shell in SHELLS if which(shell[0])])
def test_a_folder_of_ones_own_stays_in_use_when_the_first_user_takes_theirs_away(git_repo, shell):
    root = git_repo({'a.py': 'x = 1\n'})
    mine = root / '.git' / f'ctxkit-{os.geteuid()}'
    mine.mkdir()
    file = root / 'hook'
    file.write_bytes(block('post-merge', which('true') or ''))
    assert subprocess.run([*shell, file], cwd=root, check=False).returncode == 0
    assert (len(list((mine / 'requests').iterdir())), find(root).data_dir) == (1, mine)
    assert not (root / '.git' / 'ctxkit').exists()


@pytest.mark.skipif(os.name == 'nt', reason='no line break in a name')
def test_nothing_is_written_beside_a_repository_whose_path_has_a_line_break(tmp_path, git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'}, name='one\ntwo')
    git(root, 'worktree', 'add', '-q', '--detach', str(root.parent / 'other'))
    for hook in HOOKS:  # as `git worktree add` calls it: without GIT_DIR, so that the file `.git` is read
        file = tmp_path / hook
        file.write_bytes(block(hook, which('true') or ''))
        assert subprocess.run(['sh', file], capture_output=True, cwd=root.parent / 'other', check=False).returncode == 0
    assert not (root.parent / 'one').exists()


def test_hooks_folder_holds_what_init_writes_but_for_the_interpreter():
    from pathlib import Path

    for hook in HOOKS:
        file = Path(__file__).parents[2] / 'hooks' / hook
        assert file.read_bytes() == put(None, block(hook, ''))
