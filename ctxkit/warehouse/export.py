"""Write the tables: `<folder>/<table>/date=YYYY-MM-DD/<project>-<clone>.parquet`.

A repository keeps units for a day, so the export is repeated: each time the rows that a day's file lacks are added to
it. Doing it twice changes nothing, and many clones can write into one folder.
"""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder, read_plain, real_folder, write_whole
from ctxkit.settings import Settings
from ctxkit.warehouse.tables import TABLES, Row, rows, schemas

if TYPE_CHECKING:
    import pyarrow as pa


def export(repo: Repo, settings: Settings, folder: Path, now: float) -> dict[str, int]:
    """Write all tables; return table -> number of new rows. Raises CtxError without pyarrow or for a damaged file."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise CtxError(f'the Parquet library cannot be loaded ({error})', 'pip install pyarrow') from error
    project = _project(repo, settings)
    name = f'{re.sub(r"[^a-z0-9._-]", "-", project)}-{_clone(repo)}.parquet'
    layout = schemas()
    new = dict.fromkeys(TABLES, 0)
    for table, found in rows(repo, settings, project, now).items():
        days: dict[str, list[Row]] = defaultdict(list)
        for row in found:
            days[datetime.fromtimestamp(row['time'], timezone.utc).strftime('%Y-%m-%d')].append(row)
        for day, its in sorted(days.items()):
            place = real_folder(folder / table / f'date={day}')
            new[table] += _add(place / name, its, layout[table])
    return new


def _add(file: Path, found: list[Row], schema: pa.Schema) -> int:
    """Add the rows that a day's file lacks; return how many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    stored = _read(file, schema) if file.exists() else None
    known = set(stored.column('row_id').to_pylist()) if stored is not None else set()
    fresh = {row['row_id']: row for row in found if row['row_id'] not in known}
    if not fresh:
        return 0
    try:
        made = _table(list(fresh.values()), schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        made = pa.concat_tables([schema.empty_table(), *_fitting(fresh.values(), schema)])
    if not len(made):
        return 0
    table = made if stored is None else pa.concat_tables([stored, made])
    sink = pa.BufferOutputStream()
    pq.write_table(table.sort_by([('time', 'ascending'), ('row_id', 'ascending')]), sink, compression='zstd')
    write_whole(file, sink.getvalue().to_pybytes())
    return len(made)


def _table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, list[Any]] = {
        name: [_time(row) if name == 'time' else row.get(name) for row in rows] for name in schema.names
    }
    return pa.table(columns, schema=schema)


def _fitting(rows: Iterable[Row], schema: pa.Schema) -> Iterator[pa.Table]:
    """A table for each row that fits the schema, so that a record edited by hand does not hold back the others."""
    import pyarrow as pa

    for row in rows:
        with suppress(pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            yield _table([row], schema)


def _read(file: Path, schema: pa.Schema) -> pa.Table:
    """The table of an earlier export; columns that were added since are empty in it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file).read()
    except (OSError, pa.ArrowInvalid) as error:
        raise CtxError(
            f'{file} cannot be read', 'move it away; the next export writes again what the repository still has'
        ) from error
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _time(row: Row) -> datetime:
    return datetime.fromtimestamp(row['time'], timezone.utc)


def _project(repo: Repo, settings: Settings) -> str:
    from ctxkit.stream.identity import project

    try:
        return project(repo, settings)
    except CtxError:
        return ''


def _clone(repo: Repo) -> str:
    """The random name of this clone, made once, so that two clones of a project write two files."""
    file = data_folder(repo.data_dir) / 'clone'
    known = (read_plain(file, 100) or b'').decode('ascii', 'replace').strip()
    if not re.fullmatch(r'[0-9a-f]{8}', known):
        known = secrets.token_hex(4)
        write_whole(file, known + '\n')
    return known
