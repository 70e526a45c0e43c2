"""The journal: `<git common dir>/ctxkit/journal.jsonl`, one line for each update, hook and render; figures, no text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxkit.records import append, everything

MAX_BYTES = 2_000_000
NAME = 'journal.jsonl'


def note(data_dir: Path, kind: str, now: float, **values: Any) -> None:
    """Append a record: `kind` is 'update', 'hook' or 'render', `now` epoch seconds. A full disk loses it."""
    append(data_dir / NAME, {'kind': kind, 'time': round(now, 3), **values}, MAX_BYTES)


def records(data_dir: Path) -> Iterator[dict[str, Any]]:
    """All records that are kept, oldest first; broken lines are skipped."""
    return everything(data_dir / NAME)
