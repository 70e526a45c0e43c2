"""The journal: `<git common dir>/ctxkit/journal.jsonl`, one line for each update, hook and render; figures, no text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxkit.records import append, read

MAX_BYTES = 2_000_000
NAME = 'journal.jsonl'
OLD = 'journal.old.jsonl'


def note(data_dir: Path, kind: str, now: float, **values: Any) -> None:
    """Append a record: `kind` is 'update', 'hook' or 'render', `now` epoch seconds. A full disk loses it."""
    append(data_dir / NAME, data_dir / OLD, {'kind': kind, 'time': round(now, 3), **values}, MAX_BYTES)


def records(data_dir: Path) -> Iterator[dict[str, Any]]:
    """All records that are kept, oldest first; broken lines are passed over."""
    for name in (OLD, NAME):
        yield from read(data_dir / name)
