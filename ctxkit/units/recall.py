"""Which chunks a request is about: ranked by search, then one step along the call graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctxkit.embedding.terms import translate
from ctxkit.index.path_classes import bits_of
from ctxkit.index.quoted import lines_named, lines_that_say
from ctxkit.index.record import KIND_CODES, load_places
from ctxkit.index.request import parse
from ctxkit.index.search import BLOCK, Hit, nearest, rank
from ctxkit.index.terms import STOP, WORD, is_plain
from ctxkit.units.candidate import Candidate
from ctxkit.units.stream import StreamUnit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus

WALK_FROM = 40  # the best hits pass score on
WALK_WEIGHT = 0.1
HOT_LIFT = 1.2
FRESH_EVENTS = frozenset({'post-commit', 'edit'})  # somebody wrote the code; a checkout only brought it
WALK_FANOUT = 3  # a name with more definitions passes nothing
WALK_CALLERS = 20
# Of 600 requests about the weather, soup and the like seven of ten come less near and hold fewer words of the code; of
# 773 about the code in English 18 do, nearly all of which speak of what is not there.
UNRELATED, FEW_KNOWN = 0.34, 0.5
SAYING = 6  # of the first, those that are tables are shown by the lines that say the message
MOST_GONE = 40  # removed files that are looked at for what was moved
CALLABLE = (KIND_CODES['function'], KIND_CODES['method'])
TEST = bits_of('test')


def for_block(
    corpus: Corpus,
    request: str,
    vector: NDArray[np.float32] | None,
    hot: frozenset[int] = frozenset(),
) -> list[Candidate]:
    """Candidates for the units section, best first; `why` is '' for what matches the request itself.

    `hot` chunks changed a moment ago: those among the candidates are lifted.
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
    asked = parse(request)
    named = {chunk: lines for chunk, lines in lines_named(corpus, asked).items() if corpus.kind_code(chunk) in CALLABLE}
    return [
        Candidate(
            chunk,
            score[chunk],
            '' if chunk in found else 'linked',
            named.get(chunk) or (lines_that_say(corpus, asked, chunk) if number < SAYING else (0, 0)),
        )
        for number, chunk in enumerate(order)
    ]


def is_about(corpus: Corpus, request: str, vector: NDArray[np.float32]) -> bool:
    """Whether prose has anything to do with this code: by its words, or by the bundled model's `vector` of it."""
    said = translate(request)
    asked = parse(request)
    if asked.shape != 'prose' or asked.files or asked.places or asked.hunks or asked.message:
        return True
    if any(corpus.defines(name) for name in asked.names if not is_plain(name)):
        return True  # an issue's body: its title alone gives the shape
    if any(map(corpus.has_word, WORD.findall(said.removeprefix(request)))):  # what was put into English are our terms
        return True
    words = [word for word in WORD.findall(said) if len(word) > 1 and word.lower() not in STOP]
    known = sum(map(corpus.has_word, words))
    return known >= FEW_KNOWN * len(words) > 0 or nearest(corpus, vector) >= UNRELATED


def terms(request: str) -> frozenset[int]:
    """The terms of a request, by which the lines of a large function are chosen."""
    return frozenset(parse(request).terms)


def _walk(corpus: Corpus, hits: list[Hit]) -> dict[int, float]:
    """What each neighbour of a hit on the call graph receives: the hit's score, shared out among its neighbours."""
    gains: dict[int, float] = defaultdict(float)

    def few(name: str) -> list[int]:
        defining = corpus.likely_defining(name)
        return defining if len(defining) <= WALK_FANOUT else []

    def takes_part(chunk: int) -> bool:
        return corpus.kind_code(chunk) in CALLABLE and not corpus.path_class(chunk) & TEST

    for hit in hits:
        near: set[int] = set()
        for name in {reference.name for reference in corpus.references(hit.chunk) if reference.kind == 'call'}:
            near.update(filter(takes_part, few(name)))
        if corpus.kind_code(hit.chunk) in CALLABLE and few(name := corpus.place(hit.chunk).name):
            near.update(filter(takes_part, corpus.referring(name)[:WALK_CALLERS]))
        near.discard(hit.chunk)
        for one in near:
            gains[one] += hit.score / max(len(near), 1) ** 0.5
    return gains


def hot_chunks(corpus: Corpus, recent: Iterable[StreamUnit], edited: Iterable[str]) -> frozenset[int]:
    """The chunks that were written in the last minutes: those of `recent` units, and what differs in `edited` paths."""
    fresh = {(unit.path, part) for unit in recent for part in unit.digest.split('-')}
    edits = set(edited)
    stored = {item.path: item.file for item in corpus.manifest.files if item.path in edits}
    gone = []
    if edits - stored.keys():  # a file that the commit has not can have been moved
        gone = [item.file for item in corpus.manifest.files if corpus.file(item.path) is None][:MOST_GONE]
    left = {place.digest for file in gone for place in load_places(corpus.store.places(file))}
    out = set()
    for path in {path for path, _ in fresh} | edits:
        before = {place.digest for place in load_places(corpus.store.places(stored[path]))} if path in stored else left
        for chunk, place in corpus.in_file(path):
            if (path, place.digest) in fresh or (path in edits and place.digest not in before):
                out.add(chunk)
    return frozenset(out)
