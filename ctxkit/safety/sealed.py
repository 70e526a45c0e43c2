"""Caches with a sum in their first line: a byte that a disk or a crash changed makes them missing, not wrong."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from ctxkit.errors import CtxError
from ctxkit.safety.paths import may_write, write_whole


def write_sealed(file: Path, text: str, durable: bool = True) -> None:
    """Replace `file` by `text` in one step, with its sum; not in a folder that may not be written, since what is kept
    can be made again. Raises CtxError as `write_whole`."""
    data = text.encode('utf-8', 'surrogateescape')
    try:
        write_whole(file, b'%08x\n%b' % (crc32(data), data), durable=durable)
    except CtxError:
        if may_write(file.parent):
            raise


def read_sealed(file: Path) -> bytes | None:
    """What was written; None where that is not what the file holds, or there is none."""
    try:
        total, _, data = file.read_bytes().partition(b'\n')
    except OSError:
        return None
    return data if total == b'%08x' % crc32(data) else None
