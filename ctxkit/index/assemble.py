"""Make a segment: the records of files put together, sorted by term, with what their paths say."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.path_classes import classes_of
from ctxkit.index.record import column_type, posting_type
from ctxkit.index.segment import ARRAYS, FOLDER, FORMATS, STEM, Segment, cast
from ctxkit.index.terms import WHOLE, WORD, split, term_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.manifest import Tracked
    from ctxkit.index.store import Store

# Postings that are sorted in one go, which takes fifty bytes each for the time being.
POSTINGS_AT_ONCE = 2_000_000
# A chunk has about 80 postings of ten bytes. Where there are more chunks, the store is read again for each portion of
# postings: 130,000 of them took 120 MB more otherwise, and reading adds a fortieth to their first index.
MOST_CHUNKS_HELD = 50_000


class Part(NamedTuple):
    """What a segment takes of one file; the bytes are as the store keeps them."""

    path: str
    file: int
    postings: bytes
    columns: bytes
    vectors: bytes


def build(files: Sequence[Tracked], store: Store, model: str, dimension: int) -> Segment:
    """The segment of these files of a manifest, read from the store; once where all they hold fits into memory."""
    read = partial(stored_parts, [(one.path, one.file) for one in files], store, model)
    if sum(one.chunks for one in files) > MOST_CHUNKS_HELD:
        return assemble(read, model, dimension)
    held = list(read())
    return assemble(lambda: held, model, dimension)


def stored_parts(files: Sequence[tuple[str, int]], store: Store, model: str) -> Iterator[Part]:
    """What the store holds of these (path, file id)."""
    return (Part(path, file, *store.searchable(file, model)) for path, file in files)


def assemble(read: Callable[[], Iterable[Part]], model: str, dimension: int) -> Segment:
    """A segment of the files that `read` gives, the same at each call: it is asked once more for each range of terms.

    So no more than a range of the postings is at hand twice. Vectors that a file lacks are zeros: its chunks are then
    found by words alone.
    """
    import numpy as np

    files: list[tuple[str, int]] = []
    sizes, total = [], 0
    columns, vectors = bytearray(), bytearray()
    for part in read():
        files.append((part.path, part.file))
        size = len(part.columns) // column_type().itemsize
        sizes.append(size)
        columns += part.columns
        vectors += part.vectors if len(part.vectors) == size * dimension else bytes(size * dimension)
        total += len(part.postings) // posting_type().itemsize
    starts = np.concatenate(([0], np.cumsum(np.array(sizes, np.int64)))).astype(np.uint32)
    chunk, field, tf = np.empty(total, np.uint32), np.empty(total, np.uint8), np.empty(total, np.uint8)
    terms, heads = [], []
    at = 0
    for low, high in _ranges(total):
        found = _sorted_postings(read(), starts, low, high)
        end = at + len(found.term)
        chunk[at:end], field[at:end], tf[at:end] = found.chunk, found.field, found.tf
        first = np.flatnonzero(np.concatenate(([True], found.term[1:] != found.term[:-1])))[: end - at]
        terms.append(found.term[first])
        heads.append((first + at).astype(np.uint32))
        at = end
    table = np.frombuffer(columns, column_type())
    rows = np.frombuffer(vectors, np.int8).reshape(len(table), dimension)
    values: dict[str, Any] = {
        'file_start': starts,
        'kind': table['kind'],
        'lengths': table['lengths'],
        'terms': np.concatenate(terms),
        'term_start': np.concatenate((*heads, np.array([total], np.uint32))),
        'post_chunk': chunk,
        'post_field': field,
        'post_tf': tf,
        'vectors': rows,
        'norms': _norms(rows),
        **_path_index([path for path, _ in files]),
    }
    arrays = {
        name: cast(np.ascontiguousarray(values[name]).view(np.uint8).reshape(-1).data, FORMATS[values[name].dtype.str])
        for name in ARRAYS
    }
    return Segment(tuple(files), model, dimension, arrays)


def _ranges(postings: int) -> Iterator[tuple[int, int]]:
    """Ranges that together hold all terms. Terms are hashes, so each range holds about as many postings."""
    count = -(-postings // POSTINGS_AT_ONCE) or 1
    edges = [(number << 32) // count for number in range(count + 1)]
    return pairwise(edges)


class _Postings(NamedTuple):
    """Postings sorted by term, each with the number that its chunk has in the segment."""

    term: NDArray[np.uint32]
    chunk: NDArray[np.uint32]
    field: NDArray[np.uint8]
    tf: NDArray[np.uint8]


def _sorted_postings(parts: Iterable[Part], starts: NDArray[np.uint32], low: int, high: int) -> _Postings:
    """Those of the terms from `low` to below `high`."""
    import numpy as np

    width = posting_type().itemsize
    pieces = []
    for part in parts:
        first, last = 0, len(part.postings) // width
        if (low, high) != (0, 1 << 32):  # those of a file are sorted
            first, last = np.searchsorted(np.frombuffer(part.postings, posting_type())['term'], (low, high))
        pieces.append(part.postings[first * width : last * width])
    lengths = np.array([len(piece) // width for piece in pieces], np.int64)
    rows = np.frombuffer(b''.join(pieces), posting_type())
    del pieces
    chunk = np.repeat(starts[:-1], lengths)
    chunk += rows['chunk']
    # Sorting 64-bit keys that carry their position is several times as fast as a stable argsort.
    key = rows['term'].astype(np.uint64)
    key <<= np.uint64(32)
    key |= np.arange(len(rows), dtype=np.uint64)
    key.sort()
    order = key.astype(np.uint32)  # the low half: the position
    key >>= np.uint64(32)
    # First out of their records: what is read in no order should fit the cache.
    field, tf = np.ascontiguousarray(rows['field'])[order], np.ascontiguousarray(rows['tf'])[order]
    return _Postings(key.astype(np.uint32), chunk[order], field, tf)


def _norms(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """The length of each row, in blocks that stay in the cache."""
    import numpy as np

    out = np.zeros(len(vectors), np.float32)
    for start in range(0, len(vectors), 4096):
        block = vectors[start : start + 4096].astype(np.float32)
        out[start : start + len(block)] = np.sqrt((block * block).sum(axis=1))
    return out


@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """The terms of the words of a folder or stem, and those of parts alone. Most files share their folder."""
    found = [term for word in WORD.findall(text) for term in split(word)]
    return frozenset(map(term_id, found)), frozenset(term_id(term) for term in found if not term.endswith(WHOLE))


def _path_index(paths: Sequence[str]) -> dict[str, Any]:
    """The postings of folders and stems, the classes of paths, and how many words each stem has."""
    import numpy as np

    rows: list[tuple[int, int, int]] = []
    stem_sizes = []
    for file, path in enumerate(paths):
        folder, _, name = path.rpartition('/')
        stem, words = _terms(name.partition('.')[0] or name)
        rows += [(term, file, FOLDER) for term in _terms(folder)[0]]
        rows += [(term, file, STEM) for term in stem]
        stem_sizes.append(min(len(words), 255))
    rows.sort()
    table = np.array(rows, np.uint32).reshape(-1, 3)
    terms, start = np.unique(table[:, 0], return_index=True)
    return {
        'path_terms': terms.astype(np.uint32),
        'path_start': np.append(start, len(table)).astype(np.uint32),
        'path_file': np.ascontiguousarray(table[:, 1]),
        'path_field': table[:, 2].astype(np.uint8),
        'path_class': np.array([classes_of(path) for path in paths], np.uint8),
        'stem_size': np.array(stem_sizes, np.uint8),
    }
