"""SQLite helpers for all of ctxkit's databases: files that only the person can read, changes whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


def private_file(file: Path) -> Path:
    """Make an empty `file` that only the person may read, unless it exists; SQLite gives its log the same mode."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return file


@contextmanager
def sqlite_errors(file: Path) -> Iterator[None]:
    """Turn errors outside our control (a full disk, a lock, damage) into a CtxError that names the file; bugs pass."""
    import sqlite3

    from ctxkit.errors import CtxError

    try:
        yield
    except sqlite3.OperationalError as error:
        raise CtxError(f'{file}: {error}', 'check permissions and free space, and try again') from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:
            raise  # its subclasses are our own bugs
        raise CtxError(
            f'{file}: {error}', 'it is damaged or not from ctxkit; move it away to start a new one'
        ) from error


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run the body as all or nothing. The write lock is held from the start, so what was read is still true when it is
    written, and two writers queue instead of failing at the end. Inside an open transaction it adds nothing."""
    within = db.in_transaction
    if within:
        yield
        return
    db.execute('BEGIN IMMEDIATE')
    try:
        yield
        db.execute('COMMIT')
    except BaseException:
        if db.in_transaction:  # a full disk ends the transaction by itself
            db.execute('ROLLBACK')
        raise
