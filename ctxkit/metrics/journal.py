"""The journal: `<git common dir>/ctxkit/journal.jsonl`, one line for each update, hook and render; figures, no text."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_BYTES = 2_000_000
NAME = 'journal.jsonl'
OLD = 'journal.old.jsonl'


def note(data_dir: Path, kind: str, now: float, **values: Any) -> None:
    """Append a record: `kind` is 'update', 'hook' or 'render', `now` epoch seconds. A full disk loses it."""
    line = json.dumps({'kind': kind, 'time': round(now, 3), **values}, ensure_ascii=True) + '\n'
    file = data_dir / NAME
    with contextlib.suppress(OSError):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, 'O_NOFOLLOW', 0)
        handle = os.open(file, flags, 0o600)
        try:
            os.write(handle, line.encode('ascii'))  # one write, so that processes at one time do not mix lines
            size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if size > MAX_BYTES:
            os.replace(file, data_dir / OLD)


def records(data_dir: Path) -> Iterator[dict[str, Any]]:
    """All records that are kept, oldest first; broken lines are passed over."""
    for name in (OLD, NAME):
        try:
            with (data_dir / name).open('rb') as stream:
                for line in stream:
                    with contextlib.suppress(ValueError, RecursionError):
                        record = json.loads(line)
                        if isinstance(record, dict) and isinstance(record.get('time'), (int, float)):
                            yield record
        except OSError:
            continue
