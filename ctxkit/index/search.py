"""Rank the chunks of a tree for a request: BM25F over fields, ranking signals, vectors, fused by score.

BM25F is Robertson and Zaragoza's (The Probabilistic Relevance Framework, 2009, section 3.6): per-field term counts
are length-normalised and weighted before one saturation. All statistics are those of the current tree alone, so the
same tree gives the same order whatever else the index holds.

Two modes share all of it: `search` wants one hit a file; `block` wants the functions to read, several of a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.index.path_classes import factors
from ctxkit.index.record import DEFINES, LENGTH_FIELDS
from ctxkit.index.segment import STEM
from ctxkit.index.terms import STOP, WORD, definition_id, split, stem, term_id, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.segment import Segment

K1 = 1.2
#                symbol class signature doc body
FIELD_WEIGHT = (3.0, 3.0, 1.5, 1.5, 1.0)
FIELD_B = (0.75, 0.5, 0.5, 0.5, 0.6)
PATH_WEIGHT = (1.0, 2.0)  # folder, file stem


@dataclass(frozen=True)
class Mode:
    """What differs between answering a search and filling a block."""

    kinds: tuple[float, ...]  # factors for function, method, class, module, section, text
    saturation: float  # factor for each further chunk of a file
    file_lift: float  # how much other hits in the file lift a chunk
    stem_boost: float
    definition_boost: float
    vectors: float  # weight of vectors for a request in prose


SEARCH = Mode((1.0, 1.0, 1.0, 0.8, 0.7, 0.6), 0.5, 0.2, 0.3, 1.0, 0.6)
BLOCK = Mode((1.0, 1.0, 0.3, 0.2, 0.1, 0.1), 1.0, 0.2, 0.3, 0.5, 0.6)

# The type of a conventional commit subject says nothing about the code; its scope, or a module before a colon, does.
_PREFIX = re.compile(
    r'^\s*\[?(fix|feat|feature|chore|refactor|docs?|tests?|perf|style|build|ci|revert|bug|bugfix|hotfix|enh|mnt|maint|dep|'
    r'deprecate|api|rel|release|dev)\]?(\(([^)]*)\))?!?:\s+',
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r'^[A-Za-z_$][\w$]*([.:#/]+[A-Za-z_$][\w$]*)*(\(\))?$')
_CODE_WORD = re.compile(r'[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+(?:\.|::)\w+|\w+\(\)')
CANDIDATES = 400


class Hit(NamedTuple):
    """A ranked chunk: its number in the corpus and its score; higher is better."""

    chunk: int
    score: float


class Request(NamedTuple):
    """A request as the ranker reads it."""

    terms: dict[int, float]
    names: tuple[str, ...]
    words: frozenset[int]  # the stems of its words, as terms
    plain: frozenset[str]  # its words as they are, in lower case
    shape: str  # 'symbol', 'code' (prose that holds an identifier) or 'prose'


def parse(text: str) -> Request:
    """Terms with their weights, the identifiers named, and what kind of request it is."""
    text = text[:20_000]
    plain = _PREFIX.sub(lambda found: f'{found[3] or ""} ', text, count=1)
    stripped = plain.strip().strip('`"\'')
    shape = 'prose'
    if _IDENTIFIER.match(stripped):
        shape = 'symbol'
    elif _CODE_WORD.search(plain):
        shape = 'code'
    terms: dict[int, float] = {}
    names = []
    for word in WORD.findall(plain):
        lower = word.lower()
        if lower in STOP and shape != 'symbol':
            continue
        if len(word) > 2:
            names.append(word)
        for term in split(word):
            key = term_id(term)
            terms[key] = min(terms.get(key, 0.0) + 1.0, 2.0)
        if word.isalpha() and word.islower():  # a plain word can be a whole name in the code
            terms.setdefault(term_id(whole(word)), 0.5)
    lower_words = frozenset(word.lower() for word in WORD.findall(plain))
    words = frozenset(term_id(stem(word)) for word in lower_words if word not in STOP)
    return Request(terms, tuple(dict.fromkeys(names)), words, lower_words, shape)


def rank(
    corpus: Corpus,
    text: str,
    mode: Mode,
    query_vector: NDArray[np.float32] | None = None,
    limit: int = CANDIDATES,
    under: str = '',
) -> list[Hit]:
    """The best chunks for `text`, best first. `query_vector` None ranks by words alone; `under` keeps one folder."""
    import numpy as np

    request = parse(text)
    table = Table.of(corpus)
    if not table.count:
        return []
    lexical = _bm25f(corpus, table, request)
    factor = np.array(mode.kinds, np.float32)[table.kind] * _penalties(corpus, request)[table.file]
    if under:
        prefix = under.strip('/') + '/'
        inside = np.array([path.startswith(prefix) or path == under.strip('/') for path in table.paths], bool)
        factor = factor * inside[table.file]
    factor = np.where(table.alive, factor, 0)
    if not (factor > 0).any():
        return []
    score = lexical * _boosts(corpus, table, request, mode)
    if query_vector is not None:
        weight = {'symbol': 0.0, 'code': min(0.2, mode.vectors), 'prose': mode.vectors}[request.shape]
        if weight:
            score = _fuse(score, _cosines(corpus, table, query_vector), weight, factor > 0)
    score = score * factor
    best = np.argpartition(-score, min(limit, len(score) - 1))[:limit]
    best = best[score[best] > 0]
    if mode.file_lift and len(best):
        score[best] = _lift(score[best], table.file[best], mode.file_lift)
    order = best[np.lexsort((best, -score[best]))]
    return _saturate([Hit(int(i), float(score[i])) for i in order], table.file, mode.saturation)


@dataclass(frozen=True)
class Table:
    """Columns over all chunks of the corpus; `file` counts files across segments."""

    count: int
    kind: Any
    file: Any
    alive: Any
    lengths: Any
    mean_length: Any
    paths: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> Table:
        """The columns of a corpus; made once for it."""
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
        kind, file, ok = np.concatenate(kinds), np.concatenate(files), np.concatenate(alive)
        length = np.concatenate(lengths) if len(lengths) > 1 else lengths[0]
        living_lengths = length if ok.all() else length[ok]
        mean = np.maximum(living_lengths.mean(axis=0, dtype=np.float64), 0.01) if len(living_lengths) else np.ones(5)
        made = cls(len(kind), kind, file, ok, length, mean.astype(np.float32), tuple(paths))
        corpus.__dict__['_table'] = made
        return made


def _bm25f(corpus: Corpus, table: Table, request: Request) -> NDArray[np.float32]:
    import numpy as np

    score = np.zeros(table.count, np.float32)
    living = max(int(table.alive.sum()), 1)
    weight, b = np.array(FIELD_WEIGHT, np.float32), np.array(FIELD_B, np.float32)
    for term, times in request.terms.items():
        tf = np.zeros(table.count, np.float32)
        base = 0
        for segment in corpus.parts:
            end = base + segment.chunks
            tf[base:end] = _frequencies(segment, table, term, base, weight, b)
            base = end
        found = np.flatnonzero((tf > 0) & table.alive)
        if len(found):
            idf = np.log(1 + (living - len(found) + 0.5) / (len(found) + 0.5))
            score[found] += np.float32(times * idf) * tf[found] * (K1 + 1) / (K1 + tf[found])
    return score


def _frequencies(
    segment: Segment, table: Table, term: int, base: int, weight: NDArray[np.float32], b: NDArray[np.float32]
) -> NDArray[np.float64]:
    """How much of a term each chunk of a segment has: counts by field, normalised by length, and the path's share."""
    import numpy as np

    start, end = segment.lookup(term)
    field = segment.as_array('post_field')[start:end]
    words = field < LENGTH_FIELDS
    field = field[words]
    chunk = segment.as_array('post_chunk')[start:end][words].astype(np.int64)
    counts = segment.as_array('post_tf')[start:end][words].astype(np.float32)
    norm = 1 - b[field] + b[field] * table.lengths[chunk + base, field] / table.mean_length[field]
    total = np.bincount(chunk, weight[field] * counts / norm, segment.chunks).astype(np.float64)
    start, end = segment.path_lookup(term)
    if end > start:
        file = segment.as_array('path_file')[start:end].astype(np.int64)
        share = np.bincount(file, np.array(PATH_WEIGHT)[segment.as_array('path_field')[start:end]], len(segment.files))
        total = total + np.repeat(share, np.diff(segment.as_array('file_start').astype(np.int64)))
    return total


