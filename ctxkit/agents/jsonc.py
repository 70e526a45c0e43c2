"""Edits of JSON settings (comments and trailing commas allowed) that leave every other byte as it was."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

SPACE = re.compile(r'(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*', re.DOTALL)
SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
MAX_DEPTH = 200


class NotJson(ValueError):
    """The text is not JSON, or not of the expected shape; the message says where."""


@dataclass
class Node:
    """A value with its [start, end) in the text. `entries` are (key, start, node); in a list, the key is ''."""

    start: int
    end: int = 0
    value: Any = None
    entries: list[tuple[str, int, Node]] = field(default_factory=list)
    trailing_comma: bool = False


def parse(text: str) -> Node:
    """The tree of a JSON text. Raises NotJson, also for a key that occurs twice in one object."""
    node, end = _value(text, SPACE.match(text, 1 if text[:1] == '\ufeff' else 0).end(), 0)  # type: ignore[union-attr]
    if SPACE.match(text, end).end() != len(text):  # type: ignore[union-attr]
        raise _wrong(text, end)
    return node


def insert(text: str, at: list[str], item: Any, *, as_value: bool = False) -> str:
    """`text` with `item` appended to the list at the keys `at`; with `as_value`, set there unless a value exists.

    Missing objects and lists are made on the way. Raises NotJson where the text does not parse or where something of
    another type is in the way.
    """
    node, depth = parse(text), 0
    while depth < len(at):
        if not isinstance(node.value, dict):
            raise NotJson(f'{".".join(at[:depth]) or "the top"} is not an object')
        found = next((entry for key, _, entry in node.entries if key == at[depth]), None)
        if found is None:
            value = item if as_value else [item]
            for key in reversed(at[depth + 1 :]):
                value = {key: value}
            return _checked(text, _add(text, node, value, at[depth], depth))
        node, depth = found, depth + 1
    if as_value:
        return text
    if not isinstance(node.value, list):
        raise NotJson(f'{".".join(at)} is not a list')
    return _checked(text, _add(text, node, item, None, depth))


def empty_containers(text: str, at: list[str]) -> list[str]:
    """The dotted keys along `at` that hold an empty object or list, which `remove` must leave there."""
    node = parse(text)
    found: list[str] = []
    for depth, key in enumerate(at):
        entry = next((entry for name, _, entry in node.entries if name == key), None)
        if entry is None:
            return found
        node = entry
        if node.value in ({}, []):
            found.append('.'.join(at[: depth + 1]))
    return found


def remove(text: str, at: list[str | int], place: int | None, keep: frozenset[str] = frozenset()) -> str:
    """`text` without entry number `place` of the list at `at`, or without the key `at` itself if `place` is None. A
    number in `at` is an index into a list on the way.

    Containers that this leaves empty go too, except those whose dotted keys are in `keep`.
    """
    node = parse(text)
    trail: list[tuple[Node, int]] = []
    for key in at:
        places = (number for number, entry in enumerate(node.entries) if entry[0] == key)
        position = key if isinstance(key, int) else next(places)
        trail.append((node, position))
        node = node.entries[position][2]
    if place is not None:
        trail.append((node, place))
    while len(trail) > 1 and len(trail[-1][0].entries) == 1 and '.'.join(map(str, at[: len(trail) - 1])) not in keep:
        trail.pop()
    return _checked(text, _cut(text, *trail[-1]))


def _cut(text: str, parent: Node, place: int) -> str:
    """Remove one entry, with its line if it has one of its own, and with the comma that it needed."""
    _, start, node = parent.entries[place]
    end, last = node.end, place == len(parent.entries) - 1
    if len(parent.entries) == 1:
        before, after = text[:start], text[node.end :]
        gap = before.rstrip(' \t\r\n')
        if gap.endswith(('{', '[')):
            return gap + re.sub(r'^\s*,?\s*', '', after)
        after = re.sub(r'^\s*,', '', after)  # a comment remains, and its line stays as it is
        return (gap if re.match(r'[ \t]*\r?\n', after) else before) + after
    comma = re.compile(r'\s*,').match(text, end)
    if comma:
        end = comma.end()
    line = re.compile(r'\r?\n[ \t]*$').search(text[:start])
    if line and re.compile(r'[ \t]*(?:\r?\n|$)').match(text, end):
        start = line.start()
    elif last and text[:start].rstrip().endswith(','):
        start = len(text[:start].rstrip())
    elif comma:
        end = re.compile(r'[ \t]*').match(text, end).end()  # type: ignore[union-attr]
    out = text[:start] + text[end:]
    if last and not parent.trailing_comma:
        found = SPACE.match(out, parent.entries[place - 1][2].end).end()  # type: ignore[union-attr]
        if out[found : found + 1] == ',':
            out = out[:found] + out[found + 1 :]
    return out


def _add(text: str, parent: Node, value: Any, key: str | None, depth: int) -> str:
    """Add one entry at the end of an object or list, in the layout of the file."""
    newline = '\r\n' if '\r\n' in text else '\n'
    found = re.compile(r'^([ \t]+)\S', re.MULTILINE).search(text)
    indent = found[1] if found else '  '
    on_lines = not parent.entries or '\n' in text[parent.start : parent.end]
    own = _indent_of(text, parent.entries[-1][1]) if parent.entries else _indent_of(text, parent.start) + indent
    written = json.dumps(value, indent=indent if on_lines else None, ensure_ascii=False)
    if isinstance(value, (dict, list)) and on_lines:
        written = written.replace('\n', newline + own)
    entry = f'{json.dumps(key, ensure_ascii=False)}: {written}' if key is not None else written
    close = parent.end - 1
    if not parent.entries:
        outer = _indent_of(text, parent.start)
        inner = text[parent.start + 1 : close]
        kept = inner.rstrip() if inner.strip() else ''
        return text[: parent.start + 1] + kept + newline + own + entry + newline + outer + text[close:]
    end = parent.entries[-1][2].end
    if not on_lines:
        tail = ',' if parent.trailing_comma else ''
        after = SPACE.match(text, end).end() + 1 if parent.trailing_comma else end  # type: ignore[union-attr]
        return f'{text[:after]}{" " if tail else ", "}{entry}{tail}{text[after:]}'
    body = text[:close].rstrip(' \t\r\n')
    rest = text[len(body) :]
    if not parent.trailing_comma:
        body = f'{body[:end]},{body[end:]}'
    return body + newline + own + entry + (',' if parent.trailing_comma else '') + rest


def _indent_of(text: str, place: int) -> str:
    line = text[text.rfind('\n', 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(' \t'))]


def _checked(before: str, after: str) -> str:
    parse(after)  # an edit that would break the file must fail here
    return after


def _wrong(text: str, place: int) -> NotJson:
    return NotJson(f'line {text.count(chr(10), 0, place) + 1} is not JSON')


def _value(text: str, place: int, depth: int) -> tuple[Node, int]:
    opener = text[place : place + 1]
    if depth > MAX_DEPTH:
        raise NotJson('nested too deeply')
    if opener in ('{', '['):
        return _container(text, place, opener == '{', depth)
    found = SCALAR.match(text, place)
    if not found:
        raise _wrong(text, place)
    try:
        return Node(place, found.end(), json.loads(found[0])), found.end()
    except ValueError:
        raise _wrong(text, place) from None


def _container(text: str, place: int, keyed: bool, depth: int) -> tuple[Node, int]:
    node, close = Node(place), '}' if keyed else ']'
    node.value = {} if keyed else []
    place = SPACE.match(text, place + 1).end()  # type: ignore[union-attr]
    while text[place : place + 1] != close:
        start, key = place, ''
        if keyed:
            name, place = _value(text, place, depth + 1)
            key = name.value
            place = SPACE.match(text, place).end()  # type: ignore[union-attr]
            if not isinstance(key, str) or text[place : place + 1] != ':' or key in node.value:
                raise _wrong(text, start)
            place = SPACE.match(text, place + 1).end()  # type: ignore[union-attr]
        entry, place = _value(text, place, depth + 1)
        if keyed:
            node.value[key] = entry.value
        else:
            node.value.append(entry.value)
        node.entries.append((key, start, entry))
        place = SPACE.match(text, place).end()  # type: ignore[union-attr]
        node.trailing_comma = text[place : place + 1] == ','
        if node.trailing_comma:
            place = SPACE.match(text, place + 1).end()  # type: ignore[union-attr]
        elif text[place : place + 1] != close:
            raise _wrong(text, place)
    node.end = place + 1
    return node, place + 1
