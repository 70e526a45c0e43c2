"""`ctxkit slice` and `ctxkit fold`: JSON lines in and out, good citizens of a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from helpers_main import TOKEN, run, write

CODE = (
    'class Till:\n    """A till."""\n\n    size = 3\n\n'
    '    def open(self, key: str) -> bool:\n        """Open it."""\n        return check(key)\n'
)


def rows(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_slice_gives_one_object_a_chunk(tmp_path):
    write(tmp_path, {'till.py': CODE})
    done = run(tmp_path, 'slice', 'till.py')
    assert (done.returncode, done.stderr) == (0, '')
    by_symbol = {row['symbol']: row for row in rows(done)}
    method = by_symbol['Till.open']
    assert (method['kind'], method['language'], method['line'], method['end_line']) == ('method', 'python', 6, 8)
    assert method['signature'].startswith('def open(self, key: str) -> bool')
    assert 'Open it.' in method['doc']
    assert method['text'].startswith('    def open')
    assert method['tokens'] > 0
    assert {'kind': 'call', 'name': 'check', 'qualifier': '', 'alias': '', 'line': 8} in method['references']
    assert CODE[by_symbol['Till']['start_byte'] :].startswith('class Till')


def test_pipe_of_the_design(git_repo):
    root = git_repo({'a.py': 'def one():\n    return 1\n', 'b.py': 'def two():\n    return 2\n'})
    write(root, {'b.py': 'def two():\n    return 3\n'})
    python = f'{sys.executable} -m ctxkit'
    done = subprocess.run(
        f'git diff --name-only | {python} slice - | {python} fold -',
        shell=True,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ''
    folds = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(fold['path'], fold['symbols'], fold['start_line'], fold['end_line']) for fold in folds] == [
        ('b.py', ['two'], 1, 2)
    ]


def test_names_can_be_nul_separated(tmp_path):
    write(tmp_path, {'odd\nname.py': 'def odd(): pass\n', 'even.py': 'def even(): pass\n'})
    done = run(tmp_path, 'slice', '-', said='odd\nname.py\0even.py\0')
    assert [row['symbol'] for row in rows(done)] == ['odd', 'even']


def test_deleted_and_unreadable_files_are_named_and_passed_over(tmp_path):
    write(tmp_path, {'there.py': 'def there(): pass\n', 'folder/x': ''})
    done = run(tmp_path, 'slice', 'gone\x1b[31m.py', 'folder', 'there.py')
    assert done.returncode == 0
    assert [row['symbol'] for row in rows(done)] == ['there']
    assert len(done.stderr.splitlines()) == 2 and '\x1b' not in done.stderr


def test_link_is_not_followed(tmp_path):
    write(tmp_path, {'secret.txt': 'outside\n'})
    os.symlink(tmp_path / 'secret.txt', tmp_path / 'link.py')
    done = run(tmp_path, 'slice', 'link.py')
    assert done.stdout == '' and 'link' in done.stderr


def test_what_is_skipped_says_why(tmp_path):
    write(tmp_path, {'big.py': b'# x\n' * 500, 'bin.py': b'\0\1'})
    done = run(tmp_path, 'slice', '--max-bytes', '1000', 'big.py', 'bin.py')
    assert done.stdout == ''
    assert 'larger' in done.stderr and 'binary' in done.stderr


def test_secrets_are_taken_out(tmp_path):
    write(
        tmp_path,
        {'a.py': f'KEY = "{TOKEN}"\n\n\ndef use(key="{TOKEN}"):\n    """{TOKEN}"""\n', 'a.md': f'# {TOKEN}\n\nText.\n'},
    )
    sliced = run(tmp_path, 'slice', 'a.py', 'a.md').stdout
    assert TOKEN not in sliced and 'REDACTED' in sliced
    assert TOKEN not in run(tmp_path, 'fold', '-', said=sliced).stdout


def test_fold_joins_what_says_the_same(tmp_path):
    body = '    if value is None:\n        raise ValueError("no value")\n    return convert_number(value)\n'
    write(tmp_path, {'a.py': f'def convert_a(value):\n{body}\n\ndef convert_b(value):\n{body}'})
    sliced = run(tmp_path, 'slice', 'a.py').stdout
    (fold,) = rows(run(tmp_path, 'fold', said=sliced))
    assert fold['symbols'] == ['convert_a', 'convert_b']
    assert (fold['start_line'], fold['end_line']) == (1, 10)
    apart = rows(run(tmp_path, 'fold', '--max-tokens', '10', said=sliced))
    assert [one['symbols'] for one in apart] == [['convert_a'], ['convert_b']]


def test_fold_keeps_files_apart_and_reads_files_too(tmp_path):
    write(tmp_path, {'a.py': 'def same():\n    return 1\n', 'b.py': 'def same():\n    return 1\n'})
    (tmp_path / 'chunks.jsonl').write_text(run(tmp_path, 'slice', 'a.py', 'b.py').stdout)
    assert [fold['path'] for fold in rows(run(tmp_path, 'fold', 'chunks.jsonl'))] == ['a.py', 'b.py']


@pytest.mark.parametrize(
    'said',
    [
        'not json',
        '{}',
        '[]',
        'null',
        '{"path": 1}',
        b'\xff\xfe',
        '[' * 100_000,
        '{"path":1,"text":2,"tokens":3,"start_line":4,"end_line":5,"kind":6,"parent":7}',
    ],
)
def test_what_is_no_chunk_is_one_line(tmp_path, said):
    done = run(tmp_path, 'fold', said=said)
    assert done.returncode == 1
    assert done.stderr.count('\n') == 1 and 'ctxkit slice' in done.stderr


@pytest.mark.parametrize('command', ['slice', 'fold'])
def test_nothing_in_nothing_out(tmp_path, command):
    done = run(tmp_path, command, '-', said='')
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')


def test_file_name_that_is_no_utf8(tmp_path):
    with open(os.fsencode(tmp_path) + b'/caf\xe9.py', 'wb') as out:
        out.write(b'def odd(): pass\n')
    sliced = run(tmp_path, 'slice', '-', said=b'caf\xe9.py\n')
    assert [row['symbol'] for row in rows(sliced)] == ['odd']
    assert rows(run(tmp_path, 'fold', said=sliced.stdout))[0]['symbols'] == ['odd']
