"""Find the chunks that a request is about: search, then one step along the call graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctxkit.embedding.terms import translate
from ctxkit.index.literal_chunks import line_with_literal
from ctxkit.index.literals import TEXT
from ctxkit.index.path_classes import bits_of
from ctxkit.index.quoted import lines_named, lines_that_say
from ctxkit.index.record import FUNCTION_CODES, load_places
from ctxkit.index.request import Request, parse
from ctxkit.index.search import BLOCK, Hit, nearest, rank
from ctxkit.index.terms import STOP, WORD, is_plain
from ctxkit.units.candidate import Candidate
from ctxkit.units.stream import StreamUnit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus

WALK_FROM = 40  # hits, the best ones, that pass score on to their neighbours
WALK_WEIGHT = 0.1
HOT_LIFT = 1.2
FRESH_EVENTS = frozenset({'post-commit', 'edit'})  # in which somebody wrote code; a checkout only brings it
WALK_FANOUT = 3  # definitions of a name; with more it passes no score on
WALK_CALLERS = 20
# A request is unrelated if its nearest chunk has a cosine below UNRELATED and the code knows less than FEW_KNOWN of its
# words. So are seven in ten of 600 requests about the weather, soup and the like, and 18 of 773 English requests about
# the code, nearly all of which speak of something that is not there.
UNRELATED, FEW_KNOWN = 0.34, 0.5
SAYING = 6  # first candidates; a table among them is shown by the lines that contain the request's message or literal
LARGE = 800  # tokens of a function from which on it is shown by the line that holds the literal
MOST_GONE = 40  # removed files that are searched for the old place of moved code
TEST = bits_of('test')


def for_block(
    corpus: Corpus,
    request: str,
    vector: NDArray[np.float32] | None,
    hot: frozenset[int] = frozenset(),
) -> list[Candidate]:
    """Candidates for the units section, best first; `why` is '' if the chunk matches the request itself.

    The scores of `hot` chunks, which changed a moment ago, are raised.
    """
    hits = rank(corpus, request, BLOCK, vector)
    if not hits:
        return []
    score = {hit.chunk: hit.score for hit in hits}
    passed = _walk(corpus, hits[:WALK_FROM])
    for chunk, gain in passed.items():
        score[chunk] = score.get(chunk, 0.0) + WALK_WEIGHT * gain
    for chunk in hot & score.keys():
        score[chunk] *= HOT_LIFT
    found = {hit.chunk for hit in hits}
    order = sorted(score, key=lambda chunk: (-round(score[chunk], 5), corpus.in_order(chunk)))
    parsed = parse(request)
    lines = lines_named(corpus, parsed)
    named = {chunk: lines[chunk] for chunk in lines if corpus.kind_code(chunk) in FUNCTION_CODES}
    return [
        Candidate(
            chunk,
            score[chunk],
            '' if chunk in found else 'linked',
            named.get(chunk) or (_lines_meant(corpus, parsed, chunk) if number < SAYING else (0, 0)),
            line_with_literal(corpus, parsed, chunk) if number < SAYING and _is_large(corpus, chunk) else 0,
        )
        for number, chunk in enumerate(order)
    ]


def _lines_meant(corpus: Corpus, request: Request, chunk: int) -> tuple[int, int]:
    """The lines of a chunk that is not a function that hold a literal of the request, or say its message."""
    line = 0 if corpus.kind_code(chunk) in FUNCTION_CODES else line_with_literal(corpus, request, chunk)
    return (line, line) if line else lines_that_say(corpus, request, chunk)


def _is_large(corpus: Corpus, chunk: int) -> bool:
    return corpus.kind_code(chunk) in FUNCTION_CODES and corpus.place(chunk).least_tokens >= LARGE


def is_about(corpus: Corpus, request: str, vector: NDArray[np.float32]) -> bool:
    """Whether a request in prose has to do with this code, by its words or by its `vector` of the bundled model."""
    translated = translate(request)
    parsed = parse(request)
    if parsed.shape != 'prose' or parsed.files or parsed.places or parsed.hunks or parsed.message:
        return True
    if any(corpus.defines(name) for name in parsed.names if not is_plain(name)):
        return True  # in the body of an issue, whose title alone decides the shape
    readings = [reading for literal in parsed.literals for reading in literal.readings()]
    if any(one.share == 1 and one.only != TEXT and all(map(corpus.has_word, one.words)) for one in readings):
        return True
    # what `translate` appended are technical terms only
    if any(map(corpus.has_word, WORD.findall(translated.removeprefix(request)))):
        return True
    words = [word for word in WORD.findall(translated) if len(word) > 1 and word.lower() not in STOP]
    known = sum(map(corpus.has_word, words))
    return known >= FEW_KNOWN * len(words) > 0 or nearest(corpus, vector) >= UNRELATED


def terms(request: str) -> frozenset[int]:
    """The terms of a request, used to choose the lines shown of a large function."""
    return frozenset(parse(request).terms)


def _walk(corpus: Corpus, hits: list[Hit]) -> dict[int, float]:
    """Chunk -> the score that it receives as a neighbour of `hits` on the call graph.

    Each of the n neighbours of a hit receives the hit's score / sqrt(n).
    """
    gains: dict[int, float] = defaultdict(float)

    def few(name: str) -> list[int]:
        defining = corpus.likely_defining(name)
        return defining if len(defining) <= WALK_FANOUT else []

    def takes_part(chunk: int) -> bool:
        return corpus.kind_code(chunk) in FUNCTION_CODES and not corpus.path_class(chunk) & TEST

    for hit in hits:
        near: set[int] = set()
        for name in {reference.name for reference in corpus.references(hit.chunk) if reference.kind == 'call'}:
            near.update(filter(takes_part, few(name)))
        if corpus.kind_code(hit.chunk) in FUNCTION_CODES and few(name := corpus.place(hit.chunk).name):
            near.update(filter(takes_part, corpus.referring(name)[:WALK_CALLERS]))
        near.discard(hit.chunk)
        for one in near:
            gains[one] += hit.score / max(len(near), 1) ** 0.5
    return gains


def hot_chunks(corpus: Corpus, recent: Iterable[StreamUnit], edited: Iterable[str]) -> frozenset[int]:
    """The chunks written a moment ago: those of `recent` units, and those of `edited` paths that the commit lacks."""
    fresh = {(unit.path, part) for unit in recent for part in unit.digest.split('-')}
    edits = set(edited)
    stored = {item.path: item.file for item in corpus.manifest.files if item.path in edits}
    gone = []
    if edits - stored.keys():  # a file that is not in the commit can have been moved
        gone = [item.file for item in corpus.manifest.files if corpus.file(item.path) is None][:MOST_GONE]
    gone_digests = {place.digest for file in gone for place in load_places(corpus.store.places(file))}
    out = set()
    for path in {path for path, _ in fresh} | edits:
        places = load_places(corpus.store.places(stored[path])) if path in stored else None
        before = gone_digests if places is None else {place.digest for place in places}
        for chunk, place in corpus.in_file(path):
            if (path, place.digest) in fresh or (path in edits and place.digest not in before):
                out.add(chunk)
    return frozenset(out)
