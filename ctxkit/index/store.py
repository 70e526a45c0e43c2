"""The SQLite store in the git common dir: records by (blob id, path hint, format), vectors by model beside them.

Content-addressed, so nothing in it is ever stale and every worktree shares it. Safe to delete at any time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, ParamSpec, TypeVar

from ctxkit.errors import CtxError
from ctxkit.index.record import FORMAT, Record
from ctxkit.safety.database import transaction
from ctxkit.safety.paths import real_folder

P = ParamSpec('P')
T = TypeVar('T')
SCHEMA_VERSION = 2
BUSY_SECONDS = 20
_SCHEMA = """
DROP TABLE IF EXISTS vector;
DROP TABLE IF EXISTS file;
CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT, blob TEXT NOT NULL, hint TEXT NOT NULL, format INTEGER NOT NULL,
    language TEXT NOT NULL, skipped TEXT NOT NULL, broken INTEGER NOT NULL, chunks INTEGER NOT NULL,
    seen INTEGER NOT NULL, places BLOB NOT NULL, refs BLOB NOT NULL, postings BLOB NOT NULL, columns BLOB NOT NULL,
    UNIQUE (blob, hint, format));
CREATE TABLE vector (
    file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE, model TEXT NOT NULL,
    data BLOB NOT NULL, folds TEXT NOT NULL, PRIMARY KEY (file, model));
"""


class Key(NamedTuple):
    """What a record is stored under, together with the format."""

    blob: str
    hint: str


class Row(NamedTuple):
    """A stored file: its id, language, why it was skipped ('' if it was not), syntax errors, and number of chunks.

    `seen` is the day since the epoch on which it last belonged to a tree in use.
    """

    id: int
    language: str
    skipped: str
    broken: int
    chunks: int
    seen: int


class DamagedIndex(CtxError):
    """The database had damaged pages; it has been removed, since git still holds all that was in it."""


def mending(function: Callable[P, T]) -> Callable[P, T]:
    """Run `function` once more if it found the index damaged: the second time it makes the index anew.

    A damaged segment shows in any error, so its sum is looked at then.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except DamagedIndex:
            pass
        except CtxError:
            raise
        except Exception:
            from ctxkit.index.segment import drop_damaged

            if not drop_damaged():
                raise
        return function(*args, **kwargs)

    return run


