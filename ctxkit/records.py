"""Figures kept as JSON lines for counting later: appended whole, bounded in size; broken lines are skipped."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_TIME = 253_402_300_800.0  # epoch seconds of the year 10000; datetime has no later dates
MAX_COUNT = 2**31 - 1


def append(file: Path, record: dict[str, Any], most: int) -> None:
    """Append a record; once the file exceeds `most` bytes it becomes the old one. A full or read-only disk loses the
    record and nothing else."""
    with contextlib.suppress(OSError):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, 'O_NOFOLLOW', 0)
        handle = os.open(file, flags, 0o600)
        try:
            # A single write, so that concurrent processes do not mix their lines.
            os.write(handle, json.dumps(record, ensure_ascii=True).encode('ascii') + b'\n')
            size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if size > most:
            os.replace(file, _old(file))


def everything(file: Path) -> Iterator[dict[str, Any]]:
    """All records that are kept, in the old file and in `file`, oldest first."""
    yield from read(_old(file))
    yield from read(file)


def read(file: Path, last: int = 0) -> Iterator[dict[str, Any]]:
    """The records with a valid `time`, oldest first; with `last`, only from so many bytes at the end."""
    try:
        with file.open('rb') as stream:
            if last and os.fstat(stream.fileno()).st_size > last:
                stream.seek(-last, os.SEEK_END)
                stream.readline()
            for line in stream:
                with contextlib.suppress(ValueError, RecursionError):
                    record = json.loads(line)
                    if isinstance(record, dict) and is_time(record.get('time')):
                        yield record
    except OSError:
        return


def _old(file: Path) -> Path:
    return file.with_suffix(f'.old{file.suffix}')


def is_time(value: object) -> bool:
    """Whether a value is epoch seconds that have a date."""
    return isinstance(value, (int, float)) and 0 <= value < MAX_TIME


def count(record: dict[str, Any], name: str) -> int:
    """A count from a record; 0 where the value is no valid count."""
    value = record.get(name)
    return int(value) if isinstance(value, (int, float)) and 0 <= value <= MAX_COUNT else 0
