"""What the model is told about a chunk."""

from __future__ import annotations

from ctxkit.embedding.text import MAX_CHARACTERS, passage
from ctxkit.slicing import slice_file


def test_folder_stem_and_symbol_come_before_the_code():
    source = b'class Router:\n    def add(self, path):\n        return path\n'
    chunk = next(c for c in slice_file('src/web/routing.py', source).chunks if c.kind == 'method')
    text = passage('src/web/routing.py', chunk, source)
    assert text.startswith('web routing Router')
    assert text.split('\n', 1)[1].lstrip().startswith('def add(self, path)')


def test_a_file_without_folder_or_suffix_has_a_head_too():
    source = b'#!/bin/sh\nrun() {\n  echo hello\n}\n'
    chunk = slice_file('run.sh', source).chunks[0]
    assert passage('run.sh', chunk, source).split('\n')[0].split()[0] == 'run'
    assert passage('.profile', chunk, source).split('\n')[0].strip().startswith('.profile')


def test_a_huge_function_is_cut():
    source = b'def f():\n' + b'    value = compute(value)\n' * 1000
    chunk = next(c for c in slice_file('a.py', source).chunks if c.kind == 'function')
    assert len(passage('a.py', chunk, source)) == MAX_CHARACTERS
