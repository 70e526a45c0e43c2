"""A lock on a file that the operating system frees when its holder dies: nothing is left behind by kill -9."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(file: Path, wait: float = 0.0) -> Iterator[bool]:
    """Try for up to `wait` seconds to take the lock on `file`, and yield whether it is held.

    The file itself stays: deleting it would let two holders lock two files of one name. Raises OSError if it cannot be
    made.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, 'O_NOFOLLOW', 0), 0o600)
    try:
        got = _take(handle)
        end = time.monotonic() + wait
        while not got and time.monotonic() < end:
            time.sleep(0.05)
            got = _take(handle)
        try:
            yield got
        finally:
            if got:
                _free(handle)
    finally:
        os.close(handle)


def is_held(file: Path) -> bool:
    """Whether somebody holds the lock now; False for a file that another user does not let us open."""
    if not file.is_file():
        return False
    try:
        handle = os.open(file, os.O_RDWR | getattr(os, 'O_NOFOLLOW', 0))
    except OSError:
        return False
    try:
        free = _take(handle, shared=True)  # two processes that only check must not see each other as holders
        if free:
            _free(handle)
        return not free
    finally:
        os.close(handle)


if sys.platform == 'win32':
    import msvcrt

    def _take(handle: int, shared: bool = False) -> bool:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _free(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _take(handle: int, shared: bool = False) -> bool:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _free(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
