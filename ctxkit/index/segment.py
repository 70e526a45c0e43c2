"""A segment: postings and vectors of many files as flat arrays, in memory or mapped from one file.

A repository has one base segment on disk, a cache of what the store holds for some tree; files that changed since are
a small second one, uncommitted edits a third that is made in memory. All are searched in the same way, and what is no
longer in the tree is masked. So the cost of an event grows with the change, and a search reads little more than the
postings of its terms.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
from bisect import bisect_left
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from zlib import crc32

from ctxkit.errors import CtxError
from ctxkit.index.record import FORMAT, LENGTH_FIELDS
from ctxkit.safety.paths import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxkit.index.scratch import Scratch

MAGIC = b'ctxkit-segment-8\n'
SUM = 4  # bytes of the checksum at the end of the file
PIECE = 1 << 20
FOLDER, STEM = 0, 1
# Each array and the format of its numbers, as in `struct`.
ARRAYS = {
    'file_start': 'I',
    'kind': 'B',
    'lengths': 'H',
    'terms': 'I',
    'term_start': 'I',
    'post_chunk': 'I',
    'post_field': 'B',
    'post_tf': 'B',
    'path_terms': 'I',
    'path_start': 'I',
    'path_file': 'I',
    'path_field': 'B',
    'path_class': 'B',
    'stem_size': 'B',
    'vectors': 'b',
    'norms': 'f',
}
# On Windows a mapped file cannot be replaced, but a worker must be able to replace this one while it is searched.
MAP = sys.platform != 'win32'
# The segments that this process has mapped or read.
_MAPPED: set[Path] = set()


class Segment(NamedTuple):
    """`files` are (path, file id) in order; the chunks of file i have the numbers file_start[i] to file_start[i + 1].

    `arrays` are memoryviews over one mapping, or over bytes. numpy is not needed to look a term up, only to score.
    """

    files: tuple[tuple[str, int], ...]
    model: str
    dimension: int
    arrays: dict[str, memoryview]

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return len(self.arrays['kind'])

    def lookup(self, term: int) -> tuple[int, int]:
        """The range of a term's postings; empty if there are none. Needs no numpy."""
        return _range(self.arrays['terms'], self.arrays['term_start'], term)

    def path_lookup(self, term: int) -> tuple[int, int]:
        """The range of a term's postings in folder names and file stems; empty if there are none."""
        return _range(self.arrays['path_terms'], self.arrays['path_start'], term)

    def chunks_with(self, term: int, field: int) -> list[int]:
        """The chunks that hold `term` in `field`."""
        start, end = self.lookup(term)
        fields, chunks = self.arrays['post_field'], self.arrays['post_chunk']
        return [chunks[i] for i in range(start, end) if fields[i] == field]

    def file_of(self, chunk: int) -> int:
        """The number of the file that a chunk belongs to."""
        starts = self.arrays['file_start']
        return bisect_left(starts, chunk + 1) - 1

    def as_array(self, name: str) -> Any:
        """An array of the segment as numpy sees it, without a copy."""
        import numpy as np

        view = self.arrays[name]
        array = np.frombuffer(view, dtype=view.format)
        if name == 'lengths':
            return array.reshape(-1, LENGTH_FIELDS)
        if name == 'vectors':
            return array.reshape(-1, self.dimension) if self.dimension else array.reshape(0, 0)
        return array


def _range(terms: memoryview, starts: memoryview, term: int) -> tuple[int, int]:
    at = bisect_left(terms, term)
    if at == len(terms) or terms[at] != term:
        return 0, 0
    return starts[at], starts[at + 1]


def cast(view: memoryview, form: str) -> memoryview:
    """The bytes as numbers of the format `form`. Raises ValueError for one that no array of a segment has."""
    if form not in ARRAYS.values():
        raise ValueError(form)
    return view.cast(form)  # type: ignore[call-overload, no-any-return]


class Draft(NamedTuple):
    """A segment under construction: its arrays are in `room`, under their names."""

    files: tuple[tuple[str, int], ...]
    model: str
    dimension: int
    room: Scratch


