"""Make a segment: join the records of files, sort their postings by term, and add the terms and classes of their paths.

The store is read once, and only a share of the postings is in memory at a time: postings are first divided by the first
byte of their term, then each share, or several small ones together, is sorted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.path_classes import classes_of
from ctxkit.index.record import column_type, posting_type
from ctxkit.index.scratch import Scratch
from ctxkit.index.segment import FOLDER, STEM, Draft
from ctxkit.index.terms import WHOLE, WORD, split, term_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.manifest import Tracked
    from ctxkit.index.store import Store

# Postings that are sorted at once; each takes fifty bytes of memory meanwhile.
POSTINGS_AT_ONCE = 2_000_000
SHARES = 256  # terms are hashes, so each first byte has about as many postings


class Part(NamedTuple):
    """What a segment needs of one file; the bytes are as the store keeps them."""

    path: str
    file: int
    postings: bytes
    columns: bytes
    vectors: bytes


def stored_parts(files: Sequence[Tracked], store: Store, model: str) -> Iterator[Part]:
    """The parts of these files of a manifest, read from the store one by one."""
    return (Part(one.path, one.file, *store.searchable(one.file, model)) for one in files)


def assemble(parts: Iterable[Part], model: str, dimension: int, room: Scratch) -> Draft:
    """A segment of these files, put together in `room`.

    A file without vectors gets zeros: its chunks are then found by words alone. Raises CtxError if the disk is full.
    """
    import numpy as np

    files: list[tuple[str, int]] = []
    starts, shared = [0], 0
    batch: list[Part] = []
    postings = 0
    for part in parts:
        files.append((part.path, part.file))
        starts.append(starts[-1] + len(part.columns) // column_type().itemsize)
        batch.append(part)
        postings += len(part.postings) // posting_type().itemsize
        if postings > POSTINGS_AT_ONCE // 4:
            _share_out(room, batch, starts[shared:], dimension)
            shared, batch, postings = len(files), [], 0
    _share_out(room, batch, starts[shared:], dimension)
    del batch
    _sort(room)
    room.put('file_start', np.array(starts, np.uint32).tobytes())
    for name, values in _path_index([path for path, _ in files]).items():
        room.put(name, values.tobytes())
    return Draft(tuple(files), model, dimension, room)


def _share_out(room: Scratch, batch: Sequence[Part], starts: Sequence[int], dimension: int) -> None:
    """Append to `room` the columns of the batch's chunks, by name, and the postings, by the first byte of the term."""
    import numpy as np

    table = np.frombuffer(b''.join(part.columns for part in batch), column_type())
    sizes = np.diff(np.array(starts, np.int64)).tolist()
    vectors = b''.join(
        part.vectors if len(part.vectors) == size * dimension else bytes(size * dimension)
        for part, size in zip(batch, sizes, strict=True)
    )
    for name, data in (
        ('kind', table['kind'].tobytes()),
        ('lengths', table['lengths'].tobytes()),
        ('vectors', vectors),
        ('norms', _norms(np.frombuffer(vectors, np.int8).reshape(len(table), dimension)).tobytes()),
    ):
        room.put(name, data)
    rows = np.frombuffer(bytearray().join(part.postings for part in batch), posting_type())
    lengths = [len(part.postings) // posting_type().itemsize for part in batch]
    rows['chunk'] += np.repeat(np.array(starts[:-1], np.uint32), lengths)
    share = (rows['term'] >> np.uint32(24)).astype(np.uint8)
    rows = rows[np.argsort(share, kind='stable')]
    end = 0
    for number, count in enumerate(np.bincount(share, minlength=SHARES).tolist()):
        if count:
            room.put(number, rows[end : end + count].tobytes())
            end += count


def _sort(room: Scratch) -> None:
    """Take the shares of postings out of `room`, and put them back in arrays sorted by term."""
    import numpy as np

    at, group = 0, []
    for number in range(SHARES):
        group.append(room.take(number))
        if sum(map(len, group)) < POSTINGS_AT_ONCE * posting_type().itemsize and number < SHARES - 1:
            continue
        rows = np.frombuffer(b''.join(group), posting_type())
        group = []
        found = _by_term(rows)
        first = np.flatnonzero(np.concatenate(([True], found.term[1:] != found.term[:-1])))[: len(rows)]
        room.put('terms', found.term[first].tobytes())
        room.put('term_start', (first + at).astype(np.uint32).tobytes())
        room.put('post_chunk', found.chunk.tobytes())
        room.put('post_field', found.field.tobytes())
        room.put('post_tf', found.tf.tobytes())
        at += len(rows)
    room.put('term_start', np.array([at], np.uint32).tobytes())


class _Postings(NamedTuple):
    """Postings sorted by term, each with the number that its chunk has in the segment."""

    term: NDArray[np.uint32]
    chunk: NDArray[np.uint32]
    field: NDArray[np.uint8]
    tf: NDArray[np.uint8]


def _by_term(rows: NDArray[Any]) -> _Postings:
    """The rows sorted by term; rows of one term keep their order."""
    import numpy as np

    # Sorting 64-bit keys that carry their position is several times as fast as a stable argsort.
    key = rows['term'].astype(np.uint64)
    key <<= np.uint64(32)
    key |= np.arange(len(rows), dtype=np.uint64)
    key.sort()
    order = key.astype(np.uint32)  # the low half: the position
    key >>= np.uint64(32)
    # Copied out of their records first, so that what is read in random order fits into the cache.
    chunk, field, tf = (np.ascontiguousarray(rows[name])[order] for name in ('chunk', 'field', 'tf'))
    return _Postings(key.astype(np.uint32), chunk, field, tf)


def _norms(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """The Euclidean length of each row, computed in blocks that fit into the cache."""
    import numpy as np

    out = np.zeros(len(vectors), np.float32)
    for start in range(0, len(vectors), 4096):
        block = vectors[start : start + 4096].astype(np.float32)
        out[start : start + len(block)] = np.sqrt((block * block).sum(axis=1))
    return out


@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> tuple[frozenset[int], frozenset[int]]:
    """(all terms of a folder or stem, those of its words' parts alone). Cached, for most files share their folder."""
    found = [term for word in WORD.findall(text) for term in split(word)]
    return frozenset(map(term_id, found)), frozenset(term_id(term) for term in found if not term.endswith(WHOLE))


def _path_index(paths: Sequence[str]) -> dict[str, Any]:
    """The arrays for a segment's paths: postings of folders and stems, path classes, number of words in each stem."""
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
