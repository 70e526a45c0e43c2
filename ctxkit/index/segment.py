"""A segment: postings, places and vectors of many files as flat arrays, in memory or mapped from one file.

A repository has one base segment on disk, a cache of what the store holds for some tree; files that changed since are
a small second segment made in memory. Both are searched in the same way, and what is no longer in the tree is masked.
So the cost of an event follows the change, and a search reads little more than what its terms touch.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_left
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.path_classes import classes_of
from ctxkit.index.record import FORMAT, LENGTH_FIELDS, column_type, posting_type
from ctxkit.index.terms import WHOLE, WORD, split, term_id
from ctxkit.safety.paths import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.store import Store

MAGIC = b'ctxkit-segment-4\n'
FOLDER, STEM = 0, 1
_ARRAYS = (
    'file_start',
    'kind',
    'start_line',
    'end_line',
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
_FORMATS = {'<u4': 'I', '|u1': 'B', '|i1': 'b', '<u2': 'H', '<f4': 'f'}


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


class Part(NamedTuple):
    """What a segment takes of one file; the bytes are as the store keeps them."""

    path: str
    file: int
    postings: bytes
    columns: bytes
    vectors: bytes


def build(files: Sequence[tuple[str, int]], store: Store, model: str, dimension: int) -> Segment:
    """The segment of these (path, file id), read from the store."""
    return assemble(stored_parts(files, store, model), model, dimension)


def stored_parts(files: Sequence[tuple[str, int]], store: Store, model: str) -> list[Part]:
    """What the store holds of these (path, file id)."""
    return [Part(path, file, *store.searchable(file, model)) for path, file in files]


def assemble(parts: Sequence[Part], model: str, dimension: int) -> Segment:
    """A segment of these files. Vectors that a file lacks are zeros: its chunks are then found by words alone."""
    import numpy as np

    sizes = np.array([len(part.columns) // column_type().itemsize for part in parts], np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    total = int(starts[-1])
    columns = np.frombuffer(b''.join(part.columns for part in parts), column_type())
    postings = np.frombuffer(b''.join(part.postings for part in parts), posting_type())
    lengths = np.array([len(part.postings) // posting_type().itemsize for part in parts], np.int64)
    chunk = postings['chunk'] + np.repeat(starts[:-1], lengths).astype(np.uint32)
    # Sorting 64-bit keys that carry their position is several times as fast as a stable argsort.
    key = np.sort(postings['term'].astype(np.uint64) << np.uint64(32) | np.arange(len(postings), dtype=np.uint64))
    term = (key >> np.uint64(32)).astype(np.uint32)
    order = (key & np.uint64(0xFFFFFFFF)).astype(np.int64)
    heads = np.flatnonzero(np.concatenate(([True], term[1:] != term[:-1]))) if len(term) else np.zeros(0, np.int64)
    vectors = np.zeros((total, dimension), np.int8)
    for part, start, size in zip(parts, starts[:-1].tolist(), sizes.tolist(), strict=True):
        if size and len(part.vectors) == size * dimension:
            vectors[start : start + size] = np.frombuffer(part.vectors, np.int8).reshape(size, dimension)
    values: dict[str, Any] = {
        'file_start': starts.astype(np.uint32),
        'kind': columns['kind'],
        'start_line': columns['start_line'],
        'end_line': columns['end_line'],
        'lengths': columns['lengths'],
        'terms': term[heads],
        'term_start': np.append(heads, len(term)).astype(np.uint32),
        'post_chunk': chunk[order],
        'post_field': postings['field'][order],
        'post_tf': postings['tf'][order],
        'vectors': vectors,
        'norms': _norms(vectors),
        **_path_index([part.path for part in parts]),
    }
    arrays = {
        name: _cast(memoryview(np.ascontiguousarray(values[name]).tobytes()), _FORMATS[values[name].dtype.str])
        for name in _ARRAYS
    }
    return Segment(tuple((part.path, part.file) for part in parts), model, dimension, arrays)


def _norms(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """The length of each row, in blocks that stay in the cache."""
    import numpy as np

    out = np.zeros(len(vectors), np.float32)
    for start in range(0, len(vectors), 4096):
        block = vectors[start : start + 4096].astype(np.float32)
        out[start : start + len(block)] = np.sqrt((block * block).sum(axis=1))
    return out


def path_terms(path: str) -> tuple[frozenset[int], frozenset[int]]:
    """(terms of the folders, terms of the file's stem) of a path."""
    folder, _, name = path.rpartition('/')
    return _terms(folder)[0], _terms(name.partition('.')[0] or name)[0]


def stem_terms(path: str) -> frozenset[int]:
    """The terms of a file's stem without the one for the whole name."""
    name = path.rpartition('/')[2]
    return _terms(name.partition('.')[0] or name)[1]


@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """The terms of the words of a folder or stem, and those of parts alone. Most files share their folder."""
    found = [term for word in WORD.findall(text) for term in split(word)]
    return frozenset(map(term_id, found)), frozenset(term_id(term) for term in found if not term.endswith(WHOLE))


def _cast(view: memoryview, form: str) -> memoryview:
    if form not in _FORMATS.values():
        raise ValueError(form)
    return view.cast(form)  # type: ignore[call-overload, no-any-return]


def _path_index(paths: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    rows = [
        (term, file, field)
        for file, path in enumerate(paths)
        for field, terms in enumerate(path_terms(path))
        for term in terms
    ]
    rows.sort()
    table = np.array(rows, np.uint32).reshape(-1, 3)
    terms, start = np.unique(table[:, 0], return_index=True)
    return {
        'path_terms': terms.astype(np.uint32),
        'path_start': np.append(start, len(table)).astype(np.uint32),
        'path_file': np.ascontiguousarray(table[:, 1]),
        'path_field': table[:, 2].astype(np.uint8),
        'path_class': np.array([classes_of(path) for path in paths], np.uint8),
        'stem_size': np.array([min(len(stem_terms(path)), 255) for path in paths], np.uint8),
    }


def save(segment: Segment, file: Path) -> None:
    """Write a segment whole to `file`."""
    offset, layout, body = 0, {}, []
    for name in _ARRAYS:
        view = segment.arrays[name]
        layout[name] = [view.format, offset, view.nbytes]
        pad = -view.nbytes % 8
        body += [bytes(view.cast('B')) if view.nbytes else b'', b'\0' * pad]
        offset += view.nbytes + pad
    header = json.dumps(
        {
            'format': FORMAT,
            'model': segment.model,
            'dimension': segment.dimension,
            'size': offset,
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
        if header['format'] != FORMAT or len(data) != start + length + header['size']:
            return None
        base = start + length
        arrays = {
            name: _cast(data[base + offset : base + offset + size], form)
            for name, (form, offset, size) in header['layout'].items()
        }
        return Segment(
            tuple((path, number) for path, number in header['files']), header['model'], header['dimension'], arrays
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
