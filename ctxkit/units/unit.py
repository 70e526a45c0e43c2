"""Make a semantic unit: a fold and what it touches within two hops, at most 1024 tokens, ready for the stream."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from ctxkit import tokens
from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place
from ctxkit.safety.secrets import redact
from ctxkit.slicing import Chunk
from ctxkit.units.code import clean_code, signature_of
from ctxkit.units.excerpt import around
from ctxkit.units.link import links
from ctxkit.units.score import kind_rank
from ctxkit.units.stream import Related, StreamUnit

MAX_TOKENS = 1024
AROUND_TOKENS = 400  # of code too large for a unit: its head and the lines around what changed
PROSE_TOKENS = 120  # the same of prose and data of which only some lines changed
SHORT_TOKENS = 200  # or, if that is unknown, its first lines
MAX_RELATED = 10
SECOND_HOP_FROM = 3  # direct links whose own links are followed
Fresh = Callable[[str], Collection[str]]  # path -> the lines of the file that changed, stripped


class Event(NamedTuple):
    """What happened: its name, the commit that it led to, when (epoch seconds), and how many files it changed."""

    name: str
    commit: str
    time: float
    files: int = 1


def make(
    corpus: Corpus,
    chunk: int,
    change: str,
    event: Event,
    edits_today: int,
    known: frozenset[str],
    linked: bool = True,
    fresh: Fresh = lambda path: (),
) -> StreamUnit:
    """The unit of a chunk: its fold's code, then related places (if `linked`) as the token limit allows.

    Code too large for a unit, and longer prose, is cut to the lines around those that `fresh` says have changed.
    """
    members = fold_of(corpus, chunk)
    path = corpus.path(chunk)
    source = corpus.source(path)
    place = corpus.place(chunk)
    places = [corpus.place(member) for member in members]
    text = '\n\n'.join(clean_code(one, source, known) for one in places)
    used = tokens.count(text)
    if used > MAX_TOKENS and len(members) > 1:
        members, places = [chunk], [place]
        text = clean_code(place, source, known)
        used = tokens.count(text)
    text = fitting(text, place.kind, path, lambda: fresh(path))
    used = tokens.count(text)
    identity = identify(path, places[0], _nth(corpus, members[0]))
    digest = '-'.join(one.digest for one in places)
    related = tuple(_related(corpus, members, MAX_TOKENS - used, known)) if linked else ()
    symbol = place.symbol if len(places) == 1 else f'{places[0].symbol} … {places[-1].name}'
    symbol = redact(symbol, known)  # the symbol of a section is its heading, which can hold a secret
    return StreamUnit(
        identity,
        event.time,
        event.name,
        event.commit,
        path,
        symbol,
        place.kind,
        places[0].start_line,
        places[-1].end_line,
        change,
        digest,
        edits_today,
        used,
        redact(signature_of(place, source), known),
        text,
        related,
        files=event.files,
    )


def identify(path: str, place: Place | Chunk, nth: int) -> str:
    """The id of the unit that begins at `place`; it stays the same while the definition keeps its path and name.

    `nth` is how many definitions of the same symbol stand before it in the file (overloads).
    """
    name = place.symbol or str(place.start_line)
    if nth:
        name += f'\0{nth}'
    return hashlib.blake2b(f'{path}\0{name}'.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()


def _nth(corpus: Corpus, chunk: int) -> int:
    part, file, number = corpus.locate(chunk)
    before = corpus.file_places(part, file)
    return sum(place.symbol == before[number].symbol for place in before[:number])


def fitting(text: str, kind: str, path: str, changed: Callable[[], Collection[str]]) -> str:
    """The text of a unit: whole, or cut to the lines around those in `changed` (stripped).

    Code is cut if it is too large for a unit, to its first lines if no changed line is known. Prose and data are cut if
    few of their lines changed: around a new version number nobody needs the whole package.json. Gaps are marked.
    """
    used = tokens.count(text)
    prose = kind_rank(kind, path) > kind_rank('module', path)
    if used <= (PROSE_TOKENS if prose else MAX_TOKENS):
        return text
    limit = PROSE_TOKENS if prose else AROUND_TOKENS
    excerpt = around(text, changed(), lambda part: tokens.count(part) <= limit)
    return excerpt or (text if used <= MAX_TOKENS else _first_lines(text))


def _first_lines(text: str) -> str:
    kept: list[str] = []
    used = 0
    for line in text.split('\n'):
        used += tokens.count(line) + 1
        if used > SHORT_TOKENS and kept:
            break
        kept.append(line[:2000])
    return '\n'.join([*kept, '…'])


def fold_of(corpus: Corpus, chunk: int) -> list[int]:
    """The chunks that were folded together with this one, in file order; only itself if none were."""
    part, file, number = corpus.locate(chunk)
    for group in corpus.file_folds(part, file):
        if number in group:
            return [chunk - number + other for other in group]
    return [chunk]


def _related(corpus: Corpus, members: Sequence[int], room: int, known: frozenset[str]) -> Iterator[Related]:
    """What `members` touch within `room` tokens: direct links first, then resolved links of the first resolved ones.

    Each with its code if that fits, else its signature, else neither.
    """
    inside = set(members)
    found = []
    for member in members:
        for link in links(corpus, member):
            if link.chunk not in inside:
                inside.add(link.chunk)
                found.append((link, 1))
    for link, _ in found[:SECOND_HOP_FROM]:
        if link.resolved and len(found) < MAX_RELATED:
            for further in links(corpus, link.chunk)[:4]:
                if further.resolved and further.chunk not in inside:
                    inside.add(further.chunk)
                    found.append((further, 2))
    for link, hops in found[:MAX_RELATED]:
        place, path = corpus.place(link.chunk), corpus.path(link.chunk)
        text = ''
        if room > 40:
            source = corpus.source(path)
            text = clean_code(place, source, known) if place.least_tokens <= room else ''
            cost = tokens.count(text) + 20
            if not text or cost > room:
                text = redact(signature_of(place, source), known)
                cost = tokens.count(text) + 20
            if cost > room:
                text = ''
            else:
                room -= cost
        symbol = redact(place.symbol, known)
        yield Related(link.relation, link.resolved, hops, path, place.start_line, place.end_line, symbol, text)
