"""Bytes and names that break such tools: each works, or is named with the reason."""

from __future__ import annotations

import os
import sys
import time

import pytest
from helpers_main import block, parsed, run, search, status_of, symbols, update, write

KEPT = {'app.py': 'def kept():\n    return 1\n'}
NAMES = [
    'line\nbreak.py',
    'quote"\'.py',
    'esc\x1b[31m.py',
    '-rf.py',
    '--output=x.py',
    ' leading.py',
    'back\\slash.py',
    'emoji \U0001f600.py',
    'bidi\u202etxt.py',
    'per%cent.py',
    '@here.py',
    '&amp;<x>.py',
    'a/../b.py'[2:4] + 'dots..py',
    'tab\there.py',
    'semi;rm -rf.py',
    '$(touch pwned).py',
    ':(top)magic.py',
    '[glob]*.py',
]
BYTES = [b'invalid\xff\xfe.py', b'\xe9t\xe9.py']


def reasons(root):
    return {item['path']: item['reason'] for item in status_of(root)['skipped']}


@pytest.fixture(scope='module')
def names_done():
    return {}


@pytest.mark.parametrize('name', NAMES + BYTES, ids=ascii)
def test_file_name(git_repo, git, name):
    root = git_repo(KEPT)
    target = os.path.join(os.fsencode(root), os.fsencode(name))
    with open(target, 'wb') as out:
        out.write(b'def odd_one():\n    """Do the odd thing."""\n    return 7\n')
    for committed in (False, True):
        if committed:
            git(root, 'add', '-A')
            git(root, 'commit', '-qm', 'odd')
            update(root)
        assert [os.fsencode(place.path) for place in search(root, 'odd_one')][:1] == [os.fsencode(name)]
        for query in ('', 'odd_one'):
            shown = block(root, query)
            assert any(unit.symbol == 'odd_one' for unit in shown.units)
            parsed(shown.to_xml())
            assert '### ' in shown.to_markdown()
            assert shown.to_json().count('\n') == 0
    done = run(root, 'search', 'odd_one')
    assert done.returncode == 0
    assert done.stdout.split('\n')[0].endswith('odd_one')
    assert '\x1b' not in done.stdout
    assert not (root / 'pwned').exists() and not (root / 'x.py').exists()
    assert run(root, 'render').returncode == 0
    assert run(root, 'units').returncode == 0


CONTENT = {
    'crlf.py': b'def from_windows():\r\n    return 1\r\n',
    'bom.py': b'\xef\xbb\xbfdef with_bom():\n    return 1\n',
    'latin.py': b'# caf\xe9\ndef in_latin():\n    return "\xe9"\n',
    'declared.rb': b'# encoding: iso-8859-1\ndef declared\n  "\xe9t\xe9"\nend\n',
    'old_mac.py': b'def old_mac():\r    return 1\r',
    'utf16.py': 'def in_utf16():\n    return "\u00e9"\n'.encode('utf-16'),
    'no_end.py': b'def without_line_end(): return 1',
    'form.py': b'\x0cdef after_feed():\n    return 1\n',
    'cjk.py': 'def 计算(数):\n    """计算 总价。"""\n    return 数 * 2\n'.encode(),
    'broken.py': b'def broken_one(:\n    return 1\n\n\ndef after_broken():\n    return 1\n',
    'empty.py': b'',
    'blank.py': b'\n\n   \n',
}
FOUND = {
    'crlf.py': 'from_windows',
    'bom.py': 'with_bom',
    'latin.py': 'in_latin',
    'declared.rb': 'declared',
    'old_mac.py': 'old_mac',
    'utf16.py': 'in_utf16',
    'no_end.py': 'without_line_end',
    'form.py': 'after_feed',
    'cjk.py': '计算',
    'broken.py': 'after_broken',
}


