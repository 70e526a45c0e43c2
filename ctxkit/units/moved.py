"""Adjust units to uncommitted edits: move them to the lines where they are now, drop links that an edit removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from ctxkit.units.stream import NEEDS, REMOVED, Related, StreamUnit, needs_removed

if TYPE_CHECKING:
    from ctxkit.slicing import Chunk
    from ctxkit.units.edited import Edit

OUTGOING = ('calls', 'extends', 'uses')  # made by the unit's own text: they hold while their target exists


def moved(unit: StreamUnit, chunks: Sequence[tuple[Chunk, str]]) -> StreamUnit:
    """The unit at the lines where its text is now; `chunks` are (chunk, digest) of its file, which still holds it."""
    parts = unit.digest.split('-')
    first = _nearest([chunk for chunk, digest in chunks if digest == parts[0]], unit.start_line)
    last = _nearest([chunk for chunk, digest in chunks if digest == parts[-1]], unit.end_line)
    return unit._replace(start_line=first.start_line, end_line=last.end_line)


def linked(unit: StreamUnit, changed: AbstractSet[str], edits: Mapping[str, Edit]) -> StreamUnit:
    """The unit with its links at the lines where they lead now, without those to chunks that are gone.

    `changed` are all paths that differ from the commit, `edits` those of them that could be read or were removed. A
    link from a chunk that no longer names the unit is dropped, too.
    """
    if not any(link.path in changed for link in unit.related):
        return unit
    return unit._replace(related=tuple(_links(unit, changed, edits)))


def still_gone(unit: StreamUnit, names: AbstractSet[str]) -> bool:
    """False for a unit about a removed definition if the edits define its name again; `names` are what they define."""
    if unit.change == REMOVED:
        return not all(symbol.rpartition('.')[2] in names for symbol in unit.symbol.split(', '))
    return unit.event != 'removal' or unit.change not in {needs_removed(how, name) for name in names for how in NEEDS}


def _links(unit: StreamUnit, changed: AbstractSet[str], edits: Mapping[str, Edit]) -> Iterator[Related]:
    name = unit.symbol.rpartition('.')[2]
    for link in unit.related:
        if link.path not in changed:
            yield link
            continue
        wanted = '' if link.relation in OUTGOING else name
        chunks, source = (edits[link.path].chunks, edits[link.path].source or b'') if link.path in edits else ((), b'')
        found = [one for one, _ in chunks if one.symbol == link.symbol and wanted in one.text(source)]
        if found:
            chunk = _nearest(found, link.start_line)
            yield link._replace(start_line=chunk.start_line, end_line=chunk.end_line)


def _nearest(chunks: Sequence[Chunk], line: int) -> Chunk:
    return min(chunks, key=lambda chunk: abs(chunk.start_line - line))
