"""Bytes of the index that changed, or are none of ours: it is made again, nothing is answered from ruins."""

from __future__ import annotations

import json
import random
import sqlite3

import pytest
from helpers_index import CODE, assert_works, index_of, remove_index
from helpers_main import block, run, search, symbols, update, write

from ctxkit.errors import CtxError
from ctxkit.index.base import base_file, changed_file
from ctxkit.index.manifest import file_of as manifest_file
from ctxkit.index.segment import MAGIC
from ctxkit.index.store import Store
from ctxkit.repo import find, snapshot
from ctxkit.units import hot


def flush(root):
    with sqlite3.connect(index_of(root)) as db:
        db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()


@pytest.mark.parametrize(
    'content', [b'', b'not a database, and long enough to have a header' * 40, b'SQLite format 3\0']
)
def test_file_that_is_no_database_is_replaced(work, content):
    remove_index(work)
    index_of(work).write_bytes(content)
    assert_works(work)


@pytest.mark.parametrize('command', ['search', 'update', 'render', 'gc'])
def test_damaged_pages_are_noticed_and_the_index_made_again(work, command):
    flush(work)
    data = bytearray(index_of(work).read_bytes())
    for page in range(4096, len(data), 4096):
        data[page : page + 200] = b'\xff' * 200
    index_of(work).write_bytes(data)
    extra = {'search': ['function_3'], 'render': ['--query', 'function_3']}.get(command, [])
    done = run(work, command, *extra)
    assert (done.returncode, done.stderr) == (0, ''), done.stderr
    assert_works(work)