def _boosts(corpus: Corpus, table: Table, request: Request, mode: Mode) -> NDArray[np.float32]:
    """Factors for a chunk that defines a name of the request, or lies in a file that is named after its words."""
    import numpy as np

    factor = np.ones(table.count, np.float32)
    base = 0
    names = {name for name in request.names}
    if request.shape == 'symbol' and request.names:
        names = {request.names[-1]}
    for segment in corpus.parts:
        for name in names:
            for chunk in segment.chunks_with(definition_id(name), DEFINES):
                plain = name.islower() and '_' not in name
                factor[base + chunk] += mode.definition_boost * (
                    3.0 if request.shape == 'symbol' else 0.3 if plain else 1.0
                )
        base += segment.chunks
    if mode.stem_boost:
        factor += mode.stem_boost * _stem_share(corpus, request)[table.file]
    return factor


def _stem_share(corpus: Corpus, request: Request) -> NDArray[np.float32]:
    """Which share of the words of each file's stem the request names."""
    import numpy as np

    shares = []
    for segment in corpus.parts:
        hits = np.zeros(len(segment.files), np.float32)
        for term in request.words:
            start, end = segment.path_lookup(term)
            file = segment.as_array('path_file')[start:end]
            hits[file[segment.as_array('path_field')[start:end] == STEM]] += 1
        shares.append(hits / np.maximum(segment.as_array('stem_size'), 1))
    return np.concatenate(shares).astype(np.float32)