@pytest.mark.parametrize('committed', [True, False], ids=['committed', 'untracked'])
def test_content_in_any_encoding(git_repo, git, committed):
    root = git_repo({**KEPT, **(CONTENT if committed else {})})
    update(root)
    if not committed:
        write(root, CONTENT)
    for path, symbol in FOUND.items():
        assert symbol in [place.symbol for place in search(root, symbol) if place.path == path], path
        shown = block(root, symbol)
        text = next(unit.text for unit in shown.units if unit.path == path and unit.symbol == symbol)
        assert symbol in text and '\0' not in text and ('été' in text or path != 'declared.rb')
        parsed(shown.to_xml())
    parsed(block(root).to_xml())


BAD = {
    'nul.py': (b'def f():\n    return "\0"\n', 'binary'),
    'image.png': (b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR' + bytes(range(256)) * 4, 'binary'),
    'bundle.min.js': (b'function a(b){return b+1};' * 20_000, 'minified'),
    'line.json': (b'{"a": "' + b'x' * 10_000_000 + b'"}', 'larger'),
    'large.py': (b'# ' + b'y' * 50_000_000 + b'\n', 'larger'),
}


@pytest.mark.parametrize('committed', [True, False], ids=['committed', 'untracked'])
def test_what_is_not_text_to_read_is_named_with_the_reason(git_repo, committed):
    files = {path: content for path, (content, _) in BAD.items()}
    root = git_repo({**KEPT, **(files if committed else {})})
    began = time.monotonic()
    if committed:
        update(root)
        for path, (_, reason) in BAD.items():
            assert reason in reasons(root)[path]
    else:
        write(root, files)
    assert 'kept' in symbols(root, 'kept')
    for query in ('', 'kept'):
        shown = block(root, query).to_xml()
        assert 'def kept' in shown and 'yyyyyyyy' not in shown and 'xxxxxxxx' not in shown
        parsed(shown)
    assert time.monotonic() - began < 60  # a bound on hanging, not a measurement


NESTED = {
    'brackets.py': b'x = ' + b'(' * 100_000 + b')' * 100_000 + b'\n',
    'brackets.js': b'f(' * 50_000 + b')' * 50_000,
    'braces.c': b'int main() ' + b'{' * 100_000 + b'}' * 100_000,
    'brackets.json': b'[' * 100_000 + b']' * 100_000,
    'quotes.md': b'>' * 100_000 + b' deep\n',
    'ifs.py': b''.join(b' ' * depth + b'if x:\n' for depth in range(500)) + b' ' * 500 + b'pass\n',
}


@pytest.mark.parametrize('name', NESTED)
def test_deep_nesting_neither_crashes_nor_hangs(git_repo, name):
    root = git_repo({**KEPT, name: NESTED[name]})
    done = run(root, 'update', said=b'')
    assert (done.returncode, done.stderr) == (0, '')
    assert 'kept' in symbols(root, 'kept')
    parsed(block(root, 'x deep main').to_xml())


def test_recursion_limit_is_not_needed(git_repo):
    """A file of tens of thousands of statements in one expression."""
    root = git_repo({**KEPT, 'sum.py': 'total = ' + ' + '.join(f'value_{number}' for number in range(20_000)) + '\n'})
    limit = sys.getrecursionlimit()
    update(root)
    assert sys.getrecursionlimit() == limit
    assert 'kept' in symbols(root, 'kept')


def test_query_can_be_anything(git_repo):
    root = git_repo(KEPT)
    update(root)
    for query in (
        '',
        ' ',
        '\0',
        '\x1b[31m',
        '"' * 5000,
        'word ' * 30_000,
        '计算',
        '../../etc/passwd',
        '-k',
        '\ud800',
        '()',
        'x' * 200_000,
        '<unit>',
        ']]>',
        '*',
        '%s',
        '\n\n',
    ):
        search(root, query)
        text = block(root, query).to_xml()
        parsed(text)


def test_query_that_begins_with_a_dash(git_repo):
    root = git_repo(KEPT)
    assert 'kept' in run(root, 'search', '--', '-kept').stdout
    assert run(root, 'render', '--query', '-kept').returncode == 0
