"""Stream JSON lines within bounds: most agents write them, and they may be cut short, over-long or damaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxkit.memory.transcripts.fields import decoded
from ctxkit.memory.transcripts.record import SessionInfo

MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_FILE_BYTES = 256 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024


def records(info: SessionInfo, offset: int = 0, limit: int = MAX_FILE_BYTES) -> Iterator[tuple[int, dict[str, Any]]]:
    """Stream (byte offset, object) of a JSON-lines file from `offset`; bad and over-long lines are counted, not fatal.

    Lines end only at 0x0A. A last line without its end is taken if it is valid, else left for the next run;
    `info.offset` is set to the end of the last line that was processed.
    """
    with open(info.path, 'rb') as stream:
        stream.seek(offset)
        position, rest, skipping = offset, b'', False
        while position - offset < limit:
            block = stream.read(BLOCK_BYTES)
            if not block:
                break
            parts = (rest + block).split(b'\n')
            rest = parts.pop()
            for part in parts:
                line_start, position = position, position + len(part) + 1
                if skipping or len(part) > MAX_LINE_BYTES:
                    skipping = False
                    info.skipped_lines += 1
                else:
                    yield from _record(info, line_start, part)
                info.offset = position
            if len(rest) > MAX_LINE_BYTES:
                position, rest, skipping = position + len(rest), b'', True
        else:
            info.truncated = True
            return
        if rest and not skipping:
            for found in _record(info, position, rest, last=True):
                info.offset = position + len(rest)
                yield found


def _record(info: SessionInfo, offset: int, line: bytes, last: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    if not line.strip():
        return
    try:
        value = decoded(line)
    except ValueError:
        if not last:
            info.skipped_lines += 1
        return
    if isinstance(value, dict):
        yield offset, value
    else:
        info.skipped_lines += 1


def head(path: str, lines: int = 200, limit: int = 2 * 1024 * 1024) -> Iterator[dict[str, Any]]:
    """The first objects of a JSON-lines file, to see who wrote it; never raises for what is in the file."""
    probe = SessionInfo('', '', path, 0, 0)
    try:
        for number, (_, value) in enumerate(records(probe, limit=limit)):
            if number >= lines:
                return
            yield value
    except OSError:
        return
