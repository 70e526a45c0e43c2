"""A chunk's own text and its signature, as they are shown."""

from __future__ import annotations

import re

from ctxkit.index.record import Place
from ctxkit.safety.secrets import redact, redact_part
from ctxkit.slicing.chunk import Chunk

MAX_SIGNATURE = 1000
HEAD = 80  # characters of a first line that are shown
_SAYS = re.compile(rb'[^\W_]')  # more than brackets


def code_of(place: Place | Chunk, source: bytes) -> str:
    """The chunk's own text, without the comments above it. Left-out definitions are named by their lines."""
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
    """`code_of` without secrets. A window of plain text can have cut one, so its surroundings are looked at too."""
    if place.kind == 'text':
        return '\n'.join(redact_part(source, start, end, known) for start, end in place.ranges).strip('\n')
    return redact(code_of(place, source), known)


def signature_of(place: Place, source: bytes) -> str:
    """The signature on one line, at most 1,000 characters of it; '' for kinds without one."""
    return one_line(source[place.sig_start : place.sig_end].decode('utf-8', 'replace'))


def one_line(signature: str) -> str:
    """White space collapsed; a signature of hundreds of parameters loses its end."""
    text = ' '.join(signature.split())
    return text if len(text) <= MAX_SIGNATURE else f'{text[:MAX_SIGNATURE]}…'


def first_line(text: str) -> str:
    """The first line of a text that says something, cut: it is shown in the place of a name."""
    lines = (line.strip() for line in text.split('\n'))
    return next((line[:HEAD] for line in lines if sum(map(str.isalnum, line)) > 2), '')


def _lines(source: bytes, start: int, end: int) -> str:
    """The range with the indent of its first line, so that the shape of the code is kept."""
    line = source.rfind(b'\n', 0, start) + 1
    if source[line:start].strip() == b'':
        start = line
    return source[start:end].decode('utf-8', 'replace').rstrip()
