"""What the index stores of one file: chunk ranges, references, postings, vectors, alike chunks; no text.

A record depends only on the file's bytes, the last two parts of its path, the slicer and the model. So it is stored
under those, and never made twice.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.slicing import SLICER_VERSION, Chunk, readable, slice_file
from ctxkit.slicing.chunk import FUNCTIONS, KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.words import Words


# Fields of the lexical index. BODY is the chunk's whole own text.
SYMBOL, CLASS, SIGNATURE, DOC, BODY, DEFINES, REFERS = range(7)
LENGTH_FIELDS = 5
HEAD = 7  # the line that is put before a chunk for the model; not a field of the lexical index
RECORD_VERSION = 8
DEFAULT_MAX_BYTES = 1_000_000
KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}
FUNCTION_CODES = tuple(KIND_CODES[kind] for kind in FUNCTIONS)
FORMAT = SLICER_VERSION * 1000 + RECORD_VERSION


class Place(NamedTuple):
    """A chunk as the index knows it: where it is and what it is called, without its text."""

    kind: str
    symbol: str
    line: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    sig_start: int
    sig_end: int
    doc_start: int
    doc_end: int
    parent: int
    spans: list[list[int]]
    digest: str

    @property
    def name(self) -> str:
        """The last part of the symbol."""
        return self.symbol.rpartition('.')[2]

    @property
    def least_tokens(self) -> int:
        """A lower bound of the tokens of its code, deep indents apart: enough to refuse what is too large, unread."""
        return sum(end - start for start, end in self.ranges) // 6

    @property
    def ranges(self) -> Sequence[Sequence[int]]:
        """The byte ranges of its own text."""
        return self.spans or ((self.start_byte, self.end_byte),)

    def text(self, source: bytes) -> str:
        """Its own text, decoded; invalid UTF-8 is replaced."""
        return '\n'.join(source[start:end].decode('utf-8', 'replace') for start, end in self.ranges)


class Record(NamedTuple):
    """One file in the index; `postings` and `columns` are the bytes of arrays of `posting_type` and `column_type`.

    `skipped` says why the file was not sliced ('' if it was), `broken` counts its syntax errors, or is GIVEN_UP.
    """

    language: str
    skipped: str
    broken: int
    places: bytes
    references: bytes
    postings: bytes
    columns: bytes


def path_hint(path: str, max_bytes: int) -> str:
    """What a record depends on besides the bytes: the last folder and file name, and `max_bytes` if not the default."""
    last = '/'.join(path.split('/')[-2:])
    if max_bytes != DEFAULT_MAX_BYTES:
        last += f':{max_bytes}'
    return last.encode('utf-8', 'backslashreplace').decode('utf-8')  # SQLite takes no lone surrogates


@cache
def posting_type() -> Any:
    """The numpy type of one posting."""
    import numpy as np

    return np.dtype([('term', '<u4'), ('chunk', '<u4'), ('field', 'u1'), ('tf', 'u1')])


@cache
def column_type() -> Any:
    """The numpy type of what the search needs to know of each chunk."""
    import numpy as np

    return np.dtype([('kind', 'u1'), ('lengths', '<u2', LENGTH_FIELDS)])


def load_places(data: bytes) -> list[Place]:
    """The places of a record; [] for b'', as the store gives for a file that is gone."""
    return list(map(Place._make, json.loads(data or b'[]')))


def is_bare_heading(place: Place | Chunk) -> bool:
    """Whether `place` is a heading alone, which is not worth showing: the sections below it name it."""
    return place.kind == 'section' and 0 < place.sig_end == place.end_byte


def innermost(places: Sequence[Place], first: int, last: int) -> list[int]:
    """Numbers of the chunks that the lines `first` to `last` touch, without the chunks around those.

    If there is no definition among them, what is left of the module.
    """
    inside = [n for n, place in enumerate(places) if place.start_line <= last and place.end_line >= first]
    enclosing = {places[number].parent for number in inside}
    named = [number for number in inside if places[number].kind != 'module' and number not in enclosing]
    return named or inside[:1]


def digest_of(chunk: Chunk, source: bytes) -> str:
    """The content hash of a chunk's own text, which does not depend on where it stands."""
    digest = hashlib.blake2b(digest_size=8)
    for start, end in chunk.ranges:
        digest.update(source[start:end])
    return digest.hexdigest()


class Made(NamedTuple):
    """A record, the chunks and readable bytes that it was made from, and `words`, `owner` from `postings.words_of`."""

    record: Record
    chunks: tuple[Chunk, ...]
    source: bytes
    words: Words | None = None
    owner: NDArray[np.int64] | None = None


def make(path: str, source: bytes, max_bytes: int) -> Made:
    """Slice a file and encode what the index stores of it, except vectors. All ranges refer to `Made.source`."""
    source = readable(source)
    sliced = slice_file(path, source, max_bytes)
    chunks = sliced.chunks
    places = [_place(chunk, source) for chunk in chunks]
    references = [chunk.references for chunk in chunks]
    postings, columns, words, owner = b'', b'', None, None
    if chunks:
        from ctxkit.index.postings import postings_of, words_of

        words, owner = words_of(path, chunks, source)
        found, lengths = postings_of(chunks, words, owner)
        postings, columns = found.tobytes(), _columns(places, lengths)
    record = Record(
        sliced.language,
        sliced.skipped,
        sliced.broken,
        _json(places),
        _json(references),
        postings,
        columns,
    )
    return Made(record, chunks, source, words, owner)


def _json(rows: object) -> bytes:
    # There are no cycles, and looking for them would take a fifth of the time.
    return json.dumps(rows, separators=(',', ':'), check_circular=False).encode()


def _columns(places: Sequence[Place], lengths: NDArray[np.uint16]) -> bytes:
    import numpy as np

    columns = np.zeros(len(places), column_type())
    columns['kind'] = [KIND_CODES[place.kind] for place in places]
    columns['lengths'] = lengths
    data: bytes = columns.tobytes()
    return data


def _place(chunk: Chunk, source: bytes) -> Place:
    return Place(
        chunk.kind,
        chunk.symbol,
        chunk.line,
        chunk.start_line,
        chunk.end_line,
        chunk.start_byte,
        chunk.end_byte,
        chunk.sig_start,
        chunk.sig_end,
        chunk.doc_start,
        chunk.doc_end,
        chunk.parent,
        [list(span) for span in chunk.spans],
        digest_of(chunk, source),
    )


def quantise(vectors: NDArray[np.float32]) -> bytes:
    """Unit vectors as int8 rows, each scaled to its own largest element; a cosine changes by less than 0.005."""
    import numpy as np

    if not len(vectors):
        return b''
    scale = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    data: bytes = np.rint(vectors / scale * 127).astype(np.int8).tobytes()
    return data
