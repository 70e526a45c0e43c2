"""Blank the `#if` lines of C#, which its grammar knows only between whole declarations and statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CONDITION = re.compile(rb'^[ \t]*#[ \t]*(if|elif|else|endif)\b[^\r\n]*', re.M)
# What can contain brackets that are none: comments and other directives, which say nothing, and (grouped) strings.
_SILENT = re.compile(
    rb'//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*#[^\n]*'
    rb'|("""[^"].*?(?:"""|\Z)|(?:@\$?|\$@)"(?:[^"]|"")*(?:"|\Z)|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')',
    re.M | re.S,
)
_MOST_NESTED = 50
_LONGEST_COMMENT = 4_000  # bytes before a condition that are searched for code


class _Line(NamedTuple):
    """A directive: the word after `#`, and the range of its line without the line break."""

    word: bytes
    start: int
    end: int


def without_conditions(source: bytes) -> bytes:
    """`source` with `#if`, `#else` and `#endif` lines blanked; all other text keeps its place.

    Of a condition that begins or ends within a declaration, only the longest branch stays: `void F() => 1; => 2;`,
    which is what both would leave, could not be read.
    """
    text = bytearray(source)
    code = b''
    for lines in _conditions(source):
        for line in lines:
            text[line.start : line.end] = b' ' * (line.end - line.start)
        branches = [(one.end, other.start) for one, other in zip(lines, lines[1:], strict=False)]
        if len(branches) > 1:
            code = code or _SILENT.sub(_neutral, source)
            if not _are_whole(code, lines[0].start, branches):
                branches.remove(max(branches, key=lambda one: one[1] - one[0]))
                for start, end in branches:
                    text[start:end] = re.sub(rb'[^\r\n]', b' ', source[start:end])
    return bytes(text)


def _conditions(source: bytes) -> Iterator[list[_Line]]:
    """The directives of each condition, from its `#if` to its `#endif`, inner conditions first."""
    open_: list[list[_Line]] = []
    for found in _CONDITION.finditer(source):
        line = _Line(found[1], found.start(), found.end())
        if line.word == b'if':
            open_.append([line])
        elif open_:
            open_[-1].append(line)
            if line.word == b'endif':
                closed = open_.pop()
                if len(open_) < _MOST_NESTED:
                    yield closed


def _neutral(silent: re.Match[bytes]) -> bytes:
    return (b' ' if silent[1] is None else b'_') * len(silent[0])


def _are_whole(code: bytes, start: int, branches: list[tuple[int, int]]) -> bool:
    """Whether the condition at `start` stands between declarations or statements, and so does each of its branches."""
    if code[max(0, start - _LONGEST_COMMENT) : start].rstrip()[-1:] not in (b'', b';', b'{', b'}'):
        return False
    for one in (code[first:last].strip() for first, last in branches):
        if one[-1:] not in (b'', b';', b'}') or one.count(b'{') != one.count(b'}'):
            return False
    return True
