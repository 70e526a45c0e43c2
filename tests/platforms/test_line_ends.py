"""git's conversion of line ends: on Windows the work tree has CRLF where the commit has LF."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from ctxkit.slicing import readable, slice_file

CODE = '''def open_lid(box):
    """Open it.

    Twice.
    """
    return box.lid.open()


def shut(box):
    return 1
'''
NOTEBOOK = """{
 "cells": [
  {
   "cell_type": "code",
   "source": [
    "x = 1"
   ]
  }
 ],
 "nbformat": 4
}
"""
PAGE = '# Boxes\n\nHow lids open.\n\n## Two\n\nmore\n'


def ctxkit(root, *args):
    done = subprocess.run([sys.executable, '-m', 'ctxkit', *args], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def edited(block):
    return re.findall(r'path="([^"]+)" lines="[\d-]+" symbol="([^"]+)" why="(?:edited|added), not committed"', block)


def test_an_edit_in_a_file_with_windows_line_ends_is_the_one_function_that_it_changed(git_repo, git):
    root = git_repo({'README.md': ''})
    git(root, 'config', 'core.autocrlf', 'true')
    for name, text in (('a.py', CODE), ('page.md', PAGE)):
        (root / name).write_bytes(text.replace('\n', '\r\n').encode())
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'LF there, CRLF here')
    assert '\r' not in git(root, 'show', 'HEAD:a.py')
    ctxkit(root, 'update')
    (root / 'a.py').write_bytes((root / 'a.py').read_bytes().replace(b'return 1', b'return 2'))
    (root / 'page.md').write_bytes((root / 'page.md').read_bytes() + b'\r\n## Three\r\n\r\nnew\r\n')
    block = ctxkit(root, 'render', '--budget', '900')
    assert sorted(edited(block)) == [('a.py', 'shut'), ('page.md', 'Boxes &gt; Three')]
    assert '\r' not in block
    assert ctxkit(root, 'search', 'return').startswith('a.py:')


def test_line_ends_do_not_change_what_a_file_is_cut_into():
    assert readable(CODE.replace('\n', '\r\n').encode()) == CODE.encode() == readable(CODE.replace('\n', '\r').encode())
    assert readable(b'x = "\r"\ny\r\n') == b'x = "\r"\ny\n'
    assert readable('\ufeffa\r\nb\r\n'.encode('utf-16-le')) == b'a\nb\n'
    assert slice_file('a.py', CODE.replace('\n', '\r\n').encode()) == slice_file('a.py', CODE.encode())


@pytest.mark.parametrize(
    'source',
    [
        CODE.replace('\n', '\r\r\n').encode(),
        CODE.replace('\n', '\r').encode(),
        CODE.replace('\n', '\r\n').encode('utf-16'),
        NOTEBOOK.encode(),
        NOTEBOOK.replace('\n', '\r\n').encode('utf-16'),
        '# coding: koi8-r\r\nx = "\u0434\u0430"\r\n'.encode('koi8-r'),
    ],
    ids=['converted twice', 'old Mac', 'UTF-16', 'notebook', 'notebook in UTF-16', 'KOI8-R'],
)
def test_what_was_made_readable_stays_as_it_is(source):
    """Who cuts a file has often read it so already, and the ranges are those of what was cut."""
    once = readable(source)
    assert readable(once) == once
    assert b'\r' not in once and b'\0' not in once and b'"cells"' not in once
