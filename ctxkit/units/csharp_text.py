"""Count the arguments of calls, and the parameters and type parameters of definitions, in the text of C#."""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 4_000  # characters of arguments that are read
MANY = 100  # arguments that `params` takes

_PARTS = re.compile(
    r'@?"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'|//[^\n]*|/\*.*?\*/|=>|[<>]=|<(?=[\w\s,.?<>\[\]()]{0,200}>\s*[({.,)\[>])|'
    r'(?<=[\w>?\]])>|[(\[{)\]},=]|[\w@]+|\S',
    re.S,
)
_OPENS, _CLOSES = frozenset('([{<'), frozenset(')]}>')
_GENERIC = re.compile(r'\s*<')


class Call(NamedTuple):
    """How a name is used: 'new', 'attribute' or 'call'; the type arguments and arguments, None where unknown."""

    how: str
    types: int | None
    arguments: int | None


def call_in(text: str, before: str, name: str, qualified: bool, kind: str = 'call') -> Call | None:
    """How the first use of `name` in a text is written; `before` is the text before it. None if it isn't found.

    A use of the kind 'call' is a call, an attribute, or after `new`.
    """
    for found in re.finditer(rf'(?<!\w){re.escape(name)}(?!\w)', text):
        ahead = f'{before}{text[: found.start()]}'[-200:]
        if ahead.rstrip().endswith('.') is not qualified:
            continue
        at, types = found.end(), 0
        if _GENERIC.match(text, at):
            read = _list(text, text.index('<', at) + 1, '>')
            if read is not None:
                types, at = read[0], read[1]
        opened = re.compile(r'\s*\(').match(text, at)
        arguments = _list(text, opened.end(), ')') if opened else None
        how = 'new' if re.search(r'\bnew\s+[\w.:]*$', ahead) else 'call'
        if how == 'call' and re.search(
            r'(?:^|[\n({>\]])\s*\[\s*(?:\w+:\s*)?(?:[\w.]+(?:\([^\[\]]*\))?,\s*)*[\w.]*$', ahead
        ):
            how = 'attribute'
        if arguments or how != 'call' or kind != 'call':
            return Call(how, types, arguments[0] if arguments else None)
    return None


def type_parameters(head: str, name: str) -> int:
    """How many type parameters the definition of `name` has that begins with `head`."""
    found = re.search(rf'(?<!\w){re.escape(name)}(?!\w)\s*(<)?', head)
    read = _list(head, found.end(), '>') if found and found.group(1) else None
    return read[0] if read else 0


def parameters(head: str, name: str) -> range | None:
    """How many arguments a method or constructor takes; None for a property, or what can't be read.

    An extension method can be called with one argument less.
    """
    found = re.search(rf'(?<!\w){re.escape(name)}\s*(?=[<(])', head)
    if found is None or '{' in head[: found.start()] or '=>' in head[: found.start()]:
        return None
    at = found.end()
    if head[at] == '<':
        types = _list(head, at + 1, '>')
        if types is None:
            return None
        at = types[1]
    opened = re.compile(r'\s*\(').match(head, at)
    read = _list(head, opened.end(), ')') if opened else None
    if opened is None or read is None:
        return None
    inside = head[opened.end() : read[1]]
    most = MANY if re.search(r'(?:^|,)\s*(?:\[[^\]]*\]\s*)?params\s', inside) else read[0]
    least = read[0] - read[2] - (most == MANY) - bool(re.match(r'\s*(?:\[[^\]]*\]\s*)?this\s', inside))
    return range(least, most + 1)


def _list(text: str, start: int, closing: str) -> tuple[int, int, int] | None:
    """(parts of a list up to `closing`, where that ends, parts with a default); None if it never closes."""
    depth, count, defaults, empty = 0, 0, 0, True
    for part in _PARTS.finditer(text, start, start + LONGEST):
        mark = part.group()
        if mark.startswith(('//', '/*')):
            continue
        if mark == closing and depth == 0:
            return count + (not empty), part.end(), defaults
        if mark in _CLOSES:
            depth -= 1
            if depth < 0:
                return None
        elif mark in _OPENS:
            depth += 1
        elif depth == 0 and mark == ',':
            count += 1
            empty = False
        elif depth == 0 and mark == '=':
            defaults += 1
        empty = empty and mark == ','
    return None
