"""`<git common dir>/ctxkit/log`: what the worker did and what went wrong, bounded; `ctxkit doctor` reads it."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path

from ctxkit.places import data_dir

MAX_BYTES = 128 * 1024
MOST_ERRORS = 5


def append(common_dir: Path, level: str, message: str, now: float) -> None:
    """Add a line: time, `level` (`error` or `done`) and the message without secrets. A full disk is ignored."""
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import printable

    file = data_dir(common_dir) / 'log'
    line = f'{_stamp(now)} {level} {printable(redact(message))[:2000]}\n'
    try:
        if file.exists() and file.stat().st_size > MAX_BYTES:
            kept = file.read_bytes()[-MAX_BYTES // 2 :].partition(b'\n')[2]
            spare = file.with_name('log.new')
            spare.write_bytes(kept)
            os.replace(spare, file)
        with file.open('a', encoding='utf-8', errors='replace') as out:
            out.write(line)
    except OSError:
        return


def _stamp(now: float) -> str:
    return datetime.fromtimestamp(now, timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def errors(common_dir: Path, since: float = 0.0) -> list[str]:
    """The last few `error` lines after the last `done` line and after `since` (epoch seconds), oldest first."""
    stamp = _stamp(since)
    try:
        lines = (data_dir(common_dir) / 'log').read_text('utf-8', 'replace').splitlines()
    except OSError:
        return []
    found: list[str] = []
    for line in lines:
        level = line.split(' ', 2)[1:2]
        if level == ['done']:
            found = []
        elif level == ['error'] and line > stamp:
            found.append(line)
    return found[-MOST_ERRORS:]
