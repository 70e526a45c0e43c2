"""What to show without a request: the hottest units of the current tree, as the last event prepared them.

`update` leaves them in the data folder, so that a render without a request opens no index and does not import numpy.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ctxkit import __version__
from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder
from ctxkit.safety.sealed import read_sealed, write_sealed
from ctxkit.units.score import MANY_FILES, heat, is_aside, is_lock_file, kind_rank
from ctxkit.units.shown import Unit
from ctxkit.units.stream import RELATED_SHOWN, StreamUnit, from_dict, order_of

Count = Callable[[str], int]
MOST_WINDOWS = 2  # parts of one file of data or prose that come before other files have had their turn
MOST_OF_FILE = 4  # units of one change to a file of code that come before the other files that it changed
UP_TO = ' up to'  # `modified up to 1a2b3c`: some commit made the change, 1a2b3c or one before it


class Prepared(NamedTuple):
    """Units that stand in the tree of `commit`, redacted, hottest first."""

    commit: str
    units: tuple[StreamUnit, ...]


def prepared_file(repo: Repo) -> Path:
    """Path of the file with the prepared units of this work tree."""
    return repo.tree_file('.hot.json')


def save(repo: Repo, prepared: Prepared) -> None:
    """Write the prepared units for the next renders."""
    file = prepared_file(repo)
    data_folder(repo.data_dir, 'trees')
    units = [unit.to_dict() for unit in prepared.units]
    write_sealed(file, json.dumps({'made_by': __version__, 'commit': prepared.commit, 'units': units}))


def load(repo: Repo) -> Prepared | None:
    """The prepared units; None if the file is missing, broken, or made by another version of ctxkit."""
    try:
        data = json.loads(read_sealed(prepared_file(repo)) or b'{}')
        if data['made_by'] != __version__:
            return None
        return Prepared(data['commit'], tuple(from_dict(unit) for unit in data['units']))
    except (ValueError, KeyError, TypeError):
        return None


def order(units: Sequence[StreamUnit], now: float, recent_minutes: int) -> list[StreamUnit]:
    """The units in the order to show them: those of the last `recent_minutes`, then the last change, then by `heat`.

    Within each group, code comes before imports, prose and data, and tests and examples come last. What a sweep over
    many files changed, and a lock file, comes after what was worked on. Only MOST_WINDOWS parts of a file of data or
    prose keep their place, the others go behind the rest: one update of a translation would hide all other work. Of a
    file of code, only MOST_OF_FILE units come before what the same change did to other files.
    """
    times = sorted({unit.time for unit in units}, reverse=True)
    later = {time: number for number, time in enumerate(times)}
    windows: Counter[str] = Counter()
    of_file: Counter[tuple[float, str]] = Counter()
    crowding: set[str] = set()
    queuing: set[str] = set()

    def rank(unit: StreamUnit) -> tuple[bool, bool, bool, bool, bool, bool, bool, float, float, bool, int, str, int]:
        sweep = is_sweep(unit) or is_lock_file(unit.path)
        recent = abs(now - unit.time) <= recent_minutes * 60 and unit.event != 'history' and not sweep
        # a removed definition that nobody calls says little
        kind = kind_rank(unit.kind if unit.text or unit.related else '', unit.path)
        changes = later[unit.time]
        classes = changes > 0, kind > 1, unit.id in crowding, is_aside(unit.path)
        queues = unit.id in queuing
        now_last = queues and changes == 0
        hottest = -heat(changes, unit.edits_today), -unit.time
        return not recent, sweep, *classes, now_last, *hottest, queues, kind, *place_of(unit)

    ordered = sorted(units, key=rank)
    for unit in ordered:
        if kind_rank(unit.kind, unit.path) > 1:
            windows[unit.path] += 1
            if windows[unit.path] > MOST_WINDOWS:
                crowding.add(unit.id)
        else:
            of_file[unit.time, unit.path] += 1
            if of_file[unit.time, unit.path] > MOST_OF_FILE:
                queuing.add(unit.id)
    return sorted(ordered, key=rank)


def place_of(unit: StreamUnit) -> tuple[str, int]:
    """(path, first line) of a unit, to order units that are otherwise equal."""
    return unit.path, unit.start_line


def is_sweep(unit: StreamUnit) -> bool:
    """Whether the unit changed together with more than MANY_FILES files, so that it tells nothing about the work."""
    return unit.files > MANY_FILES


def select(
    units: Sequence[StreamUnit],
    budget: int,
    count: Count,
    top_k: int,
    paths_only: bool = False,
) -> tuple[tuple[Unit, ...], int, int]:
    """(units to show, tokens used, how many were left out), each as code, else its signature, else its path.

    A unit with the text of an earlier one goes to the end, as a path: a table that thirty files hold is shown once.
    """
    shown: list[Unit] = []
    costs: list[int] = []
    used = left = 0
    whole_functions: dict[str, list[StreamUnit]] = {}
    first = {unit.text: unit.id for unit in reversed(units)}
    repeats = {unit.id for unit in units if unit.text and first[unit.text] != unit.id}
    for unit in sorted(units, key=lambda unit: unit.id in repeats):
        if any(_holds(outer, unit) for outer in whole_functions.get(unit.path, ())):
            continue
        why = why_of(unit)
        related = _touches(unit) if len(shown) < top_k or not unit.text else ''
        whole = Unit(unit.path, unit.start_line, unit.end_line, unit.symbol, unit.kind, why, 'code', unit.text, related)
        levels = [whole, whole._replace(related='')] if related else [whole]
        if not unit.text:  # a removed definition
            levels = [whole._replace(level='path')]
        if unit.signature and unit.kind != 'section':  # a section's signature repeats its symbol, the heading
            levels.append(whole._replace(level='signature', text=unit.signature, related=''))
        levels.append(whole._replace(level='path', text='', related=''))
        for level in levels[-1:] if paths_only or unit.id in repeats else levels:
            cost = count(level.to_xml()) + 1
            # a hotter function inside this unit was shown already: this unit takes its place
            inner = [at for at, one in enumerate(shown) if level.level == 'code' and _holds(unit, one)]
            freed = sum(costs[at] for at in inner)
            if used + cost - freed <= budget:
                for at in reversed(inner):
                    del shown[at], costs[at]
                place = inner[0] if inner else len(shown)
                shown.insert(place, level)
                costs.insert(place, cost)
                used += cost - freed
                if level.level == 'code':
                    whole_functions.setdefault(unit.path, []).append(unit)
                break
        else:
            left += 1
    return tuple(shown), used, left


def _holds(outer: StreamUnit, unit: StreamUnit | Unit) -> bool:
    """Whether the text of `outer` includes that of `unit`: only for whole functions, for a class omits its methods."""
    whole = outer.kind in ('function', 'method') and outer.path == unit.path and not outer.cut and unit.text != ''
    return whole and outer.start_line <= unit.start_line and unit.end_line <= outer.end_line


def _touches(unit: StreamUnit) -> str:
    """The unit's direct links in words; what is two hops away touches a neighbour of the unit, not the unit."""
    shown = [item for item in unit.related if item.hops == 1][:RELATED_SHOWN]
    return '; '.join(item.describe() for item in sorted(shown, key=lambda item: order_of(item.relation)))


def why_of(unit: StreamUnit) -> str:
    """Why the unit is shown, in words that do not change with the clock, so that the block stays the same."""
    if unit.event == 'edit':
        return f'{unit.change}, not committed'
    if unit.event == 'post-checkout':  # another commit may have made the change, long ago
        return f'came with the checkout of {unit.commit[:8]}' if unit.commit else 'came with a checkout'
    word = '' if unit.change.endswith(UP_TO) else ' in'
    # without a commit: an amend or a rebase dropped it, and none of the last commits made the unit
    return f'{unit.change}{word} {unit.commit[:8]}' if unit.commit else unit.change.removesuffix(UP_TO)
