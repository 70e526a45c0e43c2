"""Lexical scores: BM25F over the fields of chunks, and over whole files.

BM25F is from Robertson and Zaragoza (The Probabilistic Relevance Framework, 2009, section 3.6): term counts of each
field are length-normalised and weighted, then saturated together. All statistics are those of the current tree alone,
so the same tree gives the same order whatever else the index holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.near import near_terms
from ctxkit.index.record import BODY, LENGTH_FIELDS
from ctxkit.index.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.segment import Segment

K1 = 1.2
#                symbol class signature doc body
FIELD_WEIGHT = (3.0, 3.0, 1.5, 1.5, 1.0)
FIELD_B = (0.75, 0.5, 0.5, 0.5, 0.6)
PATH_WEIGHT = (1.0, 2.0)  # folder, file stem
FILE_B = 0.4
FILE_PATH_WEIGHT = 3.0  # occurrences in the text that one in a folder's name is worth for a file; in the stem, twice
# What a word of nearly the same meaning counts, times its cosine, relative to the word that was asked for.
NEAR, NEAR_ABSENT = 0.25, 0.5  # if the code also has the word itself, and if it does not
NEAR_MOST = 40  # terms (a plain word is two); a longer request says what it means in several words itself


@dataclass(eq=False, repr=False)
class Table:
    """Columns over all chunks of the corpus; `file` counts files across segments, `order` ranks them by path."""

    count: int
    kind: Any
    file: Any
    alive: Any
    lengths: Any
    mean_length: Any
    paths: tuple[str, ...]
    order: Any

    @classmethod
    def of(cls, corpus: Corpus) -> Table:
        """The columns of a corpus, made once and kept with it."""
        import numpy as np

        cached: Table | None = corpus.__dict__.get('_table')
        if cached is not None:
            return cached
        kinds, files, alive, lengths, paths, offset = [], [], [], [], [], 0
        for segment, dead in zip(corpus.parts, corpus.dead, strict=True):
            starts = segment.as_array('file_start').astype(np.int64)
            sizes = np.diff(starts)
            living = np.ones(len(segment.files), bool)
            living[list(dead)] = False
            kinds.append(segment.as_array('kind'))
            files.append(np.repeat(np.arange(len(sizes)) + offset, sizes))
            alive.append(np.repeat(living, sizes))
            lengths.append(segment.as_array('lengths'))
            paths += [path for path, _ in segment.files]
            offset += len(segment.files)
        kind, file, ok, length = (_joined(parts) for parts in (kinds, files, alive, lengths))
        living_lengths = length if ok.all() else length[ok]
        mean = np.maximum(living_lengths.mean(axis=0, dtype=np.float64), 0.01) if len(living_lengths) else np.ones(5)
        made = cls(len(kind), kind, file, ok, length, mean.astype(np.float32), tuple(paths), _order(corpus, paths))
        corpus.__dict__['_table'] = made
        return made


def _order(corpus: Corpus, paths: Sequence[str]) -> NDArray[np.int64]:
    """The rank of each file by its path; the files of one segment are already in order."""
    import numpy as np

    if len(corpus.parts) == 1:
        return np.arange(len(paths))
    from ctxkit.index.corpus import path_key

    keys = list(map(path_key, paths))
    rank = np.empty(len(paths), np.int64)
    rank[sorted(range(len(paths)), key=keys.__getitem__)] = np.arange(len(paths))
    return rank


class Scores(NamedTuple):
    """BM25F of each chunk, and of each file as one document."""

    chunk: NDArray[np.float32]
    file: NDArray[np.float32]


def scores(corpus: Corpus, table: Table, request: Request, near: bool) -> Scores:
    """The lexical scores of the chunks and files of the tree for a request; 0 if they share no word with it.

    With `near`, words that mean nearly the same count in part, if the request is prose of at most NEAR_MOST terms.
    """
    import numpy as np

    chunk_score = np.zeros(table.count, np.float32)
    file_score = np.zeros(len(table.paths), np.float32)
    file_length = np.bincount(table.file[table.alive], table.lengths[table.alive, BODY], len(table.paths))
    living = max(int(table.alive.sum()), 1)
    files = max(int((file_length > 0).sum()), 1)
    in_tree = np.zeros(len(table.paths), bool)  # files of the tree: neither text nor path of another one counts
    in_tree[table.file[table.alive]] = True
    norm = K1 * (1 - FILE_B + FILE_B * file_length / max(float(file_length.sum()) / files, 1e-9))
    near = near and request.shape == 'prose' and not request.message and len(request.leading) <= NEAR_MOST
    for term, times in request.terms.items():
        close = near_terms(term) if near and term in request.leading else []
        others = [(one, cosine) for one, cosine in close if one not in request.terms]
        part = NEAR if others and corpus.has_term(term) else NEAR_ABSENT
        counted = [(term, 1.0), *((one, part * cosine) for one, cosine in others)]
        normal, plain, path = _frequencies(corpus, table, counted)
        count = normal + path[table.file] if path.any() else normal
        found = np.flatnonzero((count > 0) & table.alive)
        if not len(found):
            continue
        tf = count[found]
        # For the idf, a chunk that has only a near word holds the term in part.
        holding = float(np.minimum(plain[found] + path[table.file[found]], 1).sum())
        chunk_score[found] += times * _idf(living, holding) * tf * (K1 + 1) / (K1 + tf)
        whole = np.bincount(table.file[found], plain[found], len(table.paths)) + FILE_PATH_WEIGHT * path
        held = np.flatnonzero((whole > 0) & in_tree)
        file_score[held] += times * _idf(files, len(held)) * whole[held] * (K1 + 1) / (whole[held] + norm[held])
    return Scores(chunk_score, file_score)


def _idf(documents: int, holding: float) -> float:
    import math

    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def _frequencies(
    corpus: Corpus, table: Table, terms: Sequence[tuple[int, float]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(weighted count of the terms in each chunk, normalised by length; the same, not normalised; count in each path).

    `terms` are (term, weight).
    """
    import numpy as np

    normal, plain, path = [], [], []
    base = 0
    for segment in corpus.parts:
        a, b = _chunk_frequencies(segment, table, terms, base)
        normal.append(a)
        plain.append(b)
        at, counts = _joined_ranges(((segment.path_lookup(term), count) for term, count in terms))
        weight = np.array(PATH_WEIGHT)[segment.as_array('path_field')[at]] * counts
        path.append(np.bincount(segment.as_array('path_file')[at].astype(np.int64), weight, len(segment.files)))
        base += segment.chunks
    return _joined(normal), _joined(plain), _joined(path)


