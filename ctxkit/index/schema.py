"""Open the database file of the index; make it if there is none, replace it if it is older or damaged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.safety.database import transaction
from ctxkit.safety.paths import data_folder, may_write

SCHEMA_VERSION = 4
BUSY_SECONDS = 20
_SCHEMA = """
DROP TABLE IF EXISTS vector;
DROP TABLE IF EXISTS file;
CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT, blob TEXT NOT NULL, hint TEXT NOT NULL, format INTEGER NOT NULL,
    language TEXT NOT NULL, skipped TEXT NOT NULL, broken INTEGER NOT NULL, chunks INTEGER NOT NULL,
    sum INTEGER NOT NULL, seen INTEGER NOT NULL,
    places BLOB NOT NULL, refs BLOB NOT NULL, postings BLOB NOT NULL, columns BLOB NOT NULL,
    UNIQUE (blob, hint, format));
CREATE TABLE vector (
    file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE, model TEXT NOT NULL,
    data BLOB NOT NULL, alike BLOB NOT NULL, PRIMARY KEY (file, model));
"""


def connect(folder: Path) -> tuple[Path, sqlite3.Connection, int]:
    """Open the database below `folder`; returns (its file, the connection, its identity for `discard`).

    A corrupt or older database is replaced. If nothing may be written, as in an agent's sandbox, the connection is to a
    copy in memory, with identity 0, so that `discard` does nothing. Raises CtxError for a newer database, and for one
    that cannot be opened.
    """
    file = data_folder(folder) / 'index.db'
    before = _identity(file)
    try:
        if before and not may_write(folder):
            return file, _copied(file), 0
        try:
            db = _open(file)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            discard(file, before)
            db = _open(file)
    except sqlite3.OperationalError as error:
        raise CtxError(f'{file} cannot be opened ({error})', 'check permissions and free space') from error
    return file, db, _identity(file)


def _copied(file: Path) -> sqlite3.Connection:
    """A copy of the database in memory: SQLite cannot use a file in WAL mode where it may not write.

    It can read one while its -shm file exists (a process uses it or was killed), and any other one as `immutable`.
    """
    from contextlib import closing

    db = sqlite3.connect(':memory:', isolation_level=None)
    how = 'mode=ro' if file.with_name(f'{file.name}-shm').exists() else 'mode=ro&immutable=1'
    try:
        with closing(sqlite3.connect(f'{file.as_uri()}?{how}', uri=True)) as source:
            source.backup(db)
        if int(db.execute('PRAGMA user_version').fetchone()[0]) == SCHEMA_VERSION:
            return db
        problem = 'was written by another ctxkit'
    except sqlite3.DatabaseError as error:
        problem = f'cannot be read ({error})'
    db.close()
    raise CtxError(f'{file} {problem}, and it cannot be written here', 'run: ctxkit update where it can be written')


def is_damage(error: BaseException | None) -> bool:
    """Whether an error comes from damage to the database: the statements are right, so what they miss was lost."""
    if isinstance(error, sqlite3.OperationalError):
        return any(sign in str(error) for sign in ('no such', 'malformed', 'Could not decode'))
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.ProgrammingError)


def _identity(file: Path) -> int:
    try:
        return file.stat().st_ino
    except OSError:
        return 0


def discard(file: Path, identity: int) -> None:
    """Remove a corrupt database: everything in it can be made again from git.

    `identity` is that of the file that was opened; a file that another process has put there meanwhile stays.
    """
    if _identity(file) != identity:
        return
    try:
        for suffix in ('', '-wal', '-shm'):
            file.with_name(file.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise CtxError(f'{file} is damaged ({error.strerror})', 'delete it; ctxkit makes it again') from error


def _open(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        version = int(db.execute('PRAGMA user_version').fetchone()[0])
        if version > SCHEMA_VERSION:
            raise CtxError(f'{file} was written by a newer ctxkit', 'upgrade ctxkit, or delete that file')
        if version != SCHEMA_VERSION:
            _create(db)
        db.execute('PRAGMA synchronous=NORMAL')
        db.execute('PRAGMA foreign_keys=ON')
        db.execute('PRAGMA journal_size_limit=16777216')
        # A first index writes everything to the disk twice: in large portions, for each is waited for.
        db.execute('PRAGMA wal_autocheckpoint=4000')
        return db
    except BaseException:
        db.close()
        raise


def _create(db: sqlite3.Connection) -> None:
    """Make the tables, unless another process has made them meanwhile.

    Manifests and segments refer to files by id, and may outlive the database. So ids are never used again, and start
    at a random number, so that two databases do not share any.
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