def in_memory(draft: Draft) -> Segment:
    """The segment of a draft, in memory."""
    arrays = {name: cast(memoryview(draft.room.take(name)), form) for name, form in ARRAYS.items()}
    return Segment(draft.files, draft.model, draft.dimension, arrays)


def save(draft: Draft, file: Path) -> None:
    """Write a segment to `file` atomically, with a checksum at its end."""
    offset, layout = 0, {}
    for name, form in ARRAYS.items():
        size = draft.room.size(name)
        layout[name] = [form, offset, size]
        offset += size + -size % 8
    header = json.dumps(
        {
            'format': FORMAT,
            'model': draft.model,
            'dimension': draft.dimension,
            'size': offset,
            'layout': layout,
            'files': draft.files,
        },
        separators=(',', ':'),
    ).encode()
    header += b' ' * (-(len(MAGIC) + 4 + len(header)) % 8)
    # A cache that is checked when it is read, so it need not be flushed to the disk.
    write_whole(file, _FileContent(header, draft.room), durable=False)


class _FileContent:
    """The bytes of a segment's file, in pieces; each iteration reads them from the draft again."""

    def __init__(self, header: bytes, room: Scratch) -> None:
        self._header = header
        self._room = room

    def __iter__(self) -> Iterator[bytes | memoryview]:
        total = 0
        for piece in self._body():
            total = crc32(piece, total)
            yield piece
        yield total.to_bytes(SUM, 'little')

    def _body(self) -> Iterator[bytes | memoryview]:
        yield from (MAGIC, len(self._header).to_bytes(4, 'little'), self._header)
        for name in ARRAYS:
            yield from self._room.pieces(name)
            yield bytes(-self._room.size(name) % 8)


def load(file: Path) -> Segment | None:
    """Map the segment in `file`; None if there is none, or if it is damaged or of another format."""
    try:
        with file.open('rb') as source:
            data = memoryview(mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ) if MAP else source.read())
            if bytes(data[: len(MAGIC)]) != MAGIC or not _is_checked(file, source):
                return None
        start = len(MAGIC) + 4
        length = int.from_bytes(data[len(MAGIC) : start], 'little')
        header = json.loads(bytes(data[start : start + length]))
        _MAPPED.add(file)
        if header['format'] != FORMAT or len(data) != start + length + header['size'] + SUM:
            return None
        base = start + length
        arrays = {
            name: cast(data[base + offset : base + offset + size], form)
            for name, (form, offset, size) in header['layout'].items()
        }
        return Segment(
            tuple((path, number) for path, number in header['files']), header['model'], header['dimension'], arrays
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_checked(file: Path, source: BinaryIO) -> bool:
    """Whether the checksum of a segment holds.

    It is computed if the file is new or was touched since, and once a day: each time would take a tenth of a search.
    """
    state = os.fstat(source.fileno())
    note = file.with_name(file.name + '.checked')
    seen = f'{state.st_ino} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {time.time() // 86400:.0f}'
    try:
        if note.read_text('ascii') == seen:
            return True
    except (OSError, ValueError):
        pass  # not yet checked
    source.seek(0)
    if not _is_whole(source):
        return False
    with suppress(CtxError):
        write_whole(note, seen, durable=False)
    return True


def _is_whole(source: BinaryIO) -> bool:
    """Whether the checksum at the end holds; read in pieces, for pages of a mapping count as this process's memory."""
    total, left = 0, os.fstat(source.fileno()).st_size - SUM
    while left > 0 and (piece := source.read(min(left, PIECE))):
        total = crc32(piece, total)
        left -= len(piece)
    return left == 0 and source.read() == total.to_bytes(SUM, 'little')


def drop_damaged() -> bool:
    """Remove the segments used by this process whose checksum does not hold; returns whether there were any."""
    dropped = False
    for file in _MAPPED:
        try:
            with file.open('rb') as source:
                is_whole = _is_whole(source)
            if not is_whole:
                file.unlink()
                dropped = True
        except OSError:
            continue
    return dropped
