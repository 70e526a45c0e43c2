"""The sentences of a message that the person wrote themselves, without what they pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_TYPED_CHARS = 1200
MAX_TYPED_LINES = 12
MAX_PARAGRAPH_CHARS = 400
_FENCED = re.compile(r'^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)', re.MULTILINE | re.DOTALL)
# `- item`, `2. item`.
_BULLET = re.compile(r'\A\s*(?:[-*•]|\d{1,2}[.)])\s+')
# Headings, checkboxes, tables, bold labels: a document, not a message.
_DOCUMENT = re.compile(
    r'\s*(?:#{1,6} ?\S|[-*] \[[ xX]\]|\[[ xX]\]|\|.*\||\*\*[^*]+\*\*|={3,}|-{3,}|<[a-z]+|diff --git|@@ |\+\+\+ |--- )'
)
# Quoted or pasted lines and code: `> said`, `$ make`, `2026-11-30 10:12:13 INFO`, `x = 1`, `import os;`.
_NOT_PROSE = re.compile(
    r'[>|$<{}#]|\*\*|={3,}|\[[ xX]\]|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|Traceback)\b|at \S+\(|File "|'
    r'\d{4}-\d\d-\d\d[T ]\d\d:|\S+ = |(?:import|from|def|class|const|let|var|if|for|return) \S+.*[;:({]$'
)
_SPLIT = re.compile(r'(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!z\.B\.)\s+|(?<=[。！？])')
# A word that alone corrects: `No.`
_ABRUPT = re.compile(
    r'(?:no|nope|wrong|stop|sbagliato|fermo|нет|неверно|неправильно|стоп|nein|falsch|stopp|halt|mal|incorrecto|non'
    r'|faux|不对|不|错了)[.!。！]+',
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a message, without code, quotations, pasted output and documents.

    People type a few lines; longer text is mostly pasted (a specification, a log, another model's plan). Of such a
    message only a short first and a short last paragraph count as the person's.
    """
    fenced, carried = False, ''
    for line in _own_lines(text):
        stripped = line.strip()
        if stripped.startswith(('```', '~~~')):
            fenced = not fenced
        elif not fenced and stripped and not line.startswith(('    ', '\t')) and not _NOT_PROSE.match(stripped):
            line = _BULLET.sub('', stripped)
            for part in _SPLIT.split(line):
                part = carried + part.strip()
                carried = ''
                if _ABRUPT.fullmatch(part):
                    carried = part.rstrip('.!。！ ') + ', '  # "No." belongs to the sentence that follows
                elif len(part) > 5 or re.search('[\u3400-\u9fff]{4}', part):
                    yield part


def _own_lines(text: str) -> list[str]:
    text = _FENCED.sub('\n', text)
    lines = text.split('\n')
    full = [line for line in lines if line.strip()]
    document = sum(bool(_DOCUMENT.match(line)) for line in full)
    if len(text) <= MAX_TYPED_CHARS and len(full) <= MAX_TYPED_LINES and document < 2:
        return lines
    paragraphs = [part for part in re.split(r'\n\s*\n', text.strip()) if part.strip()]
    ends = paragraphs[:1] + (paragraphs[-1:] if len(paragraphs) > 1 else [])
    out: list[str] = []
    for part in ends:
        rows = part.split('\n')
        if (
            len(part) <= MAX_PARAGRAPH_CHARS
            and len(rows) <= 3
            and not any(_DOCUMENT.match(row) or _BULLET.match(row) or row.rstrip().endswith(':') for row in rows)
        ):
            out += [*rows, '']
    return out
