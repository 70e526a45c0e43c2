"""A segment: postings, places and vectors of many files as flat arrays, in memory or mapped from one file.

A repository has one base segment on disk, a cache of what the store holds for some tree; files that changed since are
a small second segment made in memory. Both are searched in the same way, and what is no longer in the tree is masked.
So the cost of an event follows the change, and a search reads little more than what its terms touch.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxkit.index.record import FORMAT, LENGTH_FIELDS, load_places, posting_type
from ctxkit.index.terms import WORD, split, term_id
from ctxkit.safety.paths import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.index.store import Store

MAGIC = b'ctxkit-segment-2\n'
FOLDER, STEM = 0, 1
KIND_CODES = {'function': 0, 'method': 1, 'class': 2, 'module': 3, 'section': 4, 'text': 5}
_ARRAYS = (
    'file_start',
    'kind',
    'tokens',
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
    'vectors',
    'norms',
)
_FORMATS = {'<u4': 'I', '|u1': 'B', '|i1': 'b', '<u2': 'H', '<f4': 'f'}


@dataclass(frozen=True)
class Segment:
    """`files` are (path, file id) in order; chunk numbers of file i are file_start[i] to file_start[i + 1].

    `arrays` are memoryviews over one mapping (or the bytes of one); `shapes` their shapes. numpy is not needed to look
    a term up, only to score.
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
        terms = self.arrays['terms']
        at = bisect_left(terms, term)
        if at == len(terms) or terms[at] != term:
            return 0, 0
        starts = self.arrays['term_start']
        return starts[at], starts[at + 1]

    def path_lookup(self, term: int) -> tuple[int, int]:
        """The range of a term's postings in folder and file names."""
        terms = self.arrays['path_terms']
        at = bisect_left(terms, term)
        if at == len(terms) or terms[at] != term:
            return 0, 0
        starts = self.arrays['path_start']
        return starts[at], starts[at + 1]

    def chunks_with(self, term: int, field: int) -> list[int]:
        """The chunks that hold `term` in `field`."""
        start, end = self.lookup(term)
        fields, chunks = self.arrays['post_field'], self.arrays['post_chunk']
        return [chunks[i] for i in range(start, end) if fields[i] == field]

    def file_of(self, chunk: int) -> int:
        """The number of the file that a chunk belongs to."""
        starts = self.arrays['file_start']
        at = bisect_left(starts, chunk + 1) - 1
        return at

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


def build(files: Sequence[tuple[str, int]], store: Store, model: str, dimension: int) -> Segment:
    """The segment of these (path, file id), read from the store."""
    return assemble(
        [
            (path, file, postings, lengths, places, store.vectors(file, model) if model else b'')
            for (path, _), (file, postings, lengths, places) in zip(
                files, store.postings([i for _, i in files]), strict=True
            )
        ],
        model,
        dimension,
    )


def assemble(parts: Sequence[tuple[str, int, bytes, bytes, bytes, bytes]], model: str, dimension: int) -> Segment:
    """A segment from (path, file id, postings, lengths, places, vectors) of each file."""
    import numpy as np

    starts, kinds, tokens, first, last = [0], [], [], [], []
    all_postings, all_lengths, vectors = [], [], []
    for _, _, postings, lengths, places, vector in parts:
        rows = load_places(places)
        kinds += [KIND_CODES[row.kind] for row in rows]
        tokens += [row.tokens for row in rows]
        first += [row.start_line for row in rows]
        last += [row.end_line for row in rows]
        array = np.frombuffer(postings, posting_type()).copy()
        array['chunk'] += starts[-1]
        all_postings.append(array)
        all_lengths.append(np.frombuffer(lengths, np.uint16).reshape(-1, LENGTH_FIELDS))
        matrix = np.frombuffer(vector, np.int8)
        vectors.append(
            matrix.reshape(-1, dimension)
            if len(matrix) == len(rows) * dimension
            else np.zeros((len(rows), dimension), np.int8)
        )
        starts.append(starts[-1] + len(rows))
    joined = np.concatenate([np.zeros(0, posting_type()), *all_postings])
    del all_postings
    joined = joined[np.argsort(joined['term'], kind='stable')]
    terms, term_start = np.unique(joined['term'], return_index=True)
    matrix = np.concatenate([np.zeros((0, dimension), np.int8), *vectors])
    norms = np.sqrt(np.einsum('ij,ij->i', matrix, matrix, dtype=np.float32)) if dimension else np.zeros(len(kinds))
    values: dict[str, Any] = {
        'file_start': np.array(starts, np.uint32),
        'kind': np.array(kinds, np.uint8),
        'tokens': np.array(tokens, np.uint32),
        'start_line': np.array(first, np.uint32),
        'end_line': np.array(last, np.uint32),
        'lengths': np.concatenate([np.zeros((0, LENGTH_FIELDS), np.uint16), *all_lengths]),
        'terms': terms,
        'term_start': np.append(term_start, len(joined)).astype(np.uint32),
        'post_chunk': joined['chunk'],
        'post_field': joined['field'],
        'post_tf': joined['tf'],
        'vectors': matrix,
        'norms': norms.astype(np.float32),
        **_path_index([part[0] for part in parts]),
    }
    arrays = {
        name: _cast(memoryview(np.ascontiguousarray(values[name]).tobytes()), _FORMATS[values[name].dtype.str])
        for name in _ARRAYS
    }
    return Segment(tuple((part[0], part[1]) for part in parts), model, dimension, arrays)


def path_terms(path: str) -> tuple[set[int], set[int]]:
    """(terms of the folders, terms of the file's stem) of a path."""
    folder, _, name = path.rpartition('/')
    stem = name.partition('.')[0] or name
    return (
        {term_id(term) for word in WORD.findall(folder) for term in split(word)},
        {term_id(term) for word in WORD.findall(stem) for term in split(word)},
    )


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
    write_whole(file, b''.join([MAGIC, len(header).to_bytes(4, 'little'), header, *body]))


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
