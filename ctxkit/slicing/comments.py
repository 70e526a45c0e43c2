"""Find the documentation of a definition: the comment directly above it, or the string that opens its body."""

from __future__ import annotations

_BLANK = b' \t\r\n\xef\xbb\xbf'
# (start, end) of block comments in languages whose line comments begin with the third.
_BLOCKS = ((b'/*', b'*/', b'//'), (b'--[', b']]', b'--'))


def above(source: bytes, start: int, marks: tuple[bytes, ...]) -> tuple[int, int]:
    """The comment that ends on the line before the one where `start` is, as a byte range; (0, 0) if there is none.

    `marks` begin a line comment. A block comment counts if it fills its lines. A blank line ends the search; with code
    before the definition on its own line, there is no comment.
    """
    line = source.rfind(b'\n', 0, start) + 1
    if source[line:start].strip(_BLANK):
        return 0, 0
    begin = end = 0
    while line:
        upper = source.rfind(b'\n', 0, line - 1) + 1
        text = source[upper:line].strip(_BLANK)
        if not text:
            break
        first = upper
        if not text.startswith(marks) or text.startswith(b'#!'):
            opening = next((start for start, end, mark in _BLOCKS if mark in marks and text.endswith(end)), None)
            opened = source.rfind(opening, 0, line) if opening else -1
            first = source.rfind(b'\n', 0, opened) + 1
            if opened < 0 or source[first:opened].strip(_BLANK):
                break
        end = end or upper + len(source[upper:line].rstrip(_BLANK))
        begin = line = first
    if not end:
        return 0, 0
    while source[begin] in _BLANK:
        begin += 1
    return begin, end


def opening_string(source: bytes, start: int) -> tuple[int, int]:
    """The Python string literal at `start`, as a byte range with its quotes; (0, 0) if none starts there."""
    at = start
    while source[at : at + 1] in (b'r', b'R', b'u', b'U', b'b', b'B') and at < start + 2:
        at += 1
    quote = source[at : at + 1]
    if quote not in (b'"', b"'"):
        return 0, 0
    if source[at : at + 3] == quote * 3:
        quote *= 3
    close = at + len(quote) - 1
    while True:
        close = source.find(quote, close + 1)
        if close < 0:
            return 0, 0
        slashes = close
        while source[slashes - 1] == 0x5C:
            slashes -= 1
        if (close - slashes) % 2 == 0:
            return start, close + len(quote)


def before_trailing(source: bytes, start: int, end: int) -> int:
    """Where a definition ends without the trailing comments that are indented no deeper than its first line.

    Scala's grammar extends a body that ends by its indent up to the next line of code, and so over the comment that
    documents the next definition.
    """
    column = _column(source, start)
    while True:
        end = start + len(source[start:end].rstrip(_BLANK))
        line = source.rfind(b'\n', start, end) + 1
        text = source[line:end].strip(_BLANK)
        if line and text.endswith(b'*/'):
            line = source.rfind(b'\n', start, source.rfind(b'/*', start, end)) + 1
            text = source[line:end].strip(_BLANK)
        if not line or not text.startswith((b'//', b'/*')) or _column(source, line) > column:
            return end
        end = line


def _column(source: bytes, at: int) -> int:
    """The indent of the line that the byte at `at` is in."""
    first = last = source.rfind(b'\n', 0, at) + 1
    while source[last : last + 1] in (b' ', b'\t'):
        last += 1
    return last - first