def _chunk_frequencies(
    segment: Segment, table: Table, terms: Sequence[tuple[int, float]], base: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(weighted count of the terms in each chunk of a segment, normalised by length; the same, not normalised)."""
    import numpy as np

    weight, b = np.array(FIELD_WEIGHT, np.float32), np.array(FIELD_B, np.float32)
    at, of_term = _joined_ranges(((segment.lookup(term), count) for term, count in terms))
    field = segment.as_array('post_field')[at]
    words = field < LENGTH_FIELDS
    field = field[words]
    chunk = segment.as_array('post_chunk')[at][words].astype(np.int64)
    counts = weight[field] * segment.as_array('post_tf')[at][words].astype(np.float32) * of_term[words]
    norm = 1 - b[field] + b[field] * table.lengths[chunk + base, field] / table.mean_length[field]
    size = segment.chunks
    return np.bincount(chunk, counts / norm, size), np.bincount(chunk, counts, size)


def _joined_ranges(ranges: Iterable[tuple[tuple[int, int], float]]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """All positions in the ranges, one after another, and for each the number that came with its range."""
    import numpy as np

    held = [(start, end, count) for (start, end), count in ranges if start < end]
    if not held:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    places = np.concatenate([np.arange(start, end) for start, end, _ in held])
    counts = np.repeat(np.array([count for _, _, count in held], np.float32), [end - start for start, end, _ in held])
    return places, counts


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The arrays of all segments joined; not copied if there is only one, as in most corpora."""
    import numpy as np

    return parts[0] if len(parts) == 1 else np.concatenate(parts)
