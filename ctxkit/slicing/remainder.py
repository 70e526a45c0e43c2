"""Find what remains without the definitions: the fields of a class, the imports and constants of a module."""

from __future__ import annotations

import re
from collections.abc import Iterable

# A module's remainder is cut at line ends into pieces of about this many bytes, so that a search can still tell long
# tables of constants apart.
PIECE = 6_000
_BLANK = b' \t\r\n\x0c\xef\xbb\xbf'
_WORD = re.compile(rb'[^\x00-/:-@\[-`{-~]')
_CLOSERS = frozenset({b'end', b'fi', b'done', b'#endif'})

Span = tuple[int, int]


def left_over(source: bytes, start: int, end: int, taken: Iterable[Span]) -> list[Span]:
    """The ranges of [start, end) outside `taken` (sorted), without blank ends; those that only close are dropped."""
    spans = []
    at = start
    for begin, stop in (*taken, (end, end)):
        if begin > at:
            span = trimmed(source, at, begin)
            while at > start and source[span[0] : span[0] + 1] in (b',', b';'):  # separates it from what is taken
                span = trimmed(source, span[0] + 1, begin)
            if _WORD.search(source, *span) and source[span[0] : span[1]] not in _CLOSERS:
                spans.append(span)
        at = max(at, stop)
    return spans


def trimmed(source: bytes, start: int, end: int) -> Span:
    """The range without white space at its ends, the indent of its first line included."""
    text = source[start:end]
    kept = text.lstrip(_BLANK)
    return end - len(kept), start + len(text.rstrip(_BLANK))


def pieces(source: bytes, spans: list[Span]) -> list[list[Span]]:
    """The spans in order, grouped into pieces of about PIECE bytes; a longer span is cut at line ends."""
    groups: list[list[Span]] = []
    room = 0
    for start, end in spans:
        while start < end:
            stop = end
            if end - start > PIECE:
                cut = source.rfind(b'\n', start, start + PIECE) + 1
                if cut <= start:
                    cut = source.find(b'\n', start, end) + 1
                stop = cut if cut > start else end
            if not groups or room < stop - start:
                groups.append([])
                room = PIECE
            groups[-1].append((start, stop))
            room -= stop - start
            start = stop
    return groups
