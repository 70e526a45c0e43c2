"""The text of types and blocks of Rust taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TITLE = re.compile(r'(?:^|\.)((?:unsafe )?impl\b[\s<!].*)', re.S)
_FOR = re.compile(r'\bfor\b(?!\s*<)')  # `for<'a>` is part of a type
_CLAUSE = re.compile(r'[{;=]|\n\s*\w+\s*:')
_USE = re.compile(r'^[ \t]*(?:pub(?:\s*\([^)\n]*\))?\s+)?use\s+(?:::)?', re.M)
_TUPLE = re.compile(r'\bstruct\s+\w+(?:<[^(]*>)?\s*\((.*)\)', re.S)
_PUBLIC = re.compile(r'^\s*pub(?:\s*\([^)]*\))?\s+')
LONGEST = 400  # text of one type
LONGEST_TUPLE = 4_000


def title_in(symbol: str) -> str:
    """`impl<T> Display for Foo<T>` of a symbol, which can name modules before it; '' for another."""
    found = _TITLE.search(symbol)
    return found.group(1) if found else ''


def is_of_trait(title: str) -> bool:
    """Whether a block is an `impl Trait for Type`."""
    return _FOR.search(title) is not None


def subject(title: str) -> str:
    """`Foo<T>` of `impl<T> Display for Foo<T>`."""
    rest = title.partition('impl')[2]
    if rest.startswith('<'):
        rest = after(rest, ' ')
    return _FOR.split(rest, maxsplit=1)[-1].strip()


def split(text: str) -> list[str]:
    """The parts of a list of types, which commas part; it ends where a bracket is closed that it did not open."""
    parts, depth, start = list[str](), 0, 0
    for at, mark in enumerate(text):
        arrow = mark == '>' and text[at - 1] == '-'
        if mark in ')]}' or mark == '>' and not arrow:
            depth -= 1
            if depth < 0:
                return [*parts, text[start:at]]
        depth += mark in '([{<'
        if mark == ',' and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def after(text: str, mark: str) -> str:
    """What stands after the first mark outside of brackets; '' if there is none."""
    depth = 0
    for at, one in enumerate(text):
        if depth == 0 and text.startswith(mark, at):
            return text[at + len(mark) :]
        depth += (one in '([{<') - (one in ')]}' or one == '>' and text[at - 1] not in '-=')
    return ''


def first(text: str) -> str:
    """The first of some types that is no lifetime."""
    return next((one.strip() for one in split(text) if one.strip()[:1] != "'"), '')


def said_after(text: str, at: int) -> str:
    """The type that is spelled out from a place on, such as after the name of a field."""
    return first(_CLAUSE.split(text[at : at + LONGEST], maxsplit=1)[0])


def tuple_fields(text: str) -> list[str]:
    """The types in `struct Point(pub i32, i32)`; [] of another definition."""
    found = _TUPLE.search(text[:LONGEST_TUPLE])
    return [_PUBLIC.sub('', one) for one in split(found.group(1))] if found else []


def uses_in(text: str) -> Iterator[tuple[int, str]]:
    """(where it begins, what it names) of each `use` in a text."""
    at = 0
    while found := _USE.search(text, at):
        end = text.find(';', found.end())
        if end < 0:  # nor does a later one end; a pattern would look for each
            return
        yield found.end(), text[found.end() : end]
        at = end + 1
