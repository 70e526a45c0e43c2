"""Cut the ready block to an agent's limit: at whole elements, always closed, units degraded to paths before they go."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxkit.counted import counted

# The block is escaped when it is written, so a `<` always begins a tag and a `>` always ends one.
TAG = re.compile(r'<(/?)([A-Za-z_][\w.-]*)((?:\s[^<>]*?)?)(/?)>')
UNITS = 'semantic_units'


@dataclass(frozen=True)
class Element:
    """One element of the block: opening tag, content, closing tag, and direct children."""

    name: str
    opening: str
    body: str
    closing: str
    children: tuple[Element, ...] = ()

    @property
    def text(self) -> str:
        """The element as it is in the file."""
        return self.opening + self.body + self.closing

    @property
    def as_path(self) -> str:
        """The element without its body: for a unit its path, lines, symbol and why."""
        return self.opening if not self.closing else self.opening[:-1].rstrip() + '/>'


@dataclass(frozen=True)
class Cut:
    """A block within a limit: its text, and how many units are whole, only paths, or left out."""

    text: str
    whole: int
    paths: int
    left_out: int


def parse(text: str) -> Element | None:
    """The root element of a block, or None if `text` is not one whole, well-nested element."""
    stack: list[tuple[str, int, int, list[Element]]] = []
    for tag in TAG.finditer(text):
        closes, name, _, empty = tag.groups()
        if closes:
            if not stack or stack[-1][0] != name:
                return None
            _, start, inner, children = stack.pop()
            element = Element(name, text[start:inner], text[inner : tag.start()], tag[0], tuple(children))
        elif empty:
            element = Element(name, tag[0], '', '')
        else:
            stack.append((name, tag.start(), tag.end(), []))
            continue
        if not stack:
            return element if not text[: text.index(element.opening)].strip() else None
        stack[-1][3].append(element)
    return None


def size(text: str) -> int:
    """The size of `text` against a limit of characters: its UTF-8 bytes, since some agents count those."""
    return len(text.encode('utf-8', 'replace'))


def cut(root: Element, limit: int, note: str, paths_only: bool = False) -> Cut:
    """The block within `limit` (UTF-8 bytes), `note` ('' for none) as its first child; text '' if not even that fits.

    Room for the path of each unit is reserved first, because a path that the agent can open is worth more than the last
    whole unit. With the rest, units are shown whole in their order; one that is too long is skipped, and shorter ones
    after it still get in. Other sections are whole or left out.
    """
    units = next((child.children for child in root.children if child.name == UNITS), ())
    for step_paths in (True,) if paths_only else (False, True):
        for drop in (
            (),
            ('web_context',),
            ('web_context', 'session_state'),
            ('web_context', 'session_state', 'durable_memory'),
            ('web_context', 'session_state', 'durable_memory', 'environment_snapshot'),
        ):
            sections = [child.text for child in root.children if child.name != UNITS and child.name not in drop]
            levels = _levels(root, sections, units, limit - _note_room(note), step_paths)
            # Dropping a section pays only if no code would be seen otherwise.
            if levels is not None and (any(levels) or not units):
                counts = (levels.count(2), levels.count(1), levels.count(0))
                return Cut(_assemble(root, sections, units, levels, _note(note, *counts)), *counts)
    return Cut('', 0, 0, len(units))


def _levels(
    root: Element, sections: list[str], units: tuple[Element, ...], limit: int, paths_only: bool
) -> list[int] | None:
    """A level for each unit so that all fits: 2 whole, 1 path, 0 left out; None if the sections alone are too large."""
    room = limit - size(_assemble(root, sections, units, [0] * len(units), ''))
    if room < 0:
        return None
    levels = []
    for unit in units:
        cost = size(unit.as_path) + 1
        levels.append(1 if cost <= room else 0)
        room -= cost * levels[-1]
    for place, unit in enumerate(units):
        extra = size(unit.text) - size(unit.as_path)
        if not paths_only and levels[place] and 0 < extra <= room:  # a unit without a body is a path already
            levels[place], room = 2, room - extra
    return levels


def _assemble(root: Element, sections: list[str], units: tuple[Element, ...], levels: list[int], note: str) -> str:
    shown = [unit.text if level == 2 else unit.as_path for unit, level in zip(units, levels, strict=True) if level]
    parts = [root.opening, *([note] if note else []), *sections]
    if units:
        opening = next(child.opening for child in root.children if child.name == UNITS)
        parts += [opening, *shown, f'</{UNITS}>']
    return '\n'.join([*parts, root.closing])


def _note(note: str, whole: int, paths: int, left_out: int) -> str:
    counts = f'{counted(whole, "unit")} whole, {paths} as paths, {left_out} left out here.'
    return f'<freshness>{note} {counts} All of it: .ctx/context.xml</freshness>' if note else ''


def _note_room(note: str) -> int:
    return size(_note(note, 999, 999, 999)) + 1
