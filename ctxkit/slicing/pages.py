"""Components of web pages (Vue, Svelte): their scripts are code, the rest is text."""

from __future__ import annotations

import re

from ctxkit.slicing.chunk import Chunk
from ctxkit.slicing.code import line_ends, slice_code
from ctxkit.slicing.prose import text_window, windows

_SCRIPT = re.compile(rb'<script\b((?:"[^"]*"|\'[^\']*\'|[^>"\'])*)>(.*?)</script\s*>', re.S | re.I)
_LANGUAGE = re.compile(rb'\blang\s*=\s*["\']?(\w+)')
_LANGUAGES = {b'ts': 'typescript', b'typescript': 'typescript', b'tsx': 'tsx', b'jsx': 'tsx'}


def slice_page(source: bytes) -> tuple[list[Chunk], int]:
    """The chunks of a component and the number of syntax errors in its scripts; raises Unparsable."""
    scripts = [found for found in _SCRIPT.finditer(source) if found.group(2).strip()]
    code: list[Chunk] = []
    text: list[tuple[int, int]] = []
    errors = at = 0
    for script in scripts:
        text += windows(source, at, script.start())
        at = script.end()
    text += windows(source, at, len(source))
    if scripts:
        told = _LANGUAGE.search(scripts[0].group(1))
        language = _LANGUAGES.get(told.group(1).lower() if told else b'', 'javascript')
        code, errors = slice_code(language, _only(source, [script.span(2) for script in scripts]))
    ends = line_ends(source)
    return _merged(code, [text_window(ends, *span) for span in text]), errors


def _only(source: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The source with blanks for all that is outside the spans: what stands in them stays where it is."""
    out, at = [], 0
    for start, end in spans:
        out += [re.sub(rb'[^\n]', b' ', source[at:start]), source[start:end]]
        at = end
    return b''.join([*out, re.sub(rb'[^\n]', b' ', source[at:])])


def _merged(code: list[Chunk], rest: list[Chunk]) -> list[Chunk]:
    """Both in the order of their start; a chunk still knows the one around it."""
    both = [*code, *rest]
    order = sorted(range(len(both)), key=lambda number: both[number].start_byte)
    now = {number: at for at, number in enumerate(order)}
    return [both[number]._replace(parent=now.get(both[number].parent, -1)) for number in order]
