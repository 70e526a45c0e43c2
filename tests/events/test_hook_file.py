"""Our lines in a hook file: beside what is there, and taken away to the byte."""

from __future__ import annotations

import subprocess

import pytest

from ctxkit.events.hook_file import has, put, take, why_not
from ctxkit.events.shim import HOOKS, block

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


@pytest.mark.parametrize('shell', ['sh', 'bash', 'dash'])
@pytest.mark.parametrize('options', ['', '-eu'])
def test_lines_go_on_in_every_shell_and_with_strict_options(tmp_path, shell, options):
    for hook in HOOKS:
        file = tmp_path / hook
        file.write_bytes(block(hook, '/nowhere/python') + b'echo after\n')
        done = subprocess.run([shell, *options.split(), file], capture_output=True, cwd=tmp_path, check=False)
        assert (done.stdout, done.stderr, done.returncode) == (b'after\n', b'', 0)


def test_hooks_folder_holds_what_init_writes_but_for_the_interpreter():
    from pathlib import Path

    for hook in HOOKS:
        file = Path(__file__).parents[2] / 'hooks' / hook
        assert file.read_bytes() == put(None, block(hook, ''))
