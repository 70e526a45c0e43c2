"""Units on their way to the server: `<git common dir>/ctxkit/outbox/<when>-<who>.jsonl`, one file an event.

Kept until the server has them, so that what was missed while it was away is published when it is back, in order.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path

from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder, write_whole
from ctxkit.units.stream import StreamUnit

MAX_FILES = 2000
MAX_BYTES = 64_000_000
FEW = 50  # as many events cannot be too many bytes


def folder(repo: Repo) -> Path:
    """Where the events wait; all work trees share it."""
    return repo.data_dir / 'outbox'


def add(repo: Repo, units: Sequence[StreamUnit]) -> None:
    """Keep the units of one event, which have passed the secret filter. Beyond 2,000 events or 64 MB the oldest go."""
    place = data_folder(repo.data_dir, 'outbox')
    lines = [json.dumps(unit.to_dict(), ensure_ascii=True, separators=(',', ':')) for unit in units]
    # the clock of the file name orders the events; two processes in one nanosecond differ by their number
    name = f'{time.time_ns():020d}-{os.getpid()}.jsonl'
    write_whole(place / name, ''.join(f'{line}\n' for line in lines), durable=False)
    waiting = pending(repo)
    for file in waiting[: max(0, len(waiting) - MAX_FILES)]:
        file.unlink(missing_ok=True)
    if len(waiting) > FEW:
        _bound(waiting)


def _bound(waiting: Sequence[Path]) -> None:
    size = 0
    for file in reversed(waiting):
        try:
            size += file.stat().st_size
            if size > MAX_BYTES:
                file.unlink()
        except OSError:
            continue


def pending(repo: Repo) -> list[Path]:
    """The events that wait, oldest first."""
    try:
        return sorted(folder(repo) / name for name in os.listdir(folder(repo)) if name.endswith('.jsonl'))
    except OSError:
        return []
