"""Bytes that break other tools: each gives chunks or a reason in words, and never an exception."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from ctxkit.render.block import Block
from ctxkit.slicing import GIVEN_UP, SlicedFile, language_of, readable, slice_file
from ctxkit.slicing.languages import LANGUAGES
from ctxkit.slicing.parse import _deep

PYTHON = b'import os\n\ndef one(a):\n    return two(a)\n\nclass C:\n    x = 1\n\n    def m(self):\n        return 1\n'


def symbols(sliced: SlicedFile) -> list[str]:
    return [chunk.symbol for chunk in sliced.chunks if chunk.kind != 'module']


def check(source: bytes, sliced: SlicedFile) -> None:
    """What holds for the chunks of any file."""
    source = readable(source)
    places = [(chunk.start_byte, -chunk.end_byte) for chunk in sliced.chunks]
    assert places == sorted(places)
    for chunk in sliced.chunks:
        assert 0 <= chunk.start_byte < chunk.end_byte <= len(source)
        assert 1 <= chunk.start_line <= chunk.line <= chunk.end_line <= source.count(b'\n') + 1
        assert chunk.start_line == source.count(b'\n', 0, chunk.start_byte) + 1
        assert chunk.end_line == source.count(b'\n', 0, chunk.end_byte - 1) + 1
        assert chunk.text(source).strip()
        assert all(chunk.start_byte <= start < end <= chunk.end_byte for start, end in chunk.spans)
        if chunk.parent >= 0 and chunk.kind != 'section':
            around = sliced.chunks[chunk.parent]
            assert around.start_byte <= chunk.start_byte and chunk.end_byte <= around.end_byte
        assert len(set(chunk.references)) == len(chunk.references)


@pytest.mark.parametrize('name', ['a.py', 'a.md', 'a.txt', 'a.ts', 'a.cc', 'Makefile'])
@pytest.mark.parametrize('source', [b'', b'\n', b' \t\n\n', b'\xef\xbb\xbf', b'\xff\xfe', b'\r\n', b'x', b'}', b'#'])
def test_next_to_nothing_is_no_trouble(name, source):
    sliced = slice_file(name, source)
    assert not sliced.skipped
    check(source, sliced)


def test_windows_line_ends_and_a_mark_change_nothing_but_the_bytes():
    plain = slice_file('a.py', PYTHON)
    source = b'\xef\xbb\xbf' + PYTHON.replace(b'\n', b'\r\n')
    sliced = slice_file('a.py', source)
    check(source, sliced)
    assert symbols(sliced) == symbols(plain) == ['one', 'C', 'C.m']
    assert [chunk.line for chunk in sliced.chunks] == [chunk.line for chunk in plain.chunks]
    assert sliced.chunks[0].text(source) == 'import os'


@pytest.mark.parametrize('encoding', ['utf-16-le', 'utf-16-be'])
def test_utf16_is_read(encoding):
    mark = b'\xff\xfe' if encoding.endswith('le') else b'\xfe\xff'
    source = mark + PYTHON.decode().encode(encoding)
    sliced = slice_file('a.py', source)
    assert symbols(sliced) == ['one', 'C', 'C.m'] and not sliced.skipped
    assert sliced.chunks[1].text(readable(source)).startswith('def one(a)')


@pytest.mark.parametrize(
    ('name', 'head', 'encoding', 'word'),
    [
        ('a.py', '# -*- coding: latin-1 -*-', 'latin-1', 'café'),
        ('a.py', '#!/usr/bin/env python\n# vim: set fileencoding=iso-8859-15 :', 'iso-8859-15', '€uro'),
        ('a.rb', '# encoding: Windows-1251', 'windows-1251', 'кафе'),
        ('a.c', '/* -*- mode: c; coding: koi8-r -*- */', 'koi8-r', 'кафе'),
    ],
)
def test_a_declared_encoding_of_single_bytes_is_read(name, head, encoding, word):
    source = f'{head}\nx = "{word}";\n'.encode(encoding)
    sliced = slice_file(name, source)
    text = readable(source)
    assert text == readable(text) == f'{head}\nx = "{word}";\n'.encode()
    assert f'x = "{word}";' in ''.join(chunk.text(text) for chunk in sliced.chunks)


@pytest.mark.parametrize(
    'source',
    [
        b'# coding: utf-8\nx = "\xe9"\n',  # not what it says
        b'# coding: latin-1\nx = "\xc3\xa9"\n',  # UTF-8 all the same
        b'# coding: gbk\nx = "\xe9"\n',
        b'# coding: rot13\nx = "\xe9"\n',
        b'# coding: undefined\nx = "\xe9"\n',
        b'# coding: nonsense\nx = "\xe9"\n',
        b'# coding: unicode_escape\nx = "\xe9\\ud800"\n',
        b'# coding: raw_unicode_escape\nx = "\xe9\\ud800"\n',
        b'x = 1\ny = 2\n# coding: latin-1\nx = "\xe9"\n',
        b'encoding: latin-1\nx: \xe9\n',
    ],
)
def test_any_other_encoding_is_left_as_it_is(source):
    assert readable(source) == source


def test_a_line_of_marks_costs_no_time():
    assert readable(b'-*-' * 300_000 + b'\xe9') == b'-*-' * 300_000 + b'\xe9'


def test_the_line_ends_of_the_old_mac_are_line_ends():
    source = PYTHON.replace(b'\n', b'\r')
    sliced = slice_file('a.py', source)
    plain = slice_file('a.py', PYTHON)
    assert [(c.symbol, c.line, c.end_line) for c in sliced.chunks] == [
        (c.symbol, c.line, c.end_line) for c in plain.chunks
    ]
    assert [chunk.text(readable(source)) for chunk in sliced.chunks] == [chunk.text(PYTHON) for chunk in plain.chunks]
    notes = slice_file('a.txt', b'one\r\rtwo\r')
    assert notes.chunks[0].end_line == 3


def test_invalid_utf8_and_late_nul_bytes_are_read():
    source = b'def caf\xe9():\n    return "\xff\xfe"\n' + b'# filler\n' * 1000 + b'def two():\n    return "\0"\n'
    sliced = slice_file('a.py', source)
    check(source, sliced)
    assert 'two' in symbols(sliced)


def test_binary_files_are_skipped_in_words():
    assert slice_file('a.py', b'x = 1\0').skipped == 'binary'
    noise = random.Random(1).randbytes(50_000).replace(b'\0', b' ')
    assert slice_file('data', noise).skipped == 'binary'


def test_minified_and_large_files_are_skipped_in_words():
    bundle = b'/* licence */\n' + b'function a(b){return c(b)};' * 4000 + b'\n'
    assert slice_file('a.js', bundle).skipped == 'minified'
    assert slice_file('a.py', b'x = "' + b'a' * 10_000_000 + b'"').skipped == 'larger than 1 MB'
    assert slice_file('a.py', b'x = "' + b'a' * 10_000_000 + b'"', max_bytes=50_000_000).skipped == 'minified'


def test_a_block_that_somebody_keeps_in_git_is_skipped():
    block = b'<ctxkit version="1" commit="064c6693991f">\n<unit path="a.py">\ndef one(): ...\n</unit>\n</ctxkit>\n'
    assert slice_file('.github/context.xml', block).skipped == 'a block of ctxkit'
    assert not slice_file('docs/format.md', b'```\n' + block + b'```\n').skipped


@pytest.mark.parametrize('form', ['to_xml', 'to_markdown', 'to_json'])
@pytest.mark.parametrize('commit', ['', '064c6693991f' + '0' * 28])
def test_a_block_in_any_form_that_somebody_keeps_is_skipped(form, commit):
    block = Block(commit, 'a "b"', True, 5100, 90, 'estimate', 0, (), ())
    for text in (getattr(block, form)(), getattr(block, form)().replace('\n', '\r\n')):
        assert slice_file('context.md', text.encode()).skipped == 'a block of ctxkit'


def test_what_only_tells_of_blocks_is_not_skipped():
    assert not slice_file('a.md', b'# Context (of a request)\n\nContext of this repository: see below.\n').skipped
    assert not slice_file('a.json', b'{"version": 1, "commit": "064c6693991f", "notes": "none"}\n').skipped


def test_code_with_some_long_lines_is_no_bundle():
    source = b'TABLE = "' + b'a' * 6000 + b'"\n' + b'def one():\n    return 1\n\n' * 200
    assert not slice_file('a.py', source).skipped


@pytest.mark.parametrize('language', sorted(LANGUAGES))
@pytest.mark.parametrize(
    'trap',
    [
        b'(' * 100_000,
        b'[' * 50_000 + b']' * 50_000,
        b'{' * 100_000,
        b'(' * 50_000 + b')' * 50_000,
        b'[\n' * 100_000,
    ],
    ids=['round', 'square', 'curly', 'pairs', 'lines'],
)
def test_deep_nesting_ends_without_a_crash(language, trap):
    name = 'a' + LANGUAGES[language].extensions[0]
    rows = b'<?php\n' * (language == 'php') + b'\n'.join(trap[at : at + 2000] for at in range(0, len(trap), 2000))
    sliced = slice_file(name, rows)
    assert not sliced.skipped and {chunk.kind for chunk in sliced.chunks} == {'text'}
    check(rows, sliced)


def test_code_that_would_cost_the_parser_too_much_is_cut_as_text():
    source = b'x' + b'\n.a(1)' * 40_000
    sliced = slice_file('a.py', source)
    assert sliced.language == 'python' and sliced.broken
    assert {chunk.kind for chunk in sliced.chunks} <= {'text', 'module'}


@pytest.mark.parametrize(('name', 'line'), [('a.js', b'/* x\n'), ('a.py', b'\\\n')])
def test_code_that_the_parser_would_read_thousands_of_times_is_cut_as_text(name, line):
    sliced = slice_file(name, line * 20_000)
    assert sliced.broken == GIVEN_UP and {chunk.kind for chunk in sliced.chunks} == {'text'}


HOURS = {
    'angles that C# leaves open': ('a.cs', b'f<a ' * 400 + b';\n'),
    'closed in comments alone': ('a.cs', b'<a /* > */ "x>" // > \n'),
    'questions that Java leaves open': ('A.java', b'?> x\n'),
    'closures that never end': ('a.swift', b'x() {\n'),
    'strings that never end': ('a.ex', b'"x\n'),
    'more definitions than bytes to call them': ('a.exs', b'def f\n'),
}


@pytest.mark.parametrize(('name', 'line'), HOURS.values(), ids=HOURS)
def test_crafted_code_that_costs_far_more_than_code_does_is_cut_as_text(name, line):
    source = line * (200_000 // len(line))
    sliced = slice_file(name, source)
    assert sliced.broken == GIVEN_UP and {chunk.kind for chunk in sliced.chunks} == {'text'}
    check(source, sliced)


@pytest.mark.parametrize('line', [b'template<a> ' * 60 + b'x', b'a<b> ' * 60 + b'+ f(', b'template<a> ' * 60 + b'(a'])
def test_line_of_templates_is_read_in_one_way(line):
    assert slice_file('a.cpp', b'int f() { return 1; }\n' + line + b'\n').chunks


@pytest.mark.parametrize(
    ('text', 'deep'),
    [
        (b'"' + b'\\"' * 200_000, False),
        (b'/*' * 200_000, False),
        (b'"<" > ' * 90_000, False),
        (b'/* > */ < ' * 90_000, True),
    ],
)
def test_open_angles_are_counted_in_one_pass(text, deep):
    assert _deep(b'<a>' * 2_000 + text, 'csharp') == deep


def test_comparisons_and_generics_of_real_code_are_no_trap():
    source = b'class A {\n' + b'  bool F(List<int> a, int b) => a.Count < 3 || b > 4;\n' * 3_000 + b'}\n'
    assert len(slice_file('a.cs', source).chunks) == 3_001
    source = b'class A {\n' + b'  int f(Map<?, List<?>> a) { return a == null ? 0 : 1; }\n' * 3_000 + b'}\n'
    assert len(slice_file('A.java', source).chunks) == 3_001


@pytest.mark.parametrize(
    'name',
    ['a' + entry.extensions[0] for entry in LANGUAGES.values()] + ['a.md', 'a.rst', 'a.txt'],
)
def test_any_bytes_give_the_same_valid_chunks_each_time(name):
    noise = random.Random(name)
    words = [
        b'def ',
        b'class ',
        b'function ',
        b'fn ',
        b'func ',
        b'impl ',
        b'end\n',
        b'{',
        b'}',
        b'(',
        b')',
        b':',
        b'\n',
        b'  ',
        b'name',
        b'Type',
        b'=',
        b'=>',
        b'"',
        b"'",
        b'/*',
        b'*/',
        b'#',
        b'//',
        b'::',
        b'.',
        b';\n',
        b'\xff',
        b'\xc3\xa9',
        b'\r\n',
        b'import ',
        b'@',
        b'template<',
        b'>',
        b'<<EOF\n',
        b'```\n',
        b'---\n',
        b'# ',
        b'MACRO_X ',
        b'\t',
        b'do\n',
    ]
    for _ in range(12):
        source = b''.join(noise.choices(words, k=noise.randrange(1, 400)))
        sliced = slice_file(name, source)
        check(source, sliced)
        assert sliced == slice_file(name, source)


@pytest.mark.parametrize(
    ('name', 'source', 'kept'),
    [
        (
            'a.py',
            b'def good():\n    return 1\n\nx = = 2\n\nclass Also:\n    def m(self):\n        pass\n',
            {'good', 'Also', 'Also.m'},
        ),
        (
            'a.js',
            b'function good() {\n  return 1\n}\nconst = = ;\nfunction also() {\n  return 2\n}\n',
            {'good', 'also'},
        ),
        ('a.go', b'package p\nfunc good() {\n\tf()\n}\nfunc bad( {\nfunc also() {\n\tg()\n}\n', {'good'}),
    ],
)
def test_broken_code_yields_what_parses(name, source, kept):
    sliced = slice_file(name, source)
    assert kept <= set(symbols(sliced)) and sliced.broken > 0


def test_one_line_functions_inside_functions_stay_in_their_function():
    source = b'def outer():\n    def tiny(): return call()\n    def small():\n        return other()\n    return tiny\n'
    outer, small = slice_file('a.py', source).chunks
    assert (outer.symbol, small.symbol) == ('outer', 'outer.small')
    assert [one.name for one in outer.references] == ['call'] and [one.name for one in small.references] == ['other']
    assert 'def small' in outer.text(source), 'the outer function stays whole'


def test_a_long_remainder_is_cut_into_pieces():
    source = b''.join(b'NAME_%05d = %d\n' % (number, number) for number in range(3000))
    chunks = slice_file('a.py', source).chunks
    assert len(chunks) > 4 and {chunk.kind for chunk in chunks} == {'module'}
    assert b'\n'.join(chunk.text(source).encode() for chunk in chunks).split() == source.split()


def test_names_of_long_receivers_are_read_without_their_text():
    source = b'x = (build\n' + b'    .with_option("some text that is long")\n' * 100 + b'.done())\n'
    (module,) = slice_file('a.py', source).chunks
    assert {'done', 'with_option', 'build'} >= {one.name for one in module.references} >= {'done', 'with_option'}
    assert all(len(one.qualifier) < 200 for one in module.references)


def test_nothing_is_loaded_for_files_without_a_grammar():
    import subprocess
    import sys

    code = (
        'import sys; from ctxkit.slicing import slice_file; slice_file("a.md", b"# T\\n");'
        'print("tree_sitter" in sys.modules)'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'False'


def test_language_of_reads_windows_paths_and_hidden_files():
    assert language_of('src\\pkg\\a.rs') == 'rust' and language_of('.gitignore') == ''


@pytest.mark.parametrize(
    ('name', 'source', 'expected'),
    [
        ('a.js', 'exports.f = function f(a) {\n  function inner() {\n    g()\n  }\n}\n', ['f', 'f.inner']),
        ('a.js', 'res.sendFile = function send(path) {\n  return path\n}\n', ['res.sendFile']),
        ('a.js', 'const K = class K {\n  m() {\n    k()\n  }\n}\n', ['K', 'K.m']),
    ],
)
def test_a_definition_with_a_name_on_both_sides_is_one(name, source, expected):
    sliced = slice_file(name, source.encode())
    check(source.encode(), sliced)
    assert symbols(sliced) == expected


@pytest.mark.parametrize(
    ('path', 'source'),
    [
        ('a.py', b''.join(b'def f%d(a):\n    return g(a)\n\n' % number for number in range(1_000))),
        ('a.rb', b''.join(b'class A%d\n  include B\n  attr_reader :c\nend\n' % number for number in range(1_000))),
    ],
)
def test_a_parser_keeps_nothing_of_what_it_read(path, source):
    """py-tree-sitter 0.26.1 never frees what its callback returns, so that memory grew by all the source it read."""
    slice_file(path, source)
    tracemalloc.start()
    try:
        for _ in range(5):
            slice_file(path, source)
        kept = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, '*slicing*parse.py')])
    finally:
        tracemalloc.stop()
    assert sum(trace.size for trace in kept.traces) < len(source)