def test_truncated_database_is_made_again(work):
    flush(work)
    data = index_of(work).read_bytes()
    index_of(work).write_bytes(data[: len(data) // 2])
    assert_works(work)


def change(work, git):
    """A commit that leaves a segment of its own beside the base."""
    write(work, {'mod5.py': CODE['mod5.py'] + '# changed\n'})
    git(work, 'commit', '-qam', 'change')
    update(work)
    assert changed_file(find(work)).is_file()


@pytest.mark.parametrize('kept', [base_file, changed_file])
@pytest.mark.parametrize('damage', ['deleted', 'truncated', 'empty', 'noise', 'header'])
def test_damaged_segment_is_made_again(work, git, kept, damage):
    change(work, git)
    file = kept(find(work))
    data = file.read_bytes()
    if damage == 'deleted':
        file.unlink()
    else:
        file.write_bytes(
            {
                'truncated': data[:-100],
                'empty': b'',
                'noise': b'\x00' * len(data),
                'header': data[:30] + b'\xff' * 20 + data[50:],
            }[damage]
        )
    assert_works(work)


@pytest.mark.parametrize('command', [('search', 'function_3'), ('render', '--query', 'function_3')])
def test_segment_whose_numbers_are_damaged_is_made_again(work, command):
    file = base_file(find(work))
    data = bytearray(file.read_bytes())
    start = len(MAGIC) + 4
    body = start + int.from_bytes(data[len(MAGIC) : start], 'little')
    _, offset, size = json.loads(data[start:body])['layout']['post_chunk']
    data[body + offset : body + offset + size] = b'\xff' * size
    file.write_bytes(data)
    done = run(work, *command)
    assert (done.returncode, done.stderr) == (0, '') and 'mod3.py' in done.stdout
    assert file.read_bytes() != data


def all_answers(root):
    """What is told of a tree, by search, with a request, and after an update."""
    blocks = [block(root, request, now=2e9).to_xml() for request in ('', 'function_3 value')]
    found = search(root, 'function_3 value')
    update(root, now=2e9)
    return blocks, found, (root / '.ctx' / 'context.xml').read_text('utf-8')


@pytest.mark.parametrize('name', ['base.segment', '.changed.segment', 'index.db', 'trees'])
def test_changed_bytes_never_change_an_answer(work, git, name):
    if name == '.changed.segment':
        change(work, git)
    flush(work)
    data = find(work).data_dir
    kept = {file: file.read_bytes() for file in data.rglob('*') if file.is_file() and file.suffix != '.lock'}
    damaged = [file for file in kept if file.name.endswith(name) or file.parent.name == name]
    assert damaged
    right = all_answers(work)
    for seed in range(24):
        dice = random.Random(seed)
        remove_index(work)
        for file, content in kept.items():
            file.write_bytes(content)
        if name == 'index.db':  # else nobody reads the postings
            base_file(find(work)).unlink()
        for file in damaged:
            content = bytearray(kept[file])
            for _ in range(8):
                content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
            file.write_bytes(content)
        assert all_answers(work) == right, seed


@pytest.mark.parametrize(
    'damage',
    [
        "UPDATE file SET places = replace(places, '\"line\"', '\"enil\"') || 'x'",
        'UPDATE file SET refs = (SELECT refs FROM file ORDER BY id DESC)',
        'UPDATE file SET postings = substr(postings, 11)',
        'UPDATE file SET chunks = chunks + 1',
        "UPDATE file SET blob = CAST(x'ff' || substr(blob, 2) AS TEXT)",
        'UPDATE vector SET data = (SELECT data FROM vector ORDER BY file DESC)',
        'DELETE FROM file WHERE id = (SELECT min(id) FROM file)',
        'DELETE FROM vector',
        'DROP TABLE file',
    ],
)
def test_damaged_values_are_noticed(work, damage):
    with (work / 'mod2.py').open('a') as edited:
        edited.write('\n\ndef edited():\n    return function_3(1)\n')
    right = all_answers(work)
    with sqlite3.connect(index_of(work)) as db:
        db.execute(damage)
    db.close()
    base_file(find(work)).unlink()
    assert all_answers(work) == right


def test_file_that_the_index_does_not_take_in_is_noticed(work, git):
    with sqlite3.connect(index_of(work)) as db:
        db.execute('CREATE TRIGGER lost BEFORE INSERT ON file BEGIN SELECT RAISE(IGNORE); END')
    db.close()
    write(work, {'new.py': 'def brand_new():\n    return 1\n'})
    git(work, 'add', '-A')
    git(work, 'commit', '-qm', 'new')
    assert (update(work).skipped, symbols(work, 'brand_new')[:1]) == ((), ['brand_new'])


@pytest.mark.parametrize('content', ['', '{', '[]', '{"format": 1}', 'null'])
def test_damaged_manifest_is_made_again(work, content):
    for file in (find(work).data_dir / 'trees').iterdir():
        file.write_text(content)
    assert_works(work)


def test_broken_lines_in_the_stream_are_passed_over(work):
    good = (work / '.ctx' / 'units.jsonl').read_text('utf-8')
    odd = (
        'not json',
        '[]',
        'null',
        '{"schema": 1}',
        '{"schema": 1, "time": "now"}',
        '[' * 100_000,
        '{"schema":1,"time":99999999999,"id":1,"event":2,"commit":3,"path":4,"symbol":5,"kind":6,"start_line":7,'
        '"end_line":8,"change":9,"digest":10,"edits_today":11,"tokens":1,"signature":2,"text":3}',
    )
    (work / '.ctx' / 'units.jsonl').write_text('\n'.join(odd) + '\n' + good)
    assert 'def function' in block(work).to_xml()
    assert run(work, 'units').returncode == 0
    assert_works(work)


def test_database_of_no_use_that_may_not_be_replaced_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr('os.access', lambda *_: False)
    (tmp_path / 'index.db').write_bytes(b'bytes' * 1000)
    with pytest.raises(CtxError, match='cannot be read .* cannot be written here'):
        Store(tmp_path)


@pytest.mark.parametrize('part', ['manifest', 'index.db'])
def test_an_edit_is_told_from_the_rest_of_its_file_without_a_part_of_the_index(git_repo, part):
    code = '\n\n'.join(f'def part{number}(x):\n    return x + {number}\n' for number in range(6))
    root = git_repo({'mod.py': code})
    update(root)
    repo = find(root)
    hot.save(repo, hot.Prepared(snapshot(repo).commit, ()))  # no unit tells of the file, as long after its commit
    write(root, {'mod.py': code.replace('x + 3', 'x + 33')})
    if part == 'manifest':
        manifest_file(repo).unlink()  # one of another ctxkit is none either
    else:
        remove_index(root)
    assert [unit.symbol for unit in block(root).units] == ['part3']
