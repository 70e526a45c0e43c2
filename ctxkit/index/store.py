"""The SQLite store in the git common dir: records by (blob id, path hint, format), and their vectors by model.

Content-addressed, so nothing in it is ever stale and all work trees share it. Safe to delete at any time.

SQLite does not notice if a disk or a crash changed a byte within a value, and takes some values from an index instead
of the row. So each value carries a checksum over itself and its key; if one does not hold, the database is damaged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from ctxkit.errors import CtxError
from ctxkit.index.record import FORMAT, Record
from ctxkit.index.repair import DamagedIndex
from ctxkit.index.schema import connect, discard, is_damage
from ctxkit.safety.database import transaction


class Key(NamedTuple):
    """What a record is stored under, together with the format; `path_hint` is from `record.path_hint`."""

    blob: str
    path_hint: str


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


class Store:
    """An open index, to be used as a context manager; one for each thread."""

    def __init__(self, folder: Path) -> None:
        """Open or make the index below `folder`. A corrupt or older one is replaced; a newer one is an error."""
        self.file, self._db, self._identity = connect(folder)
        self.at_exit: list[Callable[[], None]] = []  # called when the store is closed

    @property
    def shared(self) -> bool:
        """Whether other processes see what is stored here: False for a copy in memory."""
        # Asks whether it has a file, not which: SQLite cannot return a name that is not UTF-8.
        return bool(self._db.execute("SELECT file <> '' FROM pragma_database_list").fetchone()[0])

    def __enter__(self) -> Store:
        """The store itself."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the database. An error of SQLite is raised as CtxError; a damaged database is removed."""
        for end in self.at_exit:
            end()
        self._db.close()
        if is_damage(error):
            discard(self.file, self._identity)
            raise DamagedIndex(f'{self.file} was damaged and has been removed', 'run the command again') from error
        if isinstance(error, sqlite3.OperationalError):
            raise CtxError(f'{self.file}: {error}', 'check permissions and free space') from error

    def known(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """The rows of those keys that are in the store."""
        query = (  # the inner query uses SQLite's index of keys, the outer one reads the row itself
            'SELECT blob, hint, sum, id, language, skipped, broken, chunks, seen FROM file '
            'WHERE id = (SELECT id FROM file WHERE blob = ? AND hint = ? AND format = ?)'
        )
        out = {}
        for key in keys:
            row = self._db.execute(query, (*key, FORMAT)).fetchone()
            if row:
                found = Row(*row[3:])
                if row[:2] != key or row[2] != _sum_of(key, found.language, found.skipped, found.broken, found.chunks):
                    raise damaged(found.id)
                out[key] = found
        return out

    def with_vectors(self, model: str) -> set[int]:
        """The ids of the files that have vectors of `model`."""
        return {row[0] for row in self._db.execute('SELECT file FROM vector WHERE model = ?', (model,))}

    def add(self, model: str, items: Sequence[tuple[Key, Record, int, bytes, str]], day: int) -> dict[Key, Row]:
        """Store (key, record, number of chunks, int8 vectors of `model`, alike chunks) in one transaction.

        Returns the rows. What is already there is left as it is.
        """
        with transaction(self._db):
            rows = self._add_files([(key, record, chunks) for key, record, chunks, _, _ in items], day)
            sealed = ((key, _sealed(data, key), _sealed(alike.encode(), key)) for key, *_, data, alike in items)
            self._db.executemany(
                'INSERT OR IGNORE INTO vector (file, model, data, alike) SELECT id, ?, ?, ? FROM file '
                'WHERE blob = ? AND hint = ? AND format = ?',
                [(model, data, alike, *key, FORMAT) for key, data, alike in sealed],
            )
        return rows

    def add_bare(self, items: Sequence[tuple[Key, Record, int]], day: int) -> None:
        """Store (key, record, number of chunks) without vectors: for old versions, of which only places are needed."""
        with transaction(self._db):
            self._add_files(items, day)

    def _add_files(self, items: Sequence[tuple[Key, Record, int]], day: int) -> dict[Key, Row]:
        self._db.executemany(
            'INSERT OR IGNORE INTO file (blob, hint, format, language, skipped, broken, chunks, sum, '
            'seen, places, refs, postings, columns) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)',
            [
                (
                    *key,
                    FORMAT,
                    record.language,
                    record.skipped,
                    record.broken,
                    chunks,
                    _sum_of(key, record.language, record.skipped, record.broken, chunks),
                    day,
                    *(_sealed(part, key) for part in record[3:]),
                )
                for key, record, chunks in items
            ],
        )
        rows = self.known(key for key, _, _ in items)
        for key, _, _ in items:
            if key not in rows:
                raise damaged(key.blob)
        return rows

    def touch(self, rows: Iterable[Row], day: int) -> None:
        """Record that these files belong to a tree in use on `day`, so that they are kept."""
        stale = [(day, row.id) for row in rows if row.seen < day]
        if stale:  # once a day; other events need not wait for the write lock
            with transaction(self._db):
                self._db.executemany('UPDATE file SET seen = ? WHERE id = ?', stale)

    def has(self, file: int, model: str) -> bool:
        """Whether the store holds a file, and vectors of `model` for it if it has chunks."""
        query = (
            'SELECT chunks = 0 OR data IS NOT NULL FROM file '
            'LEFT JOIN vector ON vector.file = file.id AND model = ? WHERE id = ?'
        )
        return bool((self._db.execute(query, (model, file)).fetchone() or (0,))[0])

    def places(self, file: int) -> bytes:
        """The places of a file, as stored; b'' if the store does not have it."""
        return self._part('SELECT blob, hint, places FROM file WHERE id = ?', (file,))

    def references(self, file: int) -> bytes:
        """The references of a file's chunks, as stored; b'' if the store does not have it."""
        return self._part('SELECT blob, hint, refs FROM file WHERE id = ?', (file,))

    def searchable(self, file: int, model: str) -> tuple[bytes, bytes, bytes]:
        """(postings, columns, int8 vectors of `model`) of a file of a tree. Raises `damaged` if one is missing."""
        row = self._db.execute(
            'SELECT blob, hint, postings, columns, data FROM file '
            'LEFT JOIN vector ON vector.file = file.id AND model = ? WHERE id = ?',
            (model, file),
        ).fetchone()
        if not row:
            raise damaged(file)
        key = Key(*row[:2])
        postings, columns = _opened(row[2], key), _opened(row[3], key)
        return postings, columns, _opened(row[4], key) if columns else b''

    def alike(self, file: int, model: str) -> str:
        """The runs of alike chunks of a file (`fold.similar_runs`), as JSON: a list of lists of chunk numbers."""
        query = 'SELECT blob, hint, alike FROM vector JOIN file ON file = file.id WHERE file = ? AND model = ?'
        return self._part(query, (file, model)).decode() or '[]'

    def content(self, key: Key, model: str) -> tuple[Record, int, bytes, str] | None:
        """(record, number of chunks, int8 vectors, alike chunks), to be stored elsewhere; None if one is missing."""
        row = self._db.execute(
            'SELECT language, skipped, broken, places, refs, postings, columns, chunks, data, alike FROM file '
            'LEFT JOIN vector ON vector.file = file.id AND model = ? WHERE blob = ? AND hint = ? AND format = ?',
            (model, *key, FORMAT),
        ).fetchone()
        if not row or (row[7] and row[8] is None):
            return None
        record = Record(*row[:3], *(_opened(part, key) for part in row[3:7]))
        vectors, alike = (_opened(part, key) for part in row[8:]) if row[8] is not None else (b'', b'[]')
        return record, row[7], vectors, alike.decode()

    def size(self) -> int:
        """The bytes that the database uses, without free pages."""

        def pragma(name: str) -> int:
            return int(self._db.execute(f'PRAGMA {name}').fetchone()[0])

        return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')

    def drop_unseen(self, before_day: int, keep: set[int], models: set[str]) -> int:
        """Remove files last seen before `before_day` or of another format, except `keep`, and vectors of other models.

        Returns how many files were removed.
        """
        unseen = self._db.execute('SELECT id FROM file WHERE seen < ? OR format != ?', (before_day, FORMAT))
        ids = [row for row in unseen if row[0] not in keep]
        with transaction(self._db):
            self._db.executemany('DELETE FROM file WHERE id = ?', ids)
            if models:
                marks = ','.join('?' * len(models))
                self._db.execute(f'DELETE FROM vector WHERE model NOT IN ({marks})', tuple(models))
        return len(ids)

    def compact(self, worth_it: float = 0.0) -> None:
        """Give free pages back to the file system, if they are more than the share `worth_it` of all."""
        free = int(self._db.execute('PRAGMA freelist_count').fetchone()[0])
        if free > worth_it * int(self._db.execute('PRAGMA page_count').fetchone()[0]):
            self._db.execute('VACUUM')
        self._db.execute('PRAGMA wal_checkpoint(TRUNCATE)')

    def _part(self, query: str, values: tuple[object, ...]) -> bytes:
        """The value of a query for (blob, hint, value), without its checksum; b'' if there is no row."""
        row = self._db.execute(query, values).fetchone()
        return _opened(row[2], Key(*row[:2])) if row else b''


def _sum_of(key: Key, *values: str | int) -> int:
    return crc32(repr((*key, *values)).encode())


def _sealed(value: bytes, key: Key) -> bytes:
    """A value followed by its checksum, which covers the key, too."""
    return value + crc32(value, _sum_of(key)).to_bytes(4, 'little')


def _opened(value: object, key: Key) -> bytes:
    """The value without its checksum. Raises sqlite3.DatabaseError if the checksum does not hold."""
    if not isinstance(value, bytes) or crc32(value[:-4], _sum_of(key)).to_bytes(4, 'little') != value[-4:]:
        raise damaged(key.blob)
    return value[:-4]


def damaged(what: object) -> sqlite3.DatabaseError:
    """The error to raise if the store does not hold what was written; `Store` then removes the database."""
    return sqlite3.DatabaseError(f'what is stored of {what} is damaged')
