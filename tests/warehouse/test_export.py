"""The export can be read by a warehouse's own program, grows by what is new, and changes nothing when done twice."""

from __future__ import annotations

import subprocess
import sys
import time

import duckdb
import pytest
from helpers_stream import unit

from ctxkit.errors import CtxError
from ctxkit.feedback import log as feedback
from ctxkit.metrics import journal
from ctxkit.pipeline import update
from ctxkit.repo import find
from ctxkit.settings import Settings
from ctxkit.units import stream
from ctxkit.units.stream import Related
from ctxkit.warehouse.export import export
from ctxkit.warehouse.tables import TABLES, schemas

NOON = 1_800_014_400.0  # 2027-01-15 12:00 UTC


@pytest.fixture
def repo(git_repo):
    made = find(git_repo({'a.py': 'def f(x):\n    return x\n'}))
    made.ctx_dir.mkdir()
    made.data_dir.mkdir()
    return made


def query(folder, sql: str) -> list[tuple]:
    """The answer of DuckDB to a question over the tables as views."""
    with duckdb.connect() as db:
        for table in TABLES:
            if (folder / table).is_dir():
                source = f"read_parquet('{folder}/{table}/*/*.parquet', hive_partitioning = true)"
                db.execute(f'CREATE VIEW {table} AS SELECT * FROM {source}')
        return db.execute(sql).fetchall()


def contents(folder) -> dict[str, tuple[bytes, int]]:
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in folder.rglob('*.parquet')
    }


def test_duckdb_reads_units_with_what_they_touch(repo, tmp_path):
    related = (Related('calls', True, 1, 'b.py', 3, 4, 'g', 'def g(): ...'),)
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON)._replace(related=related), unit(2, when=NOON + 1)])
    assert export(repo, Settings(), tmp_path / 'out', NOON + 60)['units'] == 2
    asked = query(
        tmp_path / 'out', 'SELECT symbol, path, len(related), related[1].symbol, date FROM units ORDER BY time'
    )
    assert [row[:4] for row in asked] == [('f1', 'src/a1.py', 1, 'g'), ('f2', 'src/a2.py', 0, None)]
    assert str(asked[0][4]) == '2027-01-15'


def test_what_really_happened_can_be_asked_for(git, git_repo, tmp_path):
    repo = find(git_repo({'a.py': 'def f(x):\n    return x\n'}))
    update(repo, Settings(), now=time.time())
    (repo.root / 'a.py').write_text('def f(x):\n    return x + 1\n')
    git(repo.root, 'commit', '-qam', 'second')
    for command in (['update'], ['render'], ['export', '--parquet', str(tmp_path / 'out')]):
        subprocess.run([sys.executable, '-m', 'ctxkit', *command], cwd=repo.root, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL)  # fmt: skip
    assert query(tmp_path / 'out', 'SELECT symbol, change FROM units') == [('f', 'modified')]
    assert query(tmp_path / 'out', 'SELECT event, units, sliced_files FROM events ORDER BY time') == [
        ('update', 0, 1),
        ('update', 1, 1),
    ]
    assert query(tmp_path / 'out', "SELECT asked, budget, sections['environment'] > 0 FROM renders") == [
        (False, 5100, True)
    ]


def test_doing_it_twice_changes_no_byte_and_no_time(repo, tmp_path):
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON)])
    journal.note(repo.data_dir, 'hook', NOON, event='post-commit', seconds=0.3)
    feedback.note(repo, 'answer', NOON, 's', names=3, invented=0, phrase=False)
    export(repo, Settings(), tmp_path / 'out', NOON + 60)
    first = contents(tmp_path / 'out')
    assert len(first) == 3
    assert export(repo, Settings(), tmp_path / 'out', NOON + 61) == dict.fromkeys(TABLES, 0)
    assert contents(tmp_path / 'out') == first


