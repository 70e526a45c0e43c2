"""A segment: postings, places and vectors of many files as flat arrays, in memory or mapped from one file.

A repository has one base segment on disk, a cache of what the store holds for some tree; files that changed since are
a small second segment made in memory. Both are searched in the same way, and what is no longer in the tree is masked.
So the cost of an event follows the change, and a search reads little more than what its terms touch.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_left
from pathlib import Path
from typing import Any, NamedTuple

from ctxkit.index.record import FORMAT, LENGTH_FIELDS
from ctxkit.safety.paths import write_whole

MAGIC = b'ctxkit-segment-5\n'
FOLDER, STEM = 0, 1
ARRAYS = (
    'file_start',
    'kind',
    'lengths',
    'terms',
    'term_start',
    'post_chunk',
    'post_field',
    'post_tf',
    'path_terms',
    'path_start',
    'path_file',
    'path_field',
    'path_class',
    'stem_size',
    'vectors',
    'norms',
)
# The files that this process has mapped.
_MAPPED: set[Path] = set()
FORMATS = {'<u4': 'I', '|u1': 'B', '|i1': 'b', '<u2': 'H', '<f4': 'f'}


class Segment(NamedTuple):
    """`files` are (path, file id) in order; chunk numbers of file i are file_start[i] to file_start[i + 1].

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
        """The range of a term's postings in folder and file names."""
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
    """The bytes as numbers of that format. Raises ValueError for one that no array of a segment has."""
    if form not in FORMATS.values():
        raise ValueError(form)
    return view.cast(form)  # type: ignore[call-overload, no-any-return]


def save(segment: Segment, file: Path) -> None:
    """Write a segment whole to `file`, with a sum of its arrays, which is only looked at when something goes wrong."""
    from zlib import crc32

    offset, layout, body, total = 0, {}, [], 0
    for name in ARRAYS:
        view = segment.arrays[name]
        layout[name] = [view.format, offset, view.nbytes]
        pad = -view.nbytes % 8
        for part in (bytes(view.cast('B')) if view.nbytes else b'', b'\0' * pad):
            body.append(part)
            total = crc32(part, total)
        offset += view.nbytes + pad
    header = json.dumps(
        {
            'format': FORMAT,
            'model': segment.model,
            'dimension': segment.dimension,
            'size': offset,
            'sum': total,
            'layout': layout,
            'files': segment.files,
        },
        separators=(',', ':'),
    ).encode()
    header += b' ' * (-(len(MAGIC) + 4 + len(header)) % 8)
    # A cache: its size is checked when it is read, so it need not wait for the disk.
    write_whole(file, b''.join([MAGIC, len(header).to_bytes(4, 'little'), header, *body]), durable=False)


def load(file: Path) -> Segment | None:
    """Map a segment from `file`; None if there is none or it is not whole and of this format."""
    try:
        with file.open('rb') as source:
            data = memoryview(mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ))
        if bytes(data[: len(MAGIC)]) != MAGIC:
            return None
        start = len(MAGIC) + 4
        length = int.from_bytes(data[len(MAGIC) : start], 'little')
        header = json.loads(bytes(data[start : start + length]))
        _MAPPED.add(file)
        if header['format'] != FORMAT or len(data) != start + length + header['size']:
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


def drop_damaged() -> bool:
    """Remove those of the segments mapped by this process whose bytes are not what was written; whether there were any.

    To check the sum at each start would take longer than a search. A crash of the machine can leave such a file.
    """
    from zlib import crc32

    dropped = False
    for file in _MAPPED:
        try:
            data = file.read_bytes()
            start = len(MAGIC) + 4
            body = start + int.from_bytes(data[len(MAGIC) : start], 'little')
            if crc32(data[body:]) != json.loads(data[start:body])['sum']:
                file.unlink()
                dropped = True
        except (OSError, ValueError, LookupError, TypeError):
            continue
    return dropped
