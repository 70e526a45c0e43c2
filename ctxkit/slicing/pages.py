"""Slice components of web pages (Vue, Svelte): their scripts as code, the rest as text."""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxkit.slicing.chunk import Chunk, line_ends
from ctxkit.slicing.code import slice_code
from ctxkit.slicing.prose import text_window, windows

_OPEN = re.compile(rb'<script\b((?:"[^"]*"|\'[^\']*\'|[^>"\'])*)>', re.I)
_CLOSE = re.compile(rb'</script\s*>', re.I)
# A component has one script or two. A crafted file could have thousands, and each would be searched to the file's end.
_MOST_SCRIPTS = 10
_LONGEST_TAG = 1_000
_LANGUAGE = re.compile(rb'\blang\s*=\s*["\']?(\w+)')
_LANGUAGES = {b'ts': 'typescript', b'typescript': 'typescript', b'tsx': 'tsx', b'jsx': 'tsx'}


def slice_page(source: bytes) -> tuple[list[Chunk], int]:
    """(the chunks of a component, the number of syntax errors in its scripts). Raises Unparsable."""
    scripts = _scripts(source)
    code: list[Chunk] = []
    text: list[tuple[int, int]] = []
    errors = at = 0
    for script in scripts:
        text += windows(source, at, script.tag)
        at = script.after
    text += windows(source, at, len(source))
    if scripts:
        code, errors = slice_code(scripts[0].language, _only(source, [(one.start, one.end) for one in scripts]))
    ends = line_ends(source)
    return _merged(code, [text_window(ends, *span) for span in text]), errors


class _Script(NamedTuple):
    """A script: its content is [start, end), with its tags it is [tag, after)."""

    tag: int
    start: int
    end: int
    after: int
    language: str


def _scripts(source: bytes) -> list[_Script]:
    found: list[_Script] = []
    at = 0
    for _ in range(_MOST_SCRIPTS):
        tag = source.find(b'<script', at)
        opened = _OPEN.match(source, tag, tag + _LONGEST_TAG) if tag >= 0 else None
        closed = _CLOSE.search(source, opened.end()) if opened else None
        if tag < 0 or (opened and not closed):
            break
        at = closed.end() if closed else tag + 1
        if opened and closed and source[opened.end() : closed.start()].strip():
            declared = _LANGUAGE.search(opened.group(1))
            language = _LANGUAGES.get(declared.group(1).lower() if declared else b'', 'javascript')
            found.append(_Script(tag, opened.end(), closed.start(), closed.end(), language))
    return found


def _only(source: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The source with everything outside `spans` blanked, so that what is in them keeps its place."""
    out, at = [], 0
    for start, end in spans:
        out += [re.sub(rb'[^\n]', b' ', source[at:start]), source[start:end]]
        at = end
    return b''.join([*out, re.sub(rb'[^\n]', b' ', source[at:])])


def _merged(code: list[Chunk], rest: list[Chunk]) -> list[Chunk]:
    """Both lists in the order of their start, with `parent` adjusted to the new indexes."""
    both = [*code, *rest]
    order = sorted(range(len(both)), key=lambda number: both[number].start_byte)
    new_index = {number: at for at, number in enumerate(order)}
    return [both[number]._replace(parent=new_index.get(both[number].parent, -1)) for number in order]
