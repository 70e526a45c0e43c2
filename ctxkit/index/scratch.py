"""Temporary storage for data too large for memory: bytes under names, in memory while few, then in one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ctxkit.errors import CtxError

if TYPE_CHECKING:
    from typing import BinaryIO

# Bytes that are held in memory before they are written; a repository of 10,000 functions does not reach this.
MOST_HELD = 32_000_000
PIECE = 1 << 20


class Scratch:
    """Bytes appended under names and read back in order, in pieces. A context manager, which discards them all."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is where a file may be made; without it, everything is held in memory."""
        self._folder = folder
        self._file: BinaryIO | None = None
        self._held: dict[str | int, bytearray] = {}
        self._places: dict[str | int, list[tuple[int, int]]] = {}
        self._size = 0
        self._end = 0

    def __enter__(self) -> Scratch:
        """The storage itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Discard everything."""
        self._held.clear()
        if self._file is not None:
            with suppress(OSError):  # closing tries again to write what a full disk refused
                self._file.close()

    def put(self, name: str | int, data: bytes | memoryview) -> None:
        """Append bytes. Raises CtxError if the disk is full."""
        held = self._held.get(name)
        if held is None:
            held = self._held[name] = bytearray()
        held += data
        self._size += len(data)
        if self._size > MOST_HELD and self._folder is not None:
            try:
                self._flush(self._folder)
            except OSError as error:
                problem = f'{self._folder} cannot be written ({error.strerror})'
                raise CtxError(problem, 'check permissions and free space') from error

    def _flush(self, folder: Path) -> None:
        if self._file is None:
            import tempfile

            self._file = tempfile.TemporaryFile(dir=folder)  # it has no name, so a killed process leaves nothing
        self._file.seek(self._end)
        for name, held in self._held.items():
            self._file.write(held)
            self._places.setdefault(name, []).append((self._end, len(held)))
            self._end += len(held)
        self._file.flush()
        self._held.clear()
        self._size = 0

    def size(self, name: str | int) -> int:
        """How many bytes there are under a name."""
        return sum(size for _, size in self._places.get(name, ())) + len(self._held.get(name, b''))

    def pieces(self, name: str | int) -> Iterator[bytes | memoryview]:
        """The bytes of a name, about a megabyte at a time; nothing may be put in meanwhile."""
        for start, size in self._places.get(name, ()):
            assert self._file is not None
            for at in range(start, start + size, PIECE):
                self._file.seek(at)
                yield self._file.read(min(PIECE, start + size - at))
        if name in self._held:
            yield memoryview(self._held[name])

    def take(self, name: str | int) -> bytes:
        """All bytes of a name; those held in memory are released."""
        data = b''.join(self.pieces(name))
        self._size -= len(self._held.pop(name, b''))
        return data
