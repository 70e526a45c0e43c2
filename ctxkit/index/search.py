"""Rank the chunks of a tree for a request: BM25F over fields, ranking signals and vectors, fused by score.

Two modes share all of it: SEARCH wants hits in different files; BLOCK wants the functions to read, several of a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.index.composition import composition
from ctxkit.index.copies import copies
from ctxkit.index.lexical import Table, scores
from ctxkit.index.path_classes import BY_NAME, factors
from ctxkit.index.quoted import gains
from ctxkit.index.record import CLASS, DEFINES, KIND_CODES
from ctxkit.index.request import Request, in_code_spelling, parse
from ctxkit.index.requested_files import named_files, requested_files, stem_share
from ctxkit.index.terms import definition_id, is_plain, stem, term_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus


class Mode(NamedTuple):
    """What differs between answering a search and filling a block."""

    kinds: tuple[float, ...]  # factors for function, method, class, module, section, text, text that ranks as code
    saturation: float  # factor for each further chunk of a file
    file_lift: float  # how much other hits in the file raise a chunk
    stem_boost: float  # for a file whose stem the request contains
    definition_boost: float  # for a chunk that defines a name in the request
    vectors: float  # weight of vectors for a request in prose
    file_words: float  # how much the words of the whole file raise a chunk


SEARCH = Mode((1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.9), 0.5, 0.2, 0.3, 1.0, 0.7, 0.3)
BLOCK = Mode((1.0, 1.0, 0.3, 0.2, 0.1, 0.1, 0.5), 1.0, 0.2, 0.3, 0.5, 0.4, 0.5)

INLINE_TESTS = 0.75  # factor; with the 0.4 of other tests, changes that touch both code and tests are found 0.01 less
CANDIDATES = 400
COPY = 0.1  # factor of code that another file has, too
SATURATED = 2  # further chunks of a file whose scores fall; the next ones fall no more, for some projects are one file


class Hit(NamedTuple):
    """A ranked chunk: its number in the corpus and its score; higher is better."""

    chunk: int
    score: float


def rank(
    corpus: Corpus,
    text: str,
    mode: Mode,
    query_vector: NDArray[np.float32] | None = None,
    under: str = '',
) -> list[Hit]:
    """The best chunks for the request `text`, best first; only those below the folder `under` if it is not ''.

    With `query_vector` None, chunks are ranked by words alone, and typing errors are not corrected.
    """
    import numpy as np

    request = parse(in_code_spelling(text, corpus) if query_vector is not None else text)
    table = Table.of(corpus)
    if not table.count:
        return []
    words = scores(corpus, table, request, near=query_vector is not None)
    path_class = np.concatenate([segment.as_array('path_class') for segment in corpus.parts])
    made_of = composition(table, path_class)
    penalty = _penalties(path_class, request, made_of.prose)[table.file]
    if not request.plain & BY_NAME['test'].lifted_by:
        penalty[_inline_tests(corpus, table)] *= INLINE_TESTS
    named, stems = named_files(table, request), stem_share(corpus, request)
    requested = requested_files(table, request, named > 1, stems, path_class)[table.file]
    as_code = made_of.as_code | requested & (table.kind >= KIND_CODES['section'])
    kinds = np.where(as_code, len(KIND_CODES), table.kind)
    factor = np.array(mode.kinds, np.float32)[kinds] * penalty * named[table.file]
    if under:
        prefix = under.strip('/') + '/'
        inside = np.array([path.startswith(prefix) or path == under.strip('/') for path in table.paths], bool)
        factor = factor * inside[table.file]
    factor = np.where(table.alive, factor, 0)
    if not (factor > 0).any():
        return []
    score = words.chunk * (_boosts(corpus, table, request, mode) + mode.stem_boost * stems[table.file])
    if query_vector is not None:
        weight = {'symbol': 0.0, 'code': min(0.2, mode.vectors), 'prose': mode.vectors}[request.shape]
        if weight:
            score = _fuse(score, _cosines(corpus, table, query_vector), weight, factor > 0)
    score = score * factor
    if mode.file_words:
        score *= 1 + mode.file_words * (words.file / max(float(words.file.max()), 1e-9))[table.file]
    score = score + gains(corpus, request, score, factor, penalty)
    # Rounded, because the last bits of a sum depend on which segment holds the chunk.
    score = np.round(score / max(float(score.max()), 1e-9), 5) * score.max()
    best = _best(score, table, np.flatnonzero(score > 0))[:CANDIDATES]
    if lower := copies(corpus, table, best, score):
        score[lower] *= COPY
        best = best[np.argsort(-score[best], kind='stable')]
    if mode.file_lift and len(best):
        score[best] = _lift(score[best], table.file[best], mode.file_lift)
    return _saturate([Hit(int(i), float(score[i])) for i in _best(score, table, best)], table.file, mode.saturation)


def _best(score: NDArray[np.float32], table: Table, chunks: NDArray[np.int64]) -> NDArray[np.int64]:
    """`chunks`, best first, equal scores in the order of the tree; those worse than the best CANDIDATES are dropped."""
    import numpy as np

    if len(chunks) > CANDIDATES:
        chunks = chunks[score[chunks] >= np.partition(score[chunks], -CANDIDATES)[-CANDIDATES]]
    return chunks[np.lexsort((chunks, table.order[table.file[chunks]], -score[chunks]))]


def _boosts(corpus: Corpus, table: Table, request: Request, mode: Mode) -> NDArray[np.float32]:
    """A factor for each chunk: above 1 if it defines a name in the request."""
    import numpy as np

    factor = np.ones(table.count, np.float32)
    base = 0
    names = request.names[-1:] if request.shape == 'symbol' else request.names
    for segment in corpus.parts:
        for name in names:
            for chunk in segment.chunks_with(definition_id(name), DEFINES):
                factor[base + chunk] += mode.definition_boost * (
                    3.0 if request.shape == 'symbol' else 0.3 if is_plain(name) else 1.0
                )
        base += segment.chunks
    return factor


def _inline_tests(corpus: Corpus, table: Table) -> NDArray[np.bool_]:
    """For each chunk, whether it is in a module of tests inside the file that it tests, as in Rust."""
    import numpy as np

    found = np.zeros(table.count, bool)
    rust = np.array([path.endswith('.rs') for path in table.paths], bool)
    if rust.any():
        base, term = 0, term_id(stem('tests'))
        for segment in corpus.parts:
            found[[base + chunk for chunk in segment.chunks_with(term, CLASS)]] = True
            base += segment.chunks
        found &= rust[table.file]
    return found


def _penalties(path_class: NDArray[np.uint8], request: Request, prose: bool) -> NDArray[np.float32]:
    """The factor of each file by the classes of its path; documents have none if the tree is `prose`."""
    import numpy as np

    words = request.plain if not request.hunks else frozenset[str]()  # paths in a diff do not ask for `tests`
    found: NDArray[np.float32] = np.array(factors(words | {'docs'} if prose else words), np.float32)[path_class]
    return found


def _cosines(corpus: Corpus, table: Table, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosine of each chunk with the query; rows are converted in blocks that fit into the cache."""
    import numpy as np

    out = np.zeros(table.count, np.float32)
    base = 0
    for segment in corpus.parts:
        vectors, norms = segment.as_array('vectors'), segment.as_array('norms')
        if len(vectors) and vectors.shape[1] == len(query):
            block = 1024
            for start in range(0, len(vectors), block):
                end = min(start + block, len(vectors))
                out[base + start : base + end] = vectors[start:end].astype(np.float32) @ query
            out[base : base + len(vectors)] /= np.maximum(norms, 1e-6)
        base += segment.chunks
    return out


