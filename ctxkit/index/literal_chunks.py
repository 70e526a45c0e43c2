"""Find the chunks and lines that hold a literal which a request names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.index.lexical import Table
from ctxkit.index.literals import TABLES, TEXT
from ctxkit.index.path_classes import BY_NAME
from ctxkit.index.record import BODY, FUNCTION_CODES, KIND_CODES
from ctxkit.index.terms import split, term_id, whole
from ctxkit.index.text_classes import CODE, text_class

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.literals import Literal
    from ctxkit.index.request import Request

MOST_READ = 60  # chunks with the words of a literal, the best ones, that are read
MOST_TABLES = 20  # of those that are no functions: a class with many fields ranks low
DECLARING = (KIND_CODES['class'], KIND_CODES['module'])
MOST_HOLDING = 6  # chunks that hold it; with more it says little
MOST_DEFINING = 100  # definitions of a name that are looked at
LONGEST = 100_000  # bytes of each range of a chunk that are searched


def chunks_holding(
    corpus: Corpus, literal: Literal, score: NDArray[np.float32], penalty: NDArray[np.float32]
) -> dict[int, float]:
    """The chunks that hold a literal, of the best that have its words -> its share; tests and data only where no code
    holds it.

    {} where they are many, or where the literal is the name of something else.
    """
    import numpy as np

    if _is_name(corpus, literal):
        return {}
    table = Table.of(corpus)
    terms = {term_id(term) for word in literal.words for term in split(word)}
    found = np.flatnonzero(np.logical_and.reduce([holding(corpus, term) for term in terms]) & (score > 0))
    # Rounded, and equal ones in the order of the tree: neither depends on which segment holds a chunk.
    found = found[np.lexsort((found, table.order[table.file[found]], -np.round(score[found], 4)))]
    tables = found[~np.isin(table.kind[found], FUNCTION_CODES)]
    best = dict.fromkeys([*found[:MOST_READ].tolist(), *tables[:MOST_TABLES].tolist()])
    every = [chunk for chunk in best if _line(corpus, literal, chunk)]
    code = [chunk for chunk in every if corpus.kind_code(chunk) < KIND_CODES['section']] or every
    own = [chunk for chunk in code if penalty[chunk] > BY_NAME['test'].factor] or code
    if 0 < len(own) <= MOST_HOLDING:
        return dict.fromkeys(own, literal.share)
    return chunks_holding(corpus, literal.otherwise, score, penalty) if literal.otherwise else {}


def line_with_literal(corpus: Corpus, request: Request, chunk: int) -> int:
    """The first line in its file where a chunk holds a literal of the request; 0 if it holds none, or defines it."""
    meant = (literal for literal in request.literals if not _is_name(corpus, literal))
    lines = ((_line(corpus, one, chunk), one.only) for literal in meant for one in literal.readings())
    return next((0 if only == TEXT else line for line, only in lines if line), 0)


def _line(corpus: Corpus, literal: Literal, chunk: int) -> int:
    """The first line in its file where a chunk holds a literal; 0 if it does not."""
    if literal.only == TABLES and corpus.kind_code(chunk) not in DECLARING:
        return 0
    if literal.only == TEXT and text_class(corpus.path(chunk)) != CODE:
        return 0
    source, place = corpus.source(corpus.path(chunk)), corpus.place(chunk)
    expression = re.compile(literal.pattern.encode())
    for start, end in place.ranges:
        found = expression.search(source, start, min(end, start + LONGEST))
        if found:
            return source.count(b'\n', 0, found.end() - found[0].endswith(b'\n')) + 1
    return 0


def holding(corpus: Corpus, term: int) -> NDArray[np.bool_]:
    """For each chunk, whether its text holds a term and it is in the tree."""
    import numpy as np

    table = Table.of(corpus)
    out = np.zeros(table.count, bool)
    base = 0
    for segment in corpus.parts:
        start, end = segment.lookup(term)
        fields = segment.as_array('post_field')[start:end]
        out[segment.as_array('post_chunk')[start:end][fields == BODY].astype(np.int64) + base] = True
        base += segment.chunks
    out &= table.alive
    return out


def _is_name(corpus: Corpus, literal: Literal) -> bool:
    """Whether a definition, file or folder of the tree is called like the literal."""
    *owners, name = re.split(r'\W+', literal.name)
    if not owners:
        return name != '' and (corpus.defines(name) or corpus.in_paths(term_id(whole(name))))
    defining = corpus.defining_few(name, MOST_DEFINING)
    return any(re.split(r'\W+', corpus.place(one).symbol)[-2:] == [owners[-1], name] for one in defining)
