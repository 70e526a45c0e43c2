"""The stream: units that recent events produced, as JSON lines in `.ctx/units.jsonl`, newest last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ctxkit.records import is_time
from ctxkit.safety.paths import read_plain, write_whole

T = TypeVar('T', bound=tuple[Any, ...])
MAX_BYTES = 2_000_000
SCHEMA = 1
AHEAD = 86_400  # seconds; units further in the future are dropped: a clock was wrong
REMOVED = 'removed'  # the `change` of a removed definition
NEEDS = ('calls', 'extends', 'uses')  # how code can need a removed definition; the first that applies is shown
RELATIONS = ('calls', 'called by', 'used by', 'tested by', 'extends', 'extended by', 'uses', 'shown in')
RELATED_SHOWN = 6  # links that a unit names


def needs_removed(how: str, name: str) -> str:
    """The `change` of a unit that needs a removed definition; `how` is one of NEEDS."""
    return f'{how} {name}, {REMOVED}'


def order_of(relation: str) -> int:
    """The rank of a relation among those of one unit, as they are shown; unknown ones come last."""
    return RELATIONS.index(relation) if relation in RELATIONS else len(RELATIONS)


class Related(NamedTuple):
    """What a unit touches: its place, how many hops away it is, and whether the link is resolved or a guess by name.

    `text` is its code if that fits into the unit's 1024 tokens, else its signature, else ''.
    """

    relation: str
    resolved: bool
    hops: int
    path: str
    start_line: int
    end_line: int
    symbol: str
    text: str = ''

    def describe(self) -> str:
        """`calls a.b (x.py:3)`, followed by a question mark if it is a guess."""
        mark = '' if self.resolved else '?'
        return f'{self.relation} {self.symbol or "module"} ({self.path}:{self.start_line}){mark}'


class StreamUnit(NamedTuple):
    """A unit as it was when an event produced it. `time` is epoch seconds; texts have passed the secret filter.

    `digest` joins the content hashes of the fold's chunks with `-`: while all of them are in the file, the unit stands.
    `files` is how many files the commit changed: if they are many, it says little about any one of them.
    """

    id: str
    time: float
    event: str
    commit: str
    path: str
    symbol: str
    kind: str
    start_line: int
    end_line: int
    change: str
    digest: str
    edits_today: int
    tokens: int
    signature: str
    text: str
    related: tuple[Related, ...] = ()
    schema: int = SCHEMA
    files: int = 1

    def stands_in(self, digests: frozenset[str]) -> bool:
        """Whether a file whose chunks have these content hashes still holds the unit as it is."""
        return all(part in digests for part in self.digest.split('-'))

    @property
    def cut(self) -> bool:
        """Whether `text` is only a part of the unit's lines."""
        return self.text.endswith('…') or re.search(r'^… \d+ lines …$', self.text, re.M) is not None

    def to_dict(self) -> dict[str, Any]:
        """The unit as a JSON object; `from_dict` reads it."""
        return {**self._asdict(), 'related': [one._asdict() for one in self.related]}


def read(file: Path, since: float = 0.0) -> list[StreamUnit]:
    """The units not older than `since`, oldest first; lines that are broken or of another schema are skipped."""
    out = []
    data = read_plain(file, 2 * MAX_BYTES)
    for line in (data or b'').decode('utf-8', 'replace').split('\n'):
        try:
            unit = from_dict(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
        if unit.schema == SCHEMA and unit.time >= since:
            out.append(unit)
    return out


def from_dict(data: dict[str, Any]) -> StreamUnit:
    """The unit that a JSON object describes. Raises TypeError, KeyError or AttributeError if it describes none."""
    related = tuple(_typed(Related(**item)) for item in data.pop('related', ()))
    return _typed(StreamUnit(**data, related=related))


# The types of the fields that are not str.
_TYPES: dict[str, tuple[type, ...]] = {'time': (int, float), 'resolved': (bool,), 'related': (tuple,)}
_TYPES |= dict.fromkeys(('hops', 'start_line', 'end_line', 'edits_today', 'tokens', 'schema', 'files'), (int,))
_CHECKED: dict[type, list[tuple[type, ...]]] = {
    kind: [_TYPES.get(name, (str,)) for name in kind._fields] for kind in (Related, StreamUnit)
}


def _typed(value: T) -> T:
    """`value`, which came from a file, after a check of its fields' types. Raises TypeError for a wrong one."""
    for found, types in zip(value, _CHECKED[type(value)], strict=True):
        if type(found) not in types or (type(found) is float and not is_time(found)):
            raise TypeError(found)
    return value


def write(file: Path, units: Sequence[StreamUnit]) -> None:
    """Replace the stream by `units`; the oldest are dropped to stay within MAX_BYTES (2 MB)."""
    lines: list[str] = []
    size = 0
    for unit in reversed(units):
        line = json.dumps(unit.to_dict(), ensure_ascii=True, separators=(',', ':'))
        size += len(line) + 1
        if size > MAX_BYTES:
            break
        lines.append(line)
    write_whole(file, ''.join(f'{line}\n' for line in reversed(lines)))


def merge(old: Iterable[StreamUnit], new: Sequence[StreamUnit], since: float, until: float) -> list[StreamUnit]:
    """The stream after an event: `new` units replace `old` ones of the same id, those before `since` are dropped.

    So are those after `until`: a clock that was years ahead would leave them there, and first, for years.
    """
    replaced = {unit.id for unit in new}
    return [*(unit for unit in old if since <= unit.time <= until and unit.id not in replaced), *new]


def extend(file: Path, guard: Path, new: Sequence[StreamUnit], now: float, keep_hours: float) -> list[StreamUnit]:
    """Merge an event's units into the stream and return it; `guard` is the lock file that concurrent writers share.

    A writer that does not get the lock within five seconds goes on without it: the file is replaced whole in any case.
    """
    from ctxkit.safety import lock

    with lock.held(guard, wait=5.0):
        units = merge(read(file), new, now - keep_hours * 3600, now + AHEAD)
        write(file, units)
    return units