def nearest(corpus: Corpus, query: NDArray[np.float32]) -> float:
    """The largest cosine of a chunk of the tree with the query; 0.0 if there is no chunk."""
    table = Table.of(corpus)
    return float(_cosines(corpus, table, query)[table.alive].max(initial=0.0))


def _fuse(
    lexical: NDArray[np.float32],
    cosine: NDArray[np.float32],
    weight: float,
    usable: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """(1 - weight) * z(words) + weight * z(vectors), shifted and clipped so that what neither supports is 0."""
    import numpy as np

    pool = usable & (lexical > 0)
    if pool.sum() < 3:
        pool = usable
    words, words_spread = _mean_and_spread(lexical[pool])
    near, near_spread = _mean_and_spread(cosine[usable])
    z_words = (lexical - words) / words_spread
    z_near = (cosine - near) / near_spread
    floor = (0 - words) / words_spread
    fused: NDArray[np.float32] = (1 - weight) * (z_words - floor) + weight * np.maximum(z_near, 0)
    return fused


def _mean_and_spread(values: NDArray[np.float32]) -> tuple[float, float]:
    """Mean and standard deviation, in double precision: in single, they would depend on the order of the segments."""
    import numpy as np

    return float(values.mean(dtype=np.float64)), max(float(values.std(dtype=np.float64)), 1e-6)


def _lift(score: NDArray[np.float32], file: NDArray[np.int64], weight: float) -> NDArray[np.float32]:
    """Scores raised by up to the share `weight` for what else was found in the same file, relative to the best file."""
    import numpy as np

    _, group = np.unique(file, return_inverse=True)
    total = np.bincount(group, weights=score)
    lifted: NDArray[np.float32] = (score * (1 + weight * total[group] / max(total.max(), 1e-9))).astype(np.float32)
    return lifted


def _saturate(hits: Sequence[Hit], file: NDArray[np.int64], factor: float) -> list[Hit]:
    """The hits in a new order: the n-th further chunk of a file has its score * factor ** n, n at most SATURATED."""
    if factor == 1.0:
        return list(hits)
    seen: dict[int, int] = {}
    out = []
    for hit in hits:
        number = int(file[hit.chunk])
        times = seen.get(number, 0)
        seen[number] = times + 1
        out.append(Hit(hit.chunk, hit.score * factor ** min(times, SATURATED)))
    return sorted(out, key=lambda hit: -hit.score)
