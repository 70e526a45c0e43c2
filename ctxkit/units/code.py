"""A chunk's own text and its signature, as they are shown to a reader."""

from __future__ import annotations

import re

from ctxkit.index.record import Place
from ctxkit.safety.secrets import redact, redact_part
from ctxkit.slicing.chunk import Chunk

MAX_SIGNATURE = 1000
HEAD = 80  # characters of a first line that are shown
_SAYS = re.compile(rb'[^\W_]')  # a letter or digit: more than brackets


def code_of(place: Place | Chunk, source: bytes) -> str:
    """The chunk's own text without the comments above it; definitions cut out of it leave `… 12 lines …`."""
    out: list[str] = []
    last = place.start_byte
    for start, end in (*place.ranges, (place.end_byte, place.end_byte)):
        gap = source.count(b'\n', last, start) - (start < end)
        if out and gap > 0 and _SAYS.search(source, last, start):
            out.append(f'… {gap} line{"s" if gap > 1 else ""} …')
        if start < end:
            out.append(_lines(source, start, end))
        last = end
    return '\n'.join(out).strip('\n')


def clean_code(place: Place | Chunk, source: bytes, known: frozenset[str] = frozenset()) -> str:
    """`code_of` with secrets redacted; `known` are secret values.

    The border of a window of plain text can cut a secret in two, so the text around it is searched, too.
    """
    if place.kind == 'text':
        return '\n'.join(redact_part(source, start, end, known) for start, end in place.ranges).strip('\n')
    return redact(code_of(place, source), known)


def signature_of(place: Place, source: bytes) -> str:
    """The signature on one line, at most MAX_SIGNATURE characters of it; '' for kinds without one."""
    return one_line(source[place.sig_start : place.sig_end].decode('utf-8', 'replace'))


def one_line(signature: str) -> str:
    """`signature` with white space collapsed, cut at MAX_SIGNATURE characters (some have hundreds of parameters)."""
    text = ' '.join(signature.split())
    return text if len(text) <= MAX_SIGNATURE else f'{text[:MAX_SIGNATURE]}…'


def first_line(text: str) -> str:
    """The first line with more than two letters or digits, cut at HEAD characters: shown in place of a name."""
    lines = (line.strip() for line in text.split('\n'))
    return next((line[:HEAD] for line in lines if sum(map(str.isalnum, line)) > 2), '')


def _lines(source: bytes, start: int, end: int) -> str:
    """The byte range as text, with the indent of its first line, so that the code keeps its shape."""
    line = source.rfind(b'\n', 0, start) + 1
    if source[line:start].strip() == b'':
        start = line
    return source[start:end].decode('utf-8', 'replace').rstrip()
