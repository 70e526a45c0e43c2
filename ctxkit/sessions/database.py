"""The database of the log: open it safely, and change it whole or not at all.

WAL, so that readers never wait for writers; a busy timeout, so that writers wait for each other; every change in one
transaction, so that a kill at any moment leaves a valid database; `secure_delete`, so that deleted text is gone.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.safety.database import private_file, sqlite_errors, transaction

FILE = 'sessions.db'
BUSY_SECONDS = 15.0


@contextlib.contextmanager
def opened(folder: Path, make: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the log in `folder` (a `.ctx`), migrate an older one, and close it at the end.

    Raises FileNotFoundError if there is none and `make` is off, CtxError if it is a link, damaged or unwritable.
    """
    file = folder / FILE
    if make:
        _make(folder, file)
    elif not file.exists():
        raise FileNotFoundError(file)
    if any(Path(f'{file}{end}').is_symlink() for end in ('', '-wal', '-shm', '-journal')):
        raise CtxError(f'{file} is a link', 'ctxkit does not write through links; remove it')
    address = f'{file.absolute().as_uri()}?mode=rw'
    with (
        sqlite_errors(file),
        contextlib.closing(sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)) as db,
    ):
        _prepare(db)
        yield db


def _make(folder: Path, file: Path) -> None:
    """Make the folder, ignored by git, and an empty file that only the person may read."""
    from ctxkit.safety.paths import ctx_folder

    ctx_folder(folder)
    private_file(file)


def _prepare(db: sqlite3.Connection) -> None:
    from ctxkit.sessions.migrate import VERSION, migrate

    db.execute('PRAGMA synchronous = NORMAL')
    db.execute('PRAGMA secure_delete = ON')
    if db.execute('PRAGMA user_version').fetchone()[0] != VERSION:
        _use_wal(db)
        with transaction(db):
            migrate(db)


def _use_wal(db: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite does not wait for this one lock, so it is retried until the timeout; if the file system
    does not support it (some network mounts), the old journal stays."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute('PRAGMA journal_mode = WAL')
            return
        except sqlite3.OperationalError as error:
            if 'locked' not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
