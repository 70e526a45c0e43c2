"""Caches with a checksum in their first line: where a disk or a crash changed a byte, they count as missing."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from ctxkit.errors import CtxError
from ctxkit.safety.paths import may_write, write_whole


def write_sealed(file: Path, text: str, durable: bool = True) -> None:
    """Replace `file` by `text` with its checksum, in one step. An unwritable folder is ignored, since a cache can be
    made again; otherwise raises CtxError as `write_whole` does."""
    data = text.encode('utf-8', 'surrogateescape')
    try:
        write_whole(file, b'%08x\n%b' % (crc32(data), data), durable=durable)
    except CtxError:
        if may_write(file.parent):
            raise


def read_sealed(file: Path) -> bytes | None:
    """The bytes that `write_sealed` wrote; None where the file is missing or its checksum is wrong."""
    try:
        total, _, data = file.read_bytes().partition(b'\n')
    except OSError:
        return None
    return data if total == b'%08x' % crc32(data) else None
