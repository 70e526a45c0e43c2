"""Find the chunks and lines that hold a literal which a request names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.index.lexical import Table
from ctxkit.index.path_classes import BY_NAME
from ctxkit.index.record import BODY, FUNCTION_CODES, KIND_CODES
from ctxkit.index.terms import split, term_id, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.literals import Literal
    from ctxkit.index.request import Request

MOST_READ = 60  # chunks with the words of a literal, the best ones, that are read
MOST_TABLES = 20  # of those that are no functions: a class with many fields ranks low
DECLARING = (KIND_CODES['class'], KIND_CODES['module'])
EVERY = tuple(KIND_CODES.values())
MOST_HOLDING = 6  # chunks that hold it; with more it says little
MOST_DEFINING = 100  # definitions of a name that are looked at
LONGEST = 400_000  # bytes of each range of a chunk that are searched


def chunks_holding(
    corpus: Corpus, literal: Literal, score: NDArray[np.float32], penalty: NDArray[np.float32]
) -> list[int]:
    """The chunks that hold a literal, of the best that have its words; tests and data only where no code holds it.

    [] where they are many, or where the literal is the name of something else.
    """
    import numpy as np

    if _is_name(corpus, literal):
        return []
    found = np.flatnonzero(holding_all(corpus, literal.words) & (score > 0))
    found = found[np.argsort(-score[found], kind='stable')]
    tables = found[~np.isin(Table.of(corpus).kind[found], FUNCTION_CODES)]
    best = dict.fromkeys([*found[:MOST_READ].tolist(), *tables[:MOST_TABLES].tolist()])
    for pattern, kinds in ((literal.pattern, EVERY), (literal.declared, DECLARING)):
        holding = [one for one in best if pattern and corpus.kind_code(one) in kinds and _line(corpus, pattern, one)]
        code = [one for one in holding if corpus.kind_code(one) < KIND_CODES['section']] or holding
        own = [one for one in code if penalty[one] > BY_NAME['test'].factor] or code
        if 0 < len(own) <= MOST_HOLDING:
            return own
    return []


def _line(corpus: Corpus, pattern: str, chunk: int) -> int:
    """The first line in its file where a chunk holds what a pattern matches; 0 if it does not."""
    source, place = corpus.source(corpus.path(chunk)), corpus.place(chunk)
    expression = re.compile(pattern.encode())
    for start, end in place.ranges:
        found = expression.search(source, start, min(end, start + LONGEST))
        if found:
            return source.count(b'\n', 0, found.end() - found[0].endswith(b'\n')) + 1
    return 0


def holding_all(corpus: Corpus, words: tuple[str, ...]) -> NDArray[np.bool_]:
    """For each chunk of the tree, whether its text has all of some words."""
    import numpy as np

    table = Table.of(corpus)
    out: NDArray[np.bool_] = table.alive.copy()
    for term in {term_id(term) for word in words for term in split(word)}:
        here = np.zeros(table.count, bool)
        base = 0
        for segment in corpus.parts:
            start, end = segment.lookup(term)
            fields = segment.as_array('post_field')[start:end]
            here[segment.as_array('post_chunk')[start:end][fields == BODY].astype(np.int64) + base] = True
            base += segment.chunks
        out &= here
    return out


def line_with_literal(corpus: Corpus, request: Request, chunk: int) -> int:
    """The first line in its file where a chunk holds a literal of the request; 0 if it holds none."""
    meant = [literal for literal in request.literals if not _is_name(corpus, literal)]
    patterns = [literal.pattern for literal in meant]
    if corpus.kind_code(chunk) in DECLARING:
        patterns += [literal.declared for literal in meant if literal.declared]
    return next(filter(None, (_line(corpus, pattern, chunk) for pattern in patterns)), 0)


def _is_name(corpus: Corpus, literal: Literal) -> bool:
    """Whether a definition, file or folder of the tree is called like the literal."""
    *owners, name = re.split(r'\W+', literal.name)
    if not owners:
        return name != '' and (corpus.defines(name) or corpus.in_paths(term_id(whole(name))))
    defining = corpus.defining_few(name, MOST_DEFINING)
    return any(re.split(r'\W+', corpus.place(one).symbol)[-2:] == [owners[-1], name] for one in defining)
