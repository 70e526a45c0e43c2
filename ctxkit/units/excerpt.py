"""Excerpts of code too large to show whole: its head, and the lines that the request is about or that changed.

Each run that is left out is marked in the text (`… 12 lines …`), so that nobody takes an excerpt for the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import accumulate

from ctxkit.index.terms import WORD, split, term_id

HEAD = 4  # first lines, always shown: they say what the function is
REACH = 6  # lines on each side of a matching line whose score it raises
SHORTEST_GAP = 3  # lines; leaving out fewer would save nothing, for a line marks each gap
SHARE = 2 / 3  # of the telling lines are shown: with fewer a reader must open the file anyway
TELLING = 4  # characters; a shorter line is a closing bracket or the like


def excerpt(
    code: str, terms: Collection[int], fits: Callable[[str], bool], part_fits: Callable[[str], bool] | None = None
) -> str:
    """The most pertinent two thirds of the lines of `code`, in their order.

    If these do not pass `fits`: as many lines as pass `part_fits`, '' if it is None. `terms` are the terms of the
    request as `index.request` parses it.
    """
    lines = code.split('\n')
    wanted_terms = set(terms)
    found = [{term_id(term) for word in WORD.findall(line) for term in split(word)} & wanted_terms for line in lines]
    order = _by_pertinence(found, _examples(lines, found))
    telling = list(accumulate(len(lines[at].strip()) >= TELLING for at in order))
    wanted = next(number for number, seen in enumerate(telling, 1) if seen >= SHARE * telling[-1])
    text = _shown(lines, order[:wanted])
    if fits(text):
        return text
    return '' if part_fits is None else _most(lines, order[:wanted], part_fits)


def around(code: str, changed: Collection[str], fits: Callable[[str], bool]) -> str:
    """The head of `code`, the lines in `changed` (stripped) and those around them, as many as fit.

    '' if none or more than half of the lines changed: then the first lines say most.
    """
    lines = code.split('\n')
    wanted = {line for line in changed if len(line) >= TELLING}
    found = [{line.strip()} & wanted for line in lines]
    if not any(found) or sum(map(len, found)) > len(lines) / 2:
        return ''
    return _most(lines, _by_pertinence(found), fits)


def _most(lines: Sequence[str], order: Sequence[int], fits: Callable[[str], bool]) -> str:
    """As many lines as fit, taken in `order`; '' if that is no more than the head."""
    low, high = 0, len(order)  # `low` lines fit, `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(_shown(lines, order[:middle])) else (low, middle)
    return _shown(lines, order[:low]) if low > HEAD else ''


def _examples(lines: Sequence[str], found: Sequence[set[int]]) -> frozenset[int]:
    """Numbers of the lines of doctest examples (`>>>`); none if an example holds a term that no other line does."""
    out = []
    inside = False
    for number, line in enumerate(lines):
        was_inside, inside = inside, line.strip() != '' and (inside or line.lstrip().startswith('>>>'))
        if inside or was_inside:  # the blank line after an example, too
            out.append(number)
    if not out:
        return frozenset()
    examples = frozenset(out)
    code = {term for number, held in enumerate(found) if number not in examples for term in held}
    terms_in_examples = set[int]().union(*(found[number] for number in out))
    return examples if terms_in_examples <= code else frozenset()


def _by_pertinence(found: Sequence[Collection[Hashable]], last: Collection[int] = ()) -> list[int]:
    """Line numbers: the head, then by the items `found` in and around each line, where rare items count most.

    Lines in `last` score nothing and come at the end.
    """
    count = len(found)
    holding: dict[Hashable, int] = {}
    found = [() if number in last else held for number, held in enumerate(found)]
    for held in found:
        for one in held:
            holding[one] = holding.get(one, 0) + 1
    score = [0.0] * count
    for number, held in enumerate(found):
        weight = math.fsum(math.log(1 + count / holding[one]) for one in held)
        if weight:
            for near in range(max(0, number - REACH), min(count, number + REACH + 1)):
                score[near] += weight * (1 - abs(near - number) / (REACH + 1))
    return sorted(range(count), key=lambda number: (number >= HEAD, number in last, -score[number], number))


def _shown(lines: Sequence[str], chosen: Collection[int]) -> str:
    """The chosen lines in their order, with a mark for each run that is left out."""
    out: list[str] = []
    last = -1
    for number in [*sorted(chosen), len(lines)]:
        gap = lines[last + 1 : number]
        if len(gap) < SHORTEST_GAP:
            out += gap
        else:
            out.append(f'… {len(gap)} lines …')
        out += lines[number : number + 1]
        last = number
    return '\n'.join(out)