class Store:
    """An open index. Use it as a context manager; one a thread."""

    def __init__(self, folder: Path) -> None:
        """Open or make the index below `folder`. A corrupt or older one is replaced; a newer one is an error."""
        self.file = real_folder(folder) / 'index.db'
        self.at_exit: list[Callable[[], None]] = []  # what else ends with the store
        try:
            self._db = self._open()
        except sqlite3.OperationalError as error:
            raise CtxError(f'{self.file} cannot be opened ({error})', 'check permissions and free space') from error
        except sqlite3.DatabaseError:
            self._discard()
            self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.file, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            version = int(db.execute('PRAGMA user_version').fetchone()[0])
            if version > SCHEMA_VERSION:
                raise CtxError(f'{self.file} was written by a newer ctxkit', 'upgrade ctxkit, or delete that file')
            if version != SCHEMA_VERSION:
                self._create(db)
            db.execute('PRAGMA synchronous=NORMAL')
            db.execute('PRAGMA foreign_keys=ON')
            db.execute('PRAGMA journal_size_limit=16777216')
            # A first index writes all it has to the disk twice: not in small portions, each of which is waited for.
            db.execute('PRAGMA wal_autocheckpoint=4000')
            return db
        except BaseException:
            db.close()
            raise

    def _create(self, db: sqlite3.Connection) -> None:
        """Make the tables, unless another process has made them meanwhile.

        Manifests and segments name files by id, and may outlive the database. So ids are never used twice, and those
        of two databases never meet: they start at a random number.
        """
        import secrets

        db.execute('PRAGMA journal_mode=WAL')
        start = secrets.randbits(44)
        with transaction(db):
            if int(db.execute('PRAGMA user_version').fetchone()[0]) != SCHEMA_VERSION:
                for statement in _SCHEMA.split(';')[:-1]:
                    db.execute(statement)
                db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('file', ?)", (start,))
                db.execute(f'PRAGMA user_version={SCHEMA_VERSION}')

    def _discard(self) -> None:
        """Everything in the index can be made again from git, so a corrupt one is simply removed."""
        try:
            for suffix in ('', '-wal', '-shm'):
                self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)
        except OSError as error:
            raise CtxError(f'{self.file} is damaged ({error.strerror})', 'delete it; it is made again') from error

    def __enter__(self) -> Store:
        """The store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the database. What SQLite said goes on as a CtxError; a damaged database is removed."""
        for end in self.at_exit:
            end()
        self._db.close()
        if type(error) is sqlite3.DatabaseError:
            self._discard()
            raise DamagedIndex(f'{self.file} was damaged and has been removed', 'run the command again') from error
        if isinstance(error, sqlite3.OperationalError):
            raise CtxError(f'{self.file}: {error}', 'check permissions and free space') from error

    def known(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """The rows of those keys that are in the store."""
        query = (
            'SELECT id, language, skipped, broken, chunks, seen FROM file WHERE blob = ? AND hint = ? AND format = ?'
        )
        out = {}
        for key in keys:
            row = self._db.execute(query, (*key, FORMAT)).fetchone()
            if row:
                out[key] = Row(*row)
        return out

    def with_vectors(self, model: str) -> set[int]:
        """The ids of the files that have vectors of `model`."""
        return {row[0] for row in self._db.execute('SELECT file FROM vector WHERE model = ?', (model,))}

    def add(self, model: str, items: Sequence[tuple[Key, Record, int, bytes, str]], day: int) -> None:
        """Store (key, record, number of chunks, int8 rows of `model`, folds) in one transaction.

        What is already there is left as it is.
        """
        with transaction(self._db):
            self._add_files([(key, record, chunks) for key, record, chunks, _, _ in items], day)
            self._db.executemany(
                'INSERT OR IGNORE INTO vector (file, model, data, folds) SELECT id, ?, ?, ? FROM file '
                'WHERE blob = ? AND hint = ? AND format = ?',
                [(model, data, folds, *key, FORMAT) for key, _, _, data, folds in items],
            )

    def add_bare(self, items: Sequence[tuple[Key, Record, int]], day: int) -> None:
        """Store (key, record, number of chunks) without vectors: old versions, of which only the places are asked."""
        with transaction(self._db):
            self._add_files(items, day)

    def _add_files(self, items: Sequence[tuple[Key, Record, int]], day: int) -> None:
        self._db.executemany(
            'INSERT OR IGNORE INTO file (blob, hint, format, language, skipped, broken, chunks, '
            'seen, places, refs, postings, columns) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)',
            [
                (
                    *key,
                    FORMAT,
                    record.language,
                    record.skipped,
                    record.broken,
                    chunks,
                    day,
                    record.places,
                    record.references,
                    record.postings,
                    record.columns,
                )
                for key, record, chunks in items
            ],
        )

    def touch(self, rows: Iterable[Row], day: int) -> None:
        """Note that these files belong to a tree that is in use, so that gc keeps them."""
        stale = [(day, row.id) for row in rows if row.seen < day]
        if stale:  # once a day; the other events need not wait for the right to write
            with transaction(self._db):
                self._db.executemany('UPDATE file SET seen = ? WHERE id = ?', stale)

    def places(self, file: int) -> bytes:
        """The places of a file, as stored."""
        return self._one('SELECT places FROM file WHERE id = ?', (file,))

    def references(self, file: int) -> bytes:
        """The references of a file's chunks, as stored."""
        return self._one('SELECT refs FROM file WHERE id = ?', (file,))

    def searchable(self, file: int, model: str) -> tuple[bytes, bytes, bytes]:
        """(postings, columns, int8 rows of `model`) of a file; empty where it is gone."""
        row = self._db.execute(
            'SELECT postings, columns, data FROM file LEFT JOIN vector ON vector.file = file.id AND model = ? '
            'WHERE id = ?',
            (model, file),
        ).fetchone()
        return (row[0], row[1], row[2] or b'') if row else (b'', b'', b'')

    def folds(self, file: int, model: str) -> str:
        """Which chunks of the file belong together, as JSON: a list of lists of chunk numbers."""
        row = self._db.execute('SELECT folds FROM vector WHERE file = ? AND model = ?', (file, model)).fetchone()
        return str(row[0]) if row else '[]'

    def content(self, key: Key, model: str) -> tuple[Record, int, bytes, str] | None:
        """(record, chunks, int8 rows, folds) of a file, to be stored elsewhere; None where a part of it is missing."""
        row = self._db.execute(
            'SELECT language, skipped, broken, places, refs, postings, columns, chunks, data, folds FROM file '
            'LEFT JOIN vector ON vector.file = file.id AND model = ? WHERE blob = ? AND hint = ? AND format = ?',
            (model, *key, FORMAT),
        ).fetchone()
        if not row or (row[7] and row[8] is None):
            return None
        return Record(*row[:7]), row[7], row[8] or b'', row[9] or '[]'

    def size(self) -> int:
        """Bytes that the database uses, free pages left out."""

        def pragma(name: str) -> int:
            return int(self._db.execute(f'PRAGMA {name}').fetchone()[0])

        return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')

    def drop_unseen(self, before_day: int, keep: set[int], models: set[str]) -> int:
        """Remove files last seen before `before_day`, other formats and other models; returns how many files went."""
        ids = [
            row[0]
            for row in self._db.execute('SELECT id FROM file WHERE seen < ? OR format != ?', (before_day, FORMAT))
            if row[0] not in keep
        ]
        with transaction(self._db):
            self._db.executemany('DELETE FROM file WHERE id = ?', [(i,) for i in ids])
            if models:
                marks = ','.join('?' * len(models))
                self._db.execute(f'DELETE FROM vector WHERE model NOT IN ({marks})', tuple(models))
        return len(ids)

    def compact(self) -> None:
        """Give free pages back to the file system."""
        self._db.execute('VACUUM')
        self._db.execute('PRAGMA wal_checkpoint(TRUNCATE)')

    def _one(self, query: str, values: tuple[object, ...]) -> bytes:
        row = self._db.execute(query, values).fetchone()
        return bytes(row[0]) if row else b''
