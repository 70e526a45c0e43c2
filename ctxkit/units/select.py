"""Fill a token budget with code: whole functions by score, then what explains them, then paths.

Greedy by score beats a knapsack by score per token, and whole functions beat cut ones (docs/architecture.md has the
figures). What does not fit is stepped down before it is left out: code, then an excerpt of it if it is among the best,
then `path:lines symbol`. A signature between the two cost more room than it told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place
from ctxkit.safety.secrets import redact
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.candidate import Candidate, Reader
from ctxkit.units.excerpt import around, excerpt
from ctxkit.units.headings import bare
from ctxkit.units.link import Link, links
from ctxkit.units.shown import Unit

Count = Callable[[str], int]
TAIL_SHARE = 0.05  # of the budget is kept for the paths of further files
TAIL_PATHS = 12
RELATED_SHOWN = 6
MOST_MISSES = 15  # in a row, then the room is as good as full; what would still fit is far down and small
SMALLEST = 40  # tokens below which no unit fits
EXCERPTS = 2  # so many of the best may be shown by some of their lines; more would crowd out what fits whole
WHOLE_TABLE = 150  # tokens of a table of messages that are shown whole
NAMED_SHARE = 500  # tokens, at least, of each function of which the request names a line
LARGEST = 10  # times the room; of what is larger an excerpt would say little


class Selection(NamedTuple):
    """What fits, in the order to show it, and how many candidates were left out."""

    units: tuple[Unit, ...]
    left_out: int


def select(
    corpus: Corpus,
    candidates: Sequence[Candidate],
    budget: int,
    count: Count,
    top_k: int,
    known: frozenset[str] = frozenset(),
    paths_only: bool = False,
    terms: Collection[int] = frozenset(),
) -> Selection:
    """The units for `budget` tokens as `count` counts them. `known` are secret values; they never appear.

    `terms` are the request's: a function that does not fit is shown by the lines that hold them.
    """
    chosen: list[tuple[Candidate, Unit]] = []
    later: list[Candidate] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    used = 0
    reader = Reader(corpus, known)
    room = 0 if paths_only else budget - int(budget * TAIL_SHARE)
    misses = 0
    named = sum(one.lines[0] > 0 and corpus.place(one.chunk).kind in FUNCTIONS for one in candidates)
    share = max(room // max(named, 1), NAMED_SHARE)  # one large function of a trace leaves room for the others
    for number, one in enumerate(candidates):
        if room - used < SMALLEST or misses == MOST_MISSES:
            later += candidates[number:]
            break
        path, place = corpus.path(one.chunk), corpus.place(one.chunk)
        if _covered(place, taken.get(path, ())):
            continue
        if bare(place):
            later.append(one)
            continue
        fitting = _fitting(reader, one, number, place, room - used, room, share, count, terms)
        if fitting is None:
            later.append(one)
            misses += place.least_tokens <= room - used
            continue
        misses = 0
        unit, cost = fitting
        at = len(chosen)
        if unit.level == 'code' and not place.spans:
            for inner in _inside(place, path, chosen):  # what stands in it is not shown twice
                used -= count(chosen.pop(inner)[1].to_xml()) + 1
                at = inner
        chosen.insert(at, (one, unit))
        # what is left of a class or module when its functions are taken out does not hold them
        taken.setdefault(path, []).extend([] if place.spans else [(place.start_line, place.end_line)])
        used += cost
    units = [unit for _, unit in chosen]
    best = {one.chunk for one in candidates[:EXCERPTS]}
    for unit in _tail(reader, corpus, later, taken, best, paths_only):
        cost = count(unit.to_xml()) + 1
        if used + cost <= budget:
            units.append(unit)
            used += cost
    units = _explain(corpus, chosen, units, used, budget, count, top_k, known)
    return Selection(tuple(units), max(len(candidates) - len(units), 0))


def _fitting(
    reader: Reader,
    one: Candidate,
    number: int,
    place: Place,
    left: int,
    room: int,
    share: int,
    count: Count,
    terms: Collection[int],
) -> tuple[Unit, int] | None:
    """The `number`th candidate as a unit, and its cost in tokens: a table is shown by the lines that are meant, other
    code whole, or by an excerpt if it is a function among the first; None where that does not fit `left` tokens."""
    function, named = place.kind in FUNCTIONS, one.lines[0] > 0
    if named and not function and place.least_tokens > WHOLE_TABLE:
        unit = reader.some_lines(one)
        cost = count(unit.to_xml()) + 1
        if cost <= left:
            return unit, cost
    cut = function and (number < EXCERPTS or named) and place.least_tokens <= LARGEST * room
    if place.least_tokens > left and not cut:  # its code alone is too much: no need to read it
        return None
    unit = reader.unit(one, 'code')
    cost = count(unit.to_xml()) + 1
    if (cost > left and cut) or (named and function and cost > share):
        line = reader.line(unit.path, one.lines[0])
        unit = _excerpt(unit, terms, left, room // 2, count, line, min(share, left))
        cost = count(unit.to_xml()) + 1
    return (unit, cost) if cost <= left else None


def _excerpt(unit: Unit, terms: Collection[int], left: int, part: int, count: Count, line: str, share: int) -> Unit:
    """The unit by two thirds of its lines within `left` tokens, else by fewer within `part`; else as it was.

    Where the request names a `line` of it: by its head and the lines around that, within `share`.
    """

    def within(most: int) -> Callable[[str], bool]:
        return lambda text: count(unit._replace(text=text).to_xml()) < most

    text = around(unit.text, {line}, within(share)) if line else ''
    text = text or excerpt(unit.text, terms, within(left), within(part) if part <= left else None)
    return unit._replace(level='excerpt', text=text) if text else unit


def _tail(
    reader: Reader,
    corpus: Corpus,
    later: Sequence[Candidate],
    taken: Mapping[str, list[tuple[int, int]]],
    best: Collection[int],
    paths_only: bool,
) -> Iterator[Unit]:
    """What did not fit, by its place: the `best` chunks, and the first place of each file that is not shown yet."""
    seen = set(taken)
    for one in later:
        path = corpus.path(one.chunk)
        missed = one.chunk in best and not _covered(corpus.place(one.chunk), taken.get(path, ()))
        if path not in seen or paths_only or missed:
            seen.add(path)
            yield reader.unit(one, 'path')
            if len(seen) - len(taken) >= TAIL_PATHS and not paths_only:
                return


def _inside(place: Place, path: str, chosen: Sequence[tuple[Candidate, Unit]]) -> list[int]:
    """Which of the chosen units stand within `place`, the last first."""
    return [
        number
        for number, (_, unit) in reversed(list(enumerate(chosen)))
        if unit.path == path and place.start_line <= unit.start_line and unit.end_line <= place.end_line
    ]


def _covered(place: Place, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place.start_line and place.end_line <= end for start, end in ranges)


def _explain(
    corpus: Corpus,
    chosen: Sequence[tuple[Candidate, Unit]],
    units: Sequence[Unit],
    used: int,
    budget: int,
    count: Count,
    top_k: int,
    known: frozenset[str],
) -> list[Unit]:
    """Name what the first `top_k` units touch, with what budget is left over."""
    out = list(units)
    for number, (one, unit) in enumerate(chosen[:top_k]):
        if budget - used < SMALLEST:
            break
        related = describe(corpus, links(corpus, one.chunk)[:RELATED_SHOWN], known)
        if not related:
            continue
        fuller = unit._replace(related=related)
        cost = count(fuller.to_xml()) - count(unit.to_xml())
        if used + cost <= budget:
            out[number] = fuller
            used += cost
    return out


def describe(corpus: Corpus, found: Sequence[Link], known: frozenset[str] = frozenset()) -> str:
    """Links in words: `calls a.b (x.py:3); called by c (y.py:9)?`; a question mark stands behind each guess.

    Redacted; `known` are secret values.
    """
    parts = []
    for link in found:
        place = corpus.place(link.chunk)
        mark = '' if link.resolved else '?'
        where = f'{corpus.path(link.chunk)}:{place.start_line}'
        parts.append(f'{link.relation} {redact(place.symbol, known) or place.kind} ({where}){mark}')
    return '; '.join(parts)
