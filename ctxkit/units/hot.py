"""What to show without a request: units of the current tree by how hot they are, read from what the last event made.

`update` leaves them ready in the data folder, so that a render without a request opens no index and imports no numpy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ctxkit.repo import Repo
from ctxkit.safety.paths import real_folder, write_whole
from ctxkit.units.score import hot_score, kind_rank
from ctxkit.units.shown import Unit
from ctxkit.units.stream import StreamUnit, from_dict

Count = Callable[[str], int]
RELATED_SHOWN = 6


class Prepared(NamedTuple):
    """Units that stand in the tree of `commit`, redacted, hottest first."""

    commit: str
    units: tuple[StreamUnit, ...]


def prepared_file(repo: Repo) -> Path:
    """Where the prepared units of this work tree are."""
    return repo.tree_file('.hot.json')


def save(repo: Repo, prepared: Prepared) -> None:
    """Keep the prepared units for renders to come."""
    file = prepared_file(repo)
    real_folder(file.parent)
    write_whole(file, json.dumps({'commit': prepared.commit, 'units': [unit.to_dict() for unit in prepared.units]}))


def load(repo: Repo) -> Prepared | None:
    """The prepared units; None where there are none."""
    try:
        data = json.loads(prepared_file(repo).read_bytes())
        return Prepared(data['commit'], tuple(from_dict(unit) for unit in data['units']))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def order(units: Sequence[StreamUnit], now: float, recent_minutes: int) -> list[StreamUnit]:
    """What changed in the last minutes first, then by hot score; where it is the same, code first, then the newest.

    Scores are compared to two digits: hours after a change its minutes say nothing about what matters.
    """

    def rank(unit: StreamUnit) -> tuple[bool, float, bool, float, int, str, int]:
        minutes = (now - unit.time) / 60
        recent = minutes <= recent_minutes and unit.event != 'history'
        kind = kind_rank(unit.kind)
        score = round(hot_score(minutes, unit.edits_today), 2)
        return not recent, -score, kind > 1, -unit.time, kind, unit.path, unit.start_line

    return sorted(units, key=rank)


def select(
    units: Sequence[StreamUnit],
    budget: int,
    count: Count,
    top_k: int,
    paths_only: bool = False,
) -> tuple[tuple[Unit, ...], int, int]:
    """(units to show, tokens used, how many were left out) of ordered units: code, else signature, else the path."""
    shown: list[Unit] = []
    used = left = 0
    whole_functions: dict[str, list[StreamUnit]] = {}
    for unit in units:
        if any(_holds(outer, unit) for outer in whole_functions.get(unit.path, ())):
            continue
        why = why_of(unit)
        related = _touches(unit) if len(shown) < top_k else ''
        whole = Unit(unit.path, unit.start_line, unit.end_line, unit.symbol, unit.kind, why, 'code', unit.text, related)
        levels = [whole, whole._replace(related='')] if related else [whole]
        if unit.signature:
            levels.append(whole._replace(level='signature', text=unit.signature, related=''))
        levels.append(whole._replace(level='path', text='', related=''))
        for level in levels[-1:] if paths_only else levels:
            cost = count(level.to_xml()) + 1
            if used + cost <= budget:
                shown.append(level)
                used += cost
                if level.level == 'code':
                    whole_functions.setdefault(unit.path, []).append(unit)
                break
        else:
            left += 1
    return tuple(shown), used, left


def _holds(outer: StreamUnit, unit: StreamUnit) -> bool:
    """Whether the text of `outer` has that of `unit` in it: a class is shown without its methods, a long one cut."""
    whole = outer.kind in ('function', 'method') and not outer.text.endswith('…')
    return whole and outer.start_line <= unit.start_line and unit.end_line <= outer.end_line


def _touches(unit: StreamUnit) -> str:
    """The unit's own links in words. What is two hops away touches a neighbour of the unit, not the unit."""
    return '; '.join([item.describe() for item in unit.related if item.hops == 1][:RELATED_SHOWN])


def why_of(unit: StreamUnit) -> str:
    """Why a unit is here, in words that do not change with the clock."""
    if unit.event == 'edit':
        return f'{unit.change}, not committed'
    if unit.event == 'post-checkout':  # another commit may have made the change, long ago
        return f'came with the checkout of {unit.commit[:8]}' if unit.commit else 'came with a checkout'
    return f'{unit.change} in {unit.commit[:8]}' if unit.commit else unit.change