def _penalties(corpus: Corpus, request: Request) -> NDArray[np.float32]:
    """The factor of each file, by the classes of its path."""
    import numpy as np

    table = np.array(factors(request.plain), np.float32)
    found: NDArray[np.float32] = table[np.concatenate([segment.as_array('path_class') for segment in corpus.parts])]
    return found


def _cosines(corpus: Corpus, table: Table, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosine of each chunk with the query; rows are converted in blocks that stay in the cache."""
    import numpy as np

    out = np.zeros(table.count, np.float32)
    base = 0
    for segment in corpus.parts:
        vectors, norms = segment.as_array('vectors'), segment.as_array('norms')
        if len(vectors) and vectors.shape[1] == len(query):
            block = 4096
            for start in range(0, len(vectors), block):
                end = min(start + block, len(vectors))
                out[base + start : base + end] = vectors[start:end].astype(np.float32) @ query
            out[base : base + len(vectors)] /= np.maximum(norms, 1e-6)
        base += segment.chunks
    return out


def _fuse(
    lexical: NDArray[np.float32],
    cosine: NDArray[np.float32],
    weight: float,
    usable: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """Scores fused as (1 - weight) z(words) + weight z(vectors), shifted so that what neither supports is 0."""
    import numpy as np

    pool = usable & (lexical > 0)
    if pool.sum() < 3:
        pool = usable
    words, near = lexical[pool], cosine[usable]
    z_words = (lexical - words.mean()) / max(float(words.std()), 1e-6)
    z_near = (cosine - near.mean()) / max(float(near.std()), 1e-6)
    floor = (0 - words.mean()) / max(float(words.std()), 1e-6)
    fused: NDArray[np.float32] = (1 - weight) * (z_words - floor) + weight * np.maximum(z_near, 0)
    return fused


def _lift(score: NDArray[np.float32], file: NDArray[np.int64], weight: float) -> NDArray[np.float32]:
    """A chunk is lifted by what else was found in its file, relative to the best file."""
    import numpy as np

    _, group = np.unique(file, return_inverse=True)
    total = np.bincount(group, weights=score)
    lifted: NDArray[np.float32] = (score * (1 + weight * total[group] / max(total.max(), 1e-9))).astype(np.float32)
    return lifted


def _saturate(hits: Sequence[Hit], file: NDArray[np.int64], factor: float) -> list[Hit]:
    """Each further chunk of a file counts `factor` times less; the order is that of the result."""
    if factor == 1.0:
        return list(hits)
    seen: dict[int, int] = {}
    out = []
    for hit in hits:
        number = int(file[hit.chunk])
        times = seen.get(number, 0)
        seen[number] = times + 1
        out.append(Hit(hit.chunk, hit.score * factor**times))
    return sorted(out, key=lambda hit: (-hit.score, hit.chunk))
