"""What the index keeps of one file: chunk ranges, references, term postings, vectors, folds. No text of the file.

A record depends on the file's bytes, the last two parts of its path, the slicer and the model alone; so it is stored
under those and never made twice.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.terms import WORD, Vocabulary, definition_id, reference_id
from ctxkit.slicing import SLICER_VERSION, Chunk, slice_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.embedding import Encoder

# Fields of the lexical index. BODY is the chunk's whole own text.
SYMBOL, CLASS, SIGNATURE, DOC, BODY, DEFINES, REFERS = range(7)
LENGTH_FIELDS = 5
RECORD_VERSION = 1
FORMAT = SLICER_VERSION * 1000 + RECORD_VERSION
_VOCABULARY = Vocabulary()


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
    tokens: int
    digest: str

    @property
    def name(self) -> str:
        """The last part of the symbol."""
        return self.symbol.rpartition('.')[2]


@dataclass(frozen=True, slots=True)
class Record:
    """One file in the index. `postings` is a structured array (term u4, chunk u4, field u1, tf u1) as bytes."""

    language: str
    skipped: str
    broken: int
    places: bytes
    references: bytes
    postings: bytes
    lengths: bytes


def hint(path: str) -> str:
    """The part of a path that a record depends on: the last folder and the file name."""
    return '/'.join(path.split('/')[-2:])


def posting_type() -> Any:
    """The numpy type of one posting."""
    import numpy as np

    return np.dtype([('term', '<u4'), ('chunk', '<u4'), ('field', 'u1'), ('tf', 'u1')])


def load_places(data: bytes) -> list[Place]:
    """The places of a record."""
    return [Place(*row) for row in json.loads(data)]


def make(path: str, source: bytes, max_bytes: int) -> tuple[Record, list[Chunk]]:
    """Slice a file and encode what the index keeps of it, vectors apart. Returns the chunks too, for embedding."""
    sliced = slice_file(path, source, max_bytes)
    chunks = sliced.chunks
    counts = token_counts(source)
    places = [_place(chunk, source, counts) for chunk in chunks]
    references = [[list(ref) for ref in chunk.references] for chunk in chunks]
    postings, lengths = _postings(chunks, source)
    return Record(
        sliced.language,
        sliced.skipped,
        sliced.broken,
        json.dumps(places, separators=(',', ':')).encode(),
        json.dumps(references, separators=(',', ':')).encode(),
        postings.tobytes(),
        lengths.tobytes(),
    ), list(chunks)


def _place(chunk: Chunk, source: bytes, counts: NDArray[np.int32]) -> Place:
    ranges = chunk.spans or ((chunk.start_byte, chunk.end_byte),)
    digest = hashlib.blake2b(digest_size=8)
    tokens = 0
    for start, end in ranges:
        digest.update(source[start:end])
        tokens += int(counts[end] - counts[start])
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
        tokens,
        digest.hexdigest(),
    )


def token_counts(source: bytes) -> NDArray[np.int32]:
    """Running token count: element i is what `tokens.count` gives for source[:i], within one token at each border.

    Vectorised, because a first index counts tens of megabytes.
    """
    import numpy as np

    kinds = _byte_kinds()[np.frombuffer(source, np.uint8)]
    total = np.zeros(len(source) + 1, np.int32)
    if not len(source):
        return total
    starts = np.flatnonzero(np.concatenate(([True], kinds[1:] != kinds[:-1])))
    run_kinds = kinds[starts]
    lengths = np.diff(np.concatenate((starts, [len(source)])))
    per_piece = np.array([0, 4, 3, 1, 2, 1, 3, 2, 4], np.float64)  # letters by 4, digits by 3, ...
    weight = np.array([0, 1, 1, 1, 1, 1, 1.3, 0.8, 1], np.float64)
    pieces = np.ceil(lengths / np.maximum(per_piece[run_kinds], 1)) * weight[run_kinds]
    at = np.zeros(len(source) + 1)
    at[starts + 1] = pieces
    return np.ceil(np.cumsum(at)).astype(np.int32)


def _byte_kinds() -> NDArray[np.uint8]:
    """Byte -> kind: 0 space, 1 letter, 2 digit, 3 underscore, 4 mark, 5 newline, 6/7/8 UTF-8 of 3, 2, 4 bytes."""
    import numpy as np

    kinds = np.full(256, 4, np.uint8)
    for start, end, kind in (
        (65, 91, 1),
        (97, 123, 1),
        (48, 58, 2),
        (95, 96, 3),
        (0, 10, 0),
        (11, 33, 0),
        (10, 11, 5),
        (127, 128, 0),
        (128, 256, 6),
    ):
        kinds[start:end] = kind
    return kinds


def _postings(chunks: tuple[Chunk, ...], source: bytes) -> tuple[NDArray[Any], NDArray[np.uint16]]:
    """Postings sorted by (term, chunk, field), and the number of terms of each chunk's fields."""
    import numpy as np

    terms: list[int] = []
    bounds: list[tuple[int, int, int]] = []  # (chunk, field, end of its terms)
    lengths = np.zeros((len(chunks), LENGTH_FIELDS), np.uint16)
    vocabulary, words = _VOCABULARY, WORD.findall
    for number, chunk in enumerate(chunks):
        owner, _, name = chunk.symbol.rpartition('.')
        named = chunk.kind not in ('text', 'module')
        signature = source[chunk.sig_start : chunk.sig_end].decode('utf-8', 'replace')
        for field, text in (
            (SYMBOL, name if named else ''),
            (CLASS, owner),
            (SIGNATURE, signature),
            (DOC, chunk.doc(source)),
            (BODY, chunk.text(source)),
        ):
            before = len(terms)
            for word in words(text):
                terms += vocabulary[word]
            if len(terms) > before:
                lengths[number, field] = min(len(terms) - before, 65535)
                bounds.append((number, field, len(terms)))
        if named:
            terms.append(definition_id(name))
            bounds.append((number, DEFINES, len(terms)))
        refers = {reference_id(ref.name) for ref in chunk.references if ref.name}
        refers |= {
            reference_id(ref.qualifier.rpartition('.')[2])
            for ref in chunk.references
            if ref.kind == 'import' and ref.qualifier
        }
        if refers:
            terms += refers
            bounds.append((number, REFERS, len(terms)))
    out: NDArray[Any] = np.zeros(0, posting_type())
    if terms:
        table = np.array(bounds, np.int64)
        sizes = np.diff(table[:, 2], prepend=0)
        owner_of = np.repeat(table[:, 0] << 3 | table[:, 1], sizes)
        key = np.array(terms, np.uint64) << np.uint64(32) | owner_of.astype(np.uint64)
        unique, tf = np.unique(key, return_counts=True)
        out = np.zeros(len(unique), posting_type())
        out['term'] = unique >> np.uint64(32)
        out['chunk'] = (unique & np.uint64(0xFFFFFFFF)) >> np.uint64(3)
        out['field'] = unique & np.uint64(7)
        out['tf'] = np.minimum(tf, 255)
    return out, lengths


def quantise(vectors: NDArray[np.float32]) -> bytes:
    """Unit vectors as int8 rows, each scaled to its own largest element; a cosine changes by less than 0.005."""
    import numpy as np

    if not len(vectors):
        return b''
    scale = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    data: bytes = np.rint(vectors / scale * 127).astype(np.int8).tobytes()
    return data


def embed(chunks: list[Chunk], path: str, source: bytes, encoder: Encoder) -> NDArray[np.float32]:
    """The vectors of a file's chunks."""
    from ctxkit.embedding.text import passage

    return encoder.encode([passage(path, chunk, source) for chunk in chunks])
