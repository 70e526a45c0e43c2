"""Find the lines that a diff in a request touches, on both sides: the tree may be as it was before it or after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

MOST_HUNKS = 60
COMMON = 3  # lines; so few can occur in a file by chance, so they must stand where the diff says
# The header of a hunk: first line and number of lines, before and after.
HEAD = re.compile(r'@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@')
_ESCAPE = re.compile(r'(?:\\[0-7]{3})+|\\[^0-7]')
_ESCAPES = {'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}


class Side(NamedTuple):
    """What a hunk says about one version of a file: its `lines` from line `start` on, and the ranges that differ.

    If this side lacks what the other side has, the range is the line before.
    """

    path: str
    start: int
    lines: tuple[str, ...]
    touched: tuple[tuple[int, int], ...]

    def shift_in(self, source: bytes) -> int | None:
        """How many lines below `start` a file holds these lines (negative: above); None if it does not hold them."""
        file_lines = [line.rstrip() for line in source.decode('utf-8', 'replace').split('\n')]
        wanted = [line.rstrip() for line in self.lines]
        if not wanted or file_lines[self.start - 1 : self.start - 1 + len(wanted)] == wanted:
            return 0 if wanted else None
        if len(wanted) <= COMMON:
            return None
        text = '\n'.join(['', *file_lines, ''])
        at = text.find('\n'.join(['', *wanted, '']))
        return text.count('\n', 0, at) + 1 - self.start if at >= 0 else None


class Hunk(NamedTuple):
    """One hunk of a diff; a side without a file has the path ''."""

    old: Side
    new: Side


def hunks(text: str) -> list[Hunk]:
    """The first MOST_HUNKS hunks of the unified diffs in a text."""
    out: list[Hunk] = []
    lines = text.replace('\r\n', '\n').split('\n')
    old = new = ''
    at = 0
    while at < len(lines) and len(out) < MOST_HUNKS:
        line, at = lines[at], at + 1
        if line.startswith('--- '):
            old = file_named(line[4:], 'aciow')
        elif line.startswith('+++ '):
            new = file_named(line[4:], 'bciow')
        elif (found := HEAD.match(line)) and (old or new):
            first, removed, now_first, added = (int(one or 1) for one in found.groups())
            body = list(_body(islice(lines, at, None), removed, added))
            at += len(body)
            # for a side without lines, the header names the line before
            sides = _side(old, first + (not removed), body, '-'), _side(new, now_first + (not added), body, '+')
            out.append(Hunk(*sides))
    return out


def _body(lines: Iterable[str], removed: int, added: int) -> Iterator[str]:
    """The lines of a hunk, counted by its header, because one of them can look like a header."""
    for line in lines:
        if removed <= 0 and added <= 0 and not line.startswith('\\') or line[:1] not in (' ', '+', '-', '\\', ''):
            return
        removed -= line[:1] in (' ', '-', '')
        added -= line[:1] in (' ', '+', '')
        yield line


def _side(path: str, start: int, body: Sequence[str], mark: str) -> Side:
    lines: list[str] = []
    touched: list[tuple[int, int]] = []
    number = start
    own_lines = [line for line in body if not line.startswith('\\')]
    for differs, run in groupby(own_lines, lambda line: line[:1] in ('+', '-')):
        side_lines = [line[1:] for line in run if not differs or line[0] == mark]
        if differs:
            touched.append((number, number + len(side_lines) - 1) if side_lines else (number - 1, number - 1))
        lines += side_lines
        number += len(side_lines)
    return Side(path, start, tuple(lines), tuple(touched))


def file_named(shown: str, prefixes: str) -> str:
    """The path after `--- ` or `+++ ` in a diff, without a one-letter folder of `prefixes`; '' for /dev/null.

    git quotes a path that holds a quote, a backslash or a control character.
    """
    if shown.startswith('"'):
        shown = _ESCAPE.sub(_unescaped, shown[1:].rstrip().removesuffix('"'))
    else:
        shown = shown.partition('\t')[0].rstrip('\r')
    if shown == '/dev/null':
        return ''
    return shown[2:] if shown[1:2] == '/' and shown[0] in prefixes else shown


def _unescaped(found: re.Match[str]) -> str:
    text = found[0]
    if text[1].isdigit():
        return bytes(int(one, 8) & 0xFF for one in text[1:].split('\\')).decode('utf-8', 'surrogateescape')
    return _ESCAPES.get(text[1], text[1])
