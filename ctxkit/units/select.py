"""Fill a token budget with code: whole functions by score, then paths, then what the functions touch.

Greedy by score beats a knapsack by score per token, and whole functions beat cut ones (docs/design/budget.md has the
figures). What does not fit is reduced before it is left out: from its code to an excerpt, if it is among the best, then
to `path:lines symbol`. A signature in between cost more room than it was worth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place, is_bare_heading
from ctxkit.safety.secrets import redact
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.candidate import Candidate, Reader
from ctxkit.units.excerpt import around, excerpt
from ctxkit.units.link import Link, links
from ctxkit.units.shown import Unit
from ctxkit.units.stream import RELATED_SHOWN, order_of

Count = Callable[[str], int]
TAIL_SHARE = 0.05  # of the budget is kept for the paths of further files
TAIL_PATHS = 12
MOST_MISSES = 15  # candidates in a row that do not fit; then the room is as good as full
SMALLEST = 40  # tokens; no unit fits into less
EXCERPTS = 2  # best candidates that may be shown as an excerpt; more would crowd out what fits whole
WHOLE_TABLE = 150  # tokens; a table of messages up to this size is shown whole
# Tokens that each function with a line named in the request gets at least, and one that holds a literal at most
NAMED_SHARE = 500
LARGEST = 10  # times the room; an excerpt of a larger function would say little


class Selection(NamedTuple):
    """The units that fit, in the order to show them, and how many candidates were left out."""

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
    """The units that fit `budget` tokens as `count` counts them; the first `top_k` name what they touch.

    `candidates` are best first. `known` are secret values; they never appear. `terms` are those of the request: a
    function that does not fit is shown by the lines that hold them.
    """
    chosen: list[tuple[Candidate, Unit]] = []
    later: list[Candidate] = []
    shown_ranges: dict[str, list[tuple[int, int]]] = {}
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
        if _covered(place, shown_ranges.get(path, ())):
            continue
        if is_bare_heading(place):
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
            for inner in _inside(place, path, chosen):  # its inner definitions are not shown twice
                used -= count(chosen.pop(inner)[1].to_xml()) + 1
                at = inner
        chosen.insert(at, (one, unit))
        # the chunk of a class or module does not contain the functions taken out of it
        shown_ranges.setdefault(path, []).extend([] if place.spans else [(place.start_line, place.end_line)])
        used += cost
    units = [unit for _, unit in chosen]
    best = {one.chunk for one in candidates[:EXCERPTS]}
    for unit in _tail(reader, corpus, later, shown_ranges, best, paths_only):
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
    """(the `number`th candidate as a unit, its cost in tokens); None if it does not fit into `left` tokens.

    A table is shown by the lines that are meant, other code whole; a function by an excerpt if it is too large and
    among the first EXCERPTS, or if the request names a line of it or a literal in it.
    """
    function, named = place.kind in FUNCTIONS, one.lines[0] > 0
    if named and not function and place.least_tokens > WHOLE_TABLE:
        unit = reader.some_lines(one)
        cost = count(unit.to_xml()) + 1
        if cost <= left:
            return unit, cost
    cut = function and (number < EXCERPTS or named or one.literal > 0) and place.least_tokens <= LARGEST * room
    if place.least_tokens > left and not cut:  # too large in any case: no need to read it
        return None
    unit = reader.unit(one, 'code')
    cost = count(unit.to_xml()) + 1
    if (cost > left and cut) or (named and function and cost > share):
        line = reader.line(unit.path, one.lines[0] or (one.literal if number >= EXCERPTS else 0))
        unit = _excerpt(unit, terms, left, room // 2, count, line, min(share if named else NAMED_SHARE, left))
        cost = count(unit.to_xml()) + 1
    return (unit, cost) if cost <= left else None


def _excerpt(unit: Unit, terms: Collection[int], left: int, part: int, count: Count, line: str, share: int) -> Unit:
    """The unit cut to two thirds of its lines within `left` tokens, else to fewer within `part`; unchanged if neither.

    If the request names a `line` of it: cut to its head and the lines around that, within `share` tokens.
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
    shown_ranges: Mapping[str, list[tuple[int, int]]],
    best: Collection[int],
    paths_only: bool,
) -> Iterator[Unit]:
    """What did not fit, as paths: the `best` chunks, and the first chunk of each file that is not shown yet."""
    seen = set(shown_ranges)
    for one in later:
        path = corpus.path(one.chunk)
        missed = one.chunk in best and not _covered(corpus.place(one.chunk), shown_ranges.get(path, ()))
        if path not in seen or paths_only or missed:
            seen.add(path)
            yield reader.unit(one, 'path')
            if len(seen) - len(shown_ranges) >= TAIL_PATHS and not paths_only:
                return


def _inside(place: Place, path: str, chosen: Sequence[tuple[Candidate, Unit]]) -> list[int]:
    """Indexes of the chosen units that stand within `place`, the last first."""
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
    """The units, the first `top_k` with what they touch as far as the budget allows; `used` tokens are spent."""
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
    """Links in words: `calls a.b (x.py:3); called by c (y.py:9)?`; a guess is followed by a question mark.

    Redacted; `known` are secret values.
    """
    parts = []
    for link in sorted(found, key=lambda one: order_of(one.relation)):
        place = corpus.place(link.chunk)
        mark = '' if link.resolved else '?'
        where = f'{corpus.path(link.chunk)}:{place.start_line}'
        parts.append(f'{link.relation} {redact(place.symbol, known) or place.kind} ({where}){mark}')
    return '; '.join(parts)
