"""Whatever happens to the index, it is made again from git; nothing is lost, and nothing is answered from ruins."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers_main import block, run, search, status_of, stored_files, symbols, update, write

from ctxkit.errors import CtxError
from ctxkit.index.base import base_file
from ctxkit.index.segment import MAGIC
from ctxkit.index.store import Store
from ctxkit.repo import find

CODE = {f'mod{number}.py': f'def function_{number}(value):\n    return value + {number}\n' for number in range(8)}


@pytest.fixture
def work(git_repo):
    root = git_repo(CODE)
    update(root)
    return root


def index_of(root):
    return find(root).data_dir / 'index.db'


def remove_index(root):
    for name in ('index.db', 'index.db-wal', 'index.db-shm'):
        (find(root).data_dir / name).unlink(missing_ok=True)


def flush(root):
    with sqlite3.connect(index_of(root)) as db:
        db.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()


def assert_works(root):
    assert update(root).files == len(CODE)
    assert 'function_3' in symbols(root, 'function_3')
    assert 'return value + 3' in block(root, 'function_3').to_xml()


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


def test_index_of_a_newer_version_is_left_alone_with_one_line(work):
    with sqlite3.connect(index_of(work)) as db:
        db.execute('PRAGMA user_version=99')
    db.close()
    before = index_of(work).read_bytes()
    done = run(work, 'search', 'function_3')
    assert done.returncode == 1
    assert 'newer ctxkit' in done.stderr and done.stderr.count('\n') == 1
    assert index_of(work).read_bytes() == before


def test_index_of_an_older_version_is_replaced(work):
    with sqlite3.connect(index_of(work)) as db:
        db.execute('ALTER TABLE file RENAME COLUMN postings TO something')
        db.execute('PRAGMA user_version=1')
    db.close()
    assert_works(work)


def test_deleted_folder_is_made_again(work):
    import shutil

    shutil.rmtree(find(work).data_dir)
    assert 'function_3' in symbols(work, 'function_3')
    assert_works(work)


def test_deleted_index_with_everything_else_left_gives_no_wrong_answer(work, git):
    """Ids of a new database must not be taken for those that a manifest or a segment remembers."""
    remove_index(work)
    write(work, {'mod2.py': 'LIMIT = 1\n\n\ndef other_name():\n    return 1\n\n\ndef third():\n    pass\n'})
    git(work, 'commit', '-qam', 'other')
    update(work)
    found = {place.symbol: place for place in search(work, 'other_name third function_2')}
    assert found['other_name'].start_line == 4
    assert 'function_2' not in found


def test_deleted_index_is_noticed_by_every_worktree(work, git, tmp_path):
    other = tmp_path / 'second'
    git(work, 'worktree', 'add', '-q', str(other), '-b', 'second')
    write(other, {'aaa.py': 'def first_of_all(): pass\n'})
    git(other, 'add', '-A')
    git(other, 'commit', '-qm', 'one more')
    update(other)
    remove_index(work)
    update(other)
    assert 'function_3' in symbols(work, 'function_3')
    assert 'return value + 3' in block(work, 'function_3').to_xml()


def test_collected_ids_are_not_used_again(git_repo, git):
    root = git_repo({'a.py': 'def aaa():\n    return 1\n', 'z.py': 'def zzz():\n    return 1\n'})
    update(root)
    git(root, 'rm', '-q', 'z.py')
    git(root, 'commit', '-qm', 'gone')
    update(root)
    assert run(root, 'gc', '--days', '0').returncode == 0
    write(root, {'z.py': 'LIMIT = 3\n\n\ndef brand_new():\n    return 1\n'})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'new')
    update(root)
    found = {place.symbol: place.start_line for place in search(root, 'brand_new zzz')}
    assert found.get('brand_new') == 4
    assert 'zzz' not in found


@pytest.mark.parametrize('damage', ['deleted', 'truncated', 'empty', 'noise', 'header'])
def test_damaged_segment_is_made_again(work, damage):
    file = base_file(find(work))
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


@pytest.mark.parametrize('name', ['base.segment', 'index.db', 'trees'])
def test_changed_bytes_never_change_an_answer(work, name):
    flush(work)
    data = find(work).data_dir
    kept = {file: file.read_bytes() for file in data.rglob('*') if file.is_file() and file.suffix != '.lock'}
    damaged = [file for file in kept if name in (file.name, file.parent.name)]
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


def test_index_that_another_process_made_anew_is_not_removed(work):
    with pytest.raises(CtxError, match='was damaged'), Store(find(work).data_dir):
        remove_index(work)
        update(work)
        raise sqlite3.DatabaseError('what was opened is damaged')
    assert update(work).sliced_files == 0


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


@pytest.mark.slow
def test_killed_first_index_goes_on_where_it_stopped(git_repo):
    many = 900
    root = git_repo(
        {
            f'pack{number % 30}/mod{number}.py': ''.join(
                f'def function_{number}_{one}(value):\n    """Do {one}."""\n    return helper(value, {one})\n\n\n'
                for one in range(40)
            )
            for number in range(many)
        }
    )
    process = subprocess.Popen([sys.executable, '-m', 'ctxkit', 'update'], cwd=root, stdin=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if index_of(root).exists() and stored_files(root) > 100:
                break
        except (sqlite3.Error, CtxError):
            pass
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)
    kept = stored_files(root)
    assert 100 < kept < many, 'killed too late to tell anything'
    done = update(root)
    assert done.sliced_files == many - kept
    assert done.files == many


@pytest.mark.skipif(not os.path.isdir('/proc/self'), reason='looks for processes in /proc')
def test_killed_first_index_leaves_no_process_behind(git_repo):
    root = git_repo(
        {
            f'pack{number % 30}/mod{number}.py': ''.join(
                f'def function_{number}_{one}(value):\n    return helper(value, {one})\n\n\n' for one in range(30)
            )
            for number in range(400)
        }
    )
    mark = f'CTXKIT_TEST_MARK={root}'
    process = subprocess.Popen(
        [sys.executable, '-m', 'ctxkit', 'update'],
        cwd=root,
        stdin=subprocess.DEVNULL,
        env={**os.environ, 'CTXKIT_TEST_MARK': str(root)},
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and len(marked(mark)) < 3 and process.poll() is None:
        time.sleep(0.02)
    assert process.poll() is None, 'it was over before its workers were seen'
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    end = time.monotonic() + 20
    while marked(mark) and time.monotonic() < end:
        time.sleep(0.1)
    left = marked(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def marked(mark):
    """The processes that have `mark` in their environment."""
    found = []
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open(f'/proc/{name}/environ', 'rb') as source:
                    if mark.encode() in source.read():
                        found.append(int(name))
            except OSError:
                continue
    return found


def test_two_processes_that_update_at_once_both_succeed(git_repo):
    root = git_repo({f'mod{number}.py': f'def function_{number}():\n    return {number}\n' for number in range(150)})
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: run(root, 'update'), range(3)))
    assert [(one.returncode, one.stderr) for one in done] == [(0, '')] * 3
    assert status_of(root)['files'] == 150
    assert stored_files(root) == 150
    assert 'function_77' in symbols(root, 'function_77')


def test_searches_during_an_update_see_whole_answers(work, git):
    write(work, {f'extra{number}.py': f'def extra_{number}():\n    return {number}\n' for number in range(120)})
    git(work, 'add', '-A')
    git(work, 'commit', '-qm', 'more')
    with ThreadPoolExecutor(3) as pool:
        updating = pool.submit(run, work, 'update')
        looking = [pool.submit(run, work, 'search', 'function_3') for _ in range(3)]
        for one in (updating, *looking):
            done = one.result()
            assert (done.returncode, done.stderr) == (0, '')
        assert all('function_3' in one.result().stdout for one in looking)


def test_database_of_no_use_that_may_not_be_replaced_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr('os.access', lambda *_: False)
    (tmp_path / 'index.db').write_bytes(b'bytes' * 1000)
    with pytest.raises(CtxError, match='cannot be read .* nothing may be written'):
        Store(tmp_path)