def test_it_grows_by_what_is_new_and_keeps_what_the_stream_has_dropped(repo, tmp_path):
    out = tmp_path / 'out'
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON)])
    export(repo, Settings(), out, NOON + 60)
    day_later = NOON + 86_400 + 60
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(2, when=NOON + 3600), unit(3, when=day_later)])
    assert export(repo, Settings(), out, day_later)['units'] == 2
    rows = query(out, 'SELECT symbol, CAST(date AS VARCHAR) FROM units ORDER BY time')
    assert rows == [('f1', '2027-01-15'), ('f2', '2027-01-15'), ('f3', '2027-01-16')]


def test_a_damaged_file_is_told_and_left_alone(repo, tmp_path):
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON)])
    export(repo, Settings(), tmp_path / 'out', NOON)
    (file,) = (tmp_path / 'out' / 'units').rglob('*.parquet')
    file.write_bytes(b'PAR1 no more')
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(2, when=NOON)])
    with pytest.raises(CtxError, match='cannot be read'):
        export(repo, Settings(), tmp_path / 'out', NOON)
    assert file.read_bytes() == b'PAR1 no more'


def test_two_clones_write_into_one_folder(git, git_repo, tmp_path):
    for name in ('one', 'two'):
        repo = find(git_repo({'a.py': 'x = 1\n'}, name=name))
        repo.ctx_dir.mkdir()
        stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON)])
        export(repo, Settings(), tmp_path / 'out', NOON)
    assert query(tmp_path / 'out', 'SELECT count(*), count(DISTINCT project) FROM units') == [(2, 2)]


def test_no_secret_and_no_name_of_a_conversation_gets_into_it(repo, tmp_path):
    (repo.root / '.env').write_text('API_TOKEN="hunter2-hunter2-hunter2"\n')
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON, text='call("hunter2-hunter2-hunter2")')])
    feedback.note(repo, 'prompt', NOON, 'the-conversation', agent='claude', group='block')
    export(repo, Settings(), tmp_path / 'out', NOON)
    rows = ''.join(
        str(query(tmp_path / 'out', f'SELECT {name}::VARCHAR FROM {name}')) for name in ('units', 'feedback')
    )
    assert 'hunter2' not in rows
    assert 'the-conversation' not in rows
    assert 'claude' in rows


def test_a_path_that_is_no_utf8_is_written_out(repo, tmp_path):
    stream.write(repo.ctx_dir / 'units.jsonl', [unit(1, when=NOON)._replace(path='src/\udcff.py')])
    export(repo, Settings(), tmp_path / 'out', NOON)
    assert query(tmp_path / 'out', 'SELECT path FROM units') == [('src/\\udcff.py',)]


def test_the_documented_columns_are_those_of_the_files():
    import re
    from pathlib import Path

    page = (Path(__file__).parents[2] / 'docs' / 'warehouse.md').read_text('utf-8')
    for table, schema in schemas().items():
        part = page.split(f'## {table}\n')[1].split('\n## ')[0]
        told = re.findall(r'(?m)^\| `(\w+)` \|', page.split('## Columns of every table\n')[1].split('\n## ')[0])
        told += re.findall(r'(?m)^\| `(\w+)` \|', part)
        assert [*told] == schema.names, table


def test_a_record_that_somebody_edited_keeps_no_other_back(repo, tmp_path):
    lines = [
        '{"kind":"hook","time":NaN}',
        '{"kind":"hook","time":1e300}',
        '{"kind":"hook","time":1,"files":"x"}',
        '{"kind":"hook","time":1,"files":1000000000000}',
        '{"kind":"hook","time":1,"seconds":0.5}',
    ]
    (repo.data_dir / journal.NAME).write_text('\n'.join(lines) + '\n')
    assert export(repo, Settings(), tmp_path / 'w', NOON)['events'] == 1
    before = contents(tmp_path / 'w')
    assert export(repo, Settings(), tmp_path / 'w', NOON)['events'] == 0 and contents(tmp_path / 'w') == before
