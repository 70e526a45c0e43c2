"""Slice Markdown and reStructuredText by headings, any other text into windows of paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from ctxkit.slicing.chunk import Chunk
from ctxkit.slicing.remainder import trimmed

# Bytes in a window of plain text. A long file gets larger windows, never more than MOST, so that a lock file of a
# megabyte does not outweigh the code.
WINDOW = 1_500
# Bytes above which a section is cut: far longer than the answer to one question, like a changelog under one heading.
SECTION = 6_000
MOST = 64

_GAP = re.compile(rb'\n(?:[ \t\r]*\n){3,}')
# Where a definition or the like begins: after a blank line, a line without indent that is not just a closing bracket.
_TOP = re.compile(rb'\n[ \t\r]*\n(?=[^\s})\]])')
_FENCE = re.compile(rb' {0,3}(`{3,}|~{3,})(.*)')
_ATX = re.compile(rb' {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?\Z')
_SETEXT = re.compile(rb' {0,3}(=+|-+)[ \t]*\r?\Z')
_NOT_TITLE = re.compile(rb' {0,3}(?:[-*+>|]|\d+[.)])(?:\s|\Z)|(?: {4}|\t)| {0,3}\|')
_RST_RULE = re.compile(rb'([!-/:-@[-`{-~])\1+[ \t]*\r?\Z')

_LINK = r'\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])'  # [text](target), [text][name]

# A heading: level, title, the byte where it starts, the line of its title (0-based).
_Heading = tuple[int, str, int, int]


def slice_prose(language: str, source: bytes) -> list[Chunk]:
    """The chunks of a text: sections (kind 'section') for 'markdown' and 'rst', else windows (kind 'text')."""
    chunks = _slice(language, source)
    return [_without_gaps(chunk, source) for chunk in chunks] if _GAP.search(source) else chunks


def _without_gaps(chunk: Chunk, source: bytes) -> Chunk:
    """The chunk without runs of blank lines, such as the outputs of a notebook leave."""
    spans, at = [], chunk.start_byte
    for gap in _GAP.finditer(source, chunk.start_byte, chunk.end_byte):
        spans.append((at, gap.start()))
        at = gap.end()
    return chunk._replace(spans=(*spans, (at, chunk.end_byte))) if spans else chunk


def _slice(language: str, source: bytes) -> list[Chunk]:
    """The sections of a text with headings, their symbols like `Guide > Install`; else its windows."""
    rows = source.split(b'\n')
    ends = list(accumulate(len(row) + 1 for row in rows))
    find = {'markdown': _markdown_headings, 'rst': _rst_headings}.get(language)
    headings = find(rows, ends) if find else []
    if not headings:
        return [text_window(ends, start, end) for start, end in windows(source, 0, len(source))]
    chunks: list[Chunk] = []
    if source[: headings[0][2]].strip(b' \t\r\n\xef\xbb\xbf'):
        for start, end in windows(source, 0, headings[0][2]):
            chunks.append(text_window(ends, start, end))
    enclosing: list[tuple[int, str, int]] = []
    for at, (level, title, start, row) in enumerate(headings):
        stop = headings[at + 1][2] if at + 1 < len(headings) else len(source)
        while enclosing and enclosing[-1][0] >= level:
            enclosing.pop()
        parent = enclosing[-1][2] if enclosing else -1
        enclosing.append((level, title, len(chunks)))
        symbol = ' > '.join(name for _, name, _ in enclosing if name)
        for part, (first, last) in enumerate(windows(source, start, stop, SECTION)):
            line = bisect_right(ends, first) + 1
            sig = (first, max(first, min(last, ends[row] - 1))) if part == 0 else (0, 0)
            chunks.append(
                Chunk(
                    'section',
                    symbol,
                    title,
                    max(row + 1, line),
                    line,
                    bisect_right(ends, last - 1) + 1,
                    first,
                    last,
                    *sig,
                    0,
                    0,
                    parent,
                    (),
                    (),
                )
            )
    return chunks


def windows(source: bytes, start: int, end: int, size: int = WINDOW) -> list[tuple[int, int]]:
    """[start, end) cut into at most MOST windows without blank ends, at best at a blank line or a line end."""
    size = max(size, -(-(end - start) // MOST) + 256)
    found = []
    while start < end:
        stop = min(end, start + size)
        if stop < end:
            stop = _cut(source, start, stop, end, size)
        span = trimmed(source, start, stop)
        if span[0] < span[1]:
            found.append(span)
        start = stop
    return found


def _cut(source: bytes, start: int, stop: int, end: int, size: int) -> int:
    """The best place to cut a window after a third of its size, never inside a UTF-8 character.

    The last start of a definition within the window; else the first one, or the end, within WINDOW bytes after it; else
    a blank line or line end.
    """
    tops = [found.end() for found in _TOP.finditer(source, start + size // 3, min(stop + WINDOW, end))]
    if end <= stop + WINDOW:
        tops.append(end)
    if tops:
        return max([top for top in tops if top <= stop], default=tops[0])
    for mark in (b'\n\n', b'\n\r\n', b'\n'):
        cut = source.rfind(mark, start + size // 3, stop)
        if cut >= 0:
            return cut + len(mark)
    while stop > start + 1 and source[stop] & 0xC0 == 0x80:
        stop -= 1
    return stop


def text_window(ends: list[int], start: int, end: int) -> Chunk:
    """The chunk of the window [start, end); `ends` are the positions after each line."""
    first = bisect_right(ends, start) + 1
    return Chunk('text', '', '', first, first, bisect_right(ends, end - 1) + 1, start, end, 0, 0, 0, 0, -1, (), ())


def _markdown_headings(rows: list[bytes], ends: list[int]) -> list[_Heading]:
    """ATX and setext headings outside fenced code, front matter, HTML comments and lists."""
    found: list[_Heading] = []
    fence = b''
    comment = False
    skip = _front_matter(rows)
    for at, row in enumerate(rows):
        if at < skip:
            continue
        if comment:
            comment = b'-->' not in row
            continue
        mark = _FENCE.match(row)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = b''
            continue
        if mark and not (mark.group(1)[:1] == b'`' and b'`' in mark.group(2)):
            fence = mark.group(1)
            continue
        if row.lstrip().startswith(b'<!--') and b'-->' not in row:
            comment = True
            continue
        start = ends[at] - len(row) - 1
        title = _ATX.match(row)
        if title:
            found.append((len(title.group(1)), _title(title.group(2) or b''), start, at))
            continue
        under = _SETEXT.match(row)
        if under and at > skip and rows[at - 1].strip() and not _NOT_TITLE.match(rows[at - 1]):
            if not _ATX.match(rows[at - 1]) and not _FENCE.match(rows[at - 1]):
                level = 1 if under.group(1)[:1] == b'=' else 2
                found.append((level, _title(rows[at - 1]), ends[at - 1] - len(rows[at - 1]) - 1, at - 1))
    return found


def _front_matter(rows: list[bytes]) -> int:
    """The number of rows of a `---` block at the top."""
    if rows[0].strip(b'\xef\xbb\xbf \t\r') == b'---':
        for at, row in enumerate(rows[1:200], 1):
            if row.rstrip() in (b'---', b'...'):
                return at + 1
    return 0


def _rst_headings(rows: list[bytes], ends: list[int]) -> list[_Heading]:
    """Titles with an underline, perhaps an overline, too; styles get their levels in the order of first appearance."""
    found: list[_Heading] = []
    styles: list[tuple[bytes, bool]] = []
    for at in range(1, len(rows)):
        rule, title = rows[at].rstrip(), rows[at - 1].rstrip()
        if not _RST_RULE.match(rows[at]) or not title or title[:1].isspace() and at < 2 or _RST_RULE.match(title):
            continue
        over = at > 1 and rows[at - 2].rstrip() == rule
        if len(rule) < min(len(title.decode('utf-8', 'replace').strip()), 4) or (title[:1].isspace() and not over):
            continue
        before = at - 3 if over else at - 2
        if before >= 0 and rows[before].strip():
            continue
        style = (rule[:1], over)
        if style not in styles:
            styles.append(style)
        first = at - 2 if over else at - 1
        found.append((styles.index(style) + 1, _title(title), ends[first] - len(rows[first]) - 1, at - 1))
    return found


def _title(row: bytes) -> str:
    """The heading's text without badges, link targets, tags and marks; a picture's name if it is only a picture."""
    text = row.decode('utf-8', 'replace').strip()
    for picture in ('', r'\1'):
        shown = re.sub(rf'!{_LINK}', picture, text)
        shown = re.sub(_LINK, r'\1', shown)
        shown = ' '.join(re.sub(r'<[^<>]{1,200}>|[*`]', '', shown).split())
        if shown:
            return shown
    return ''
