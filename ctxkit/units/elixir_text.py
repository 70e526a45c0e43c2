"""Count the arguments of functions and calls in the text of Elixir."""

from __future__ import annotations

import re

LONGEST = 8_000  # characters of arguments that are read

_PARTS = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|#[^\n]*|(?<!\w)\?\\?.|\bfn\b(?!:)|\bdo\b(?!:)|\bend\b(?!:)|'
    r'[\w@]+[?!]?:?|<<|>>|[(\[{)\]},]|\\\\|\S',
    re.S,
)
_DEFINES = re.compile(r'(?m)^[ \t]*(defp?|defmacrop?|defguardp?|defdelegate|defnp?)\b[ (]')
_BEFORE = 80  # characters before a name in which its receiver is looked for
_OPENS = frozenset(('(', '[', '{', '<<', 'fn', 'do'))
_CLOSES = frozenset((')', ']', '}', '>>', 'end'))


def is_private(text: str) -> bool:
    """Whether the text of a definition makes a function that only its own module can call."""
    found = _DEFINES.search(text)
    return found is not None and found.group(1) in ('defp', 'defmacrop', 'defguardp', 'defnp')


def accepts(text: str, name: str) -> range:
    """The numbers of arguments that a definition takes, by its text from `def` on; empty if that can't be read."""
    found = re.search(rf'\bdef\w*[ (]+(?:unquote\()?{re.escape(name)}(?![\w?!])', text)
    if found is None:
        return range(0)
    if text[found.end() : found.end() + 1] != '(':
        return range(1)
    read = _arguments(text, found.end() + 1)
    return range(0) if read is None else range(read[0] - read[1], read[0] + 1)


def given(text: str, name: str, receiver: str) -> tuple[int, ...]:
    """How many arguments the first call of `name` in a text gives, the likelier number first; () if that can't be read.

    Two numbers are possible where a block follows, which can be that of a `case` before the call. `receiver` is the
    last word before the dot, '' for a bare call.
    """
    for found in re.finditer(rf'{re.escape(name)}(?![\w?!]|:[^:])', text):
        before = re.search(r'([@:\w.]*)\Z', text[max(0, found.start() - _BEFORE) : found.start()])
        head = before.group(1) if before else ''
        if head.rpartition('.')[0].rpartition('.')[2] != receiver or head and not head.endswith('.'):
            continue
        at = found.end()
        if captured := re.match(r'/(\d+)', text[at : at + 4]):
            return (int(captured.group(1)),)
        ahead = text[: found.start() - len(head)]
        piped = ahead.rstrip().endswith('|>')
        if text[at : at + 1] != '(':
            if not piped and re.match(r'\s*[=,)}\]|.]', text[at : at + _BEFORE]):  # a variable of that name
                continue
            return (1,) if piped and re.match(r'[ \t]*(?:\n|\||$|#|\))', text[at : at + _BEFORE]) else ()
        read = _arguments(text, at + 1)
        if read is None:
            return ()
        count = read[0] + piped
        if not re.match(r'[ \t]*do\b(?!:)', text[read[2] : read[2] + _BEFORE]):
            return (count,)
        return (count, count + 1) if ahead.rpartition('\n')[2].strip() else (count + 1, count)
    return ()


def _arguments(text: str, start: int) -> tuple[int, int, int] | None:
    """(arguments up to the closing bracket, those with a default, where that bracket ends); None if it never closes.

    All keywords at the end (`a: 1, b: 2`) are one argument.
    """
    depth, count, defaults, empty, keywords = 0, 0, 0, True, False
    for part in _PARTS.finditer(text, start, start + LONGEST):
        mark = part.group()
        if mark[0] == '#':
            continue
        if mark in _CLOSES:
            if depth == 0:
                return (count + (not empty), defaults, part.end()) if mark == ')' else None
            depth -= 1
        elif mark in _OPENS:
            depth += 1
        elif depth == 0 and mark == ',':
            count += not keywords
        elif depth == 0 and mark == '\\\\':
            defaults += 1
        elif depth == 0 and len(mark) > 1 and mark[-1] == ':':
            keywords = True
        empty = False
    return None
