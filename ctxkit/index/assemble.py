"""Make a segment: the records of files put together, sorted by term, with what their paths say."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.path_classes import classes_of
from ctxkit.index.record import column_type, posting_type
from ctxkit.index.segment import ARRAYS, FOLDER, FORMATS, STEM, Segment, cast
from ctxkit.index.terms import WHOLE, WORD, split, term_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.store import Store


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
    chunk = np.repeat(starts[:-1].astype(np.uint32), lengths)
    chunk += postings['chunk']
    # Sorting 64-bit keys that carry their position is several times as fast as a stable argsort.
    # In place, since a first index is at its largest here.
    key = postings['term'].astype(np.uint64)
    key <<= np.uint64(32)
    key |= np.arange(len(postings), dtype=np.uint64)
    key.sort()
    order = key.astype(np.uint32)  # the low half: the position
    key >>= np.uint64(32)
    term = key.astype(np.uint32)
    del key
    heads = np.flatnonzero(np.concatenate(([True], term[1:] != term[:-1]))) if len(term) else np.zeros(0, np.int64)
    vectors = np.zeros((total, dimension), np.int8)
    for part, start, size in zip(parts, starts[:-1].tolist(), sizes.tolist(), strict=True):
        if size and len(part.vectors) == size * dimension:
            vectors[start : start + size] = np.frombuffer(part.vectors, np.int8).reshape(size, dimension)
    values: dict[str, Any] = {
        'file_start': starts.astype(np.uint32),
        'kind': columns['kind'],
        'lengths': columns['lengths'],
        'terms': term[heads],
        'term_start': np.append(heads, len(term)).astype(np.uint32),
        'post_chunk': chunk[order],
        # First out of their records: what is read in no order should fit the cache.
        'post_field': np.ascontiguousarray(postings['field'])[order],
        'post_tf': np.ascontiguousarray(postings['tf'])[order],
        'vectors': vectors,
        'norms': _norms(vectors),
        **_path_index([part.path for part in parts]),
    }
    arrays = {
        name: cast(np.ascontiguousarray(values[name]).view(np.uint8).reshape(-1).data, FORMATS[values[name].dtype.str])
        for name in ARRAYS
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
