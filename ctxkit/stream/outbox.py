"""Units to be sent to the server: `<git common dir>/ctxkit/outbox/<when>-<who>.jsonl`, one file an event.

They are kept until the server has them, so that after an absence of the server everything is published, in order.
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
FEW = 50  # this many events cannot exceed MAX_BYTES


def folder(repo: Repo) -> Path:
    """The folder where events wait; all work trees share it."""
    return repo.data_dir / 'outbox'


def add(repo: Repo, units: Sequence[StreamUnit]) -> None:
    """Keep the units of one event, already filtered for secrets. Beyond MAX_FILES events or MAX_BYTES the oldest go."""
    place = data_folder(repo.data_dir, 'outbox')
    lines = [json.dumps(unit.to_dict(), ensure_ascii=True, separators=(',', ':')) for unit in units]
    # the time in the file name orders the events; two processes in one nanosecond differ by their process id
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
    """The waiting events, oldest first."""
    try:
        return sorted(folder(repo) / name for name in os.listdir(folder(repo)) if name.endswith('.jsonl'))
    except OSError:
        return []
