"""Slice code into chunks: one parse, one run of the language's query, one sweep over what it captured.

Nothing here walks the tree: captures carry byte ranges, and nesting follows from the ranges. That keeps the work in
Python proportional to definitions and uses, and deep trees need no stack.
"""

from __future__ import annotations

from bisect import bisect_right

from ctxkit.slicing import comments, remainder
from ctxkit.slicing.captures import capture
from ctxkit.slicing.chunk import FUNCTIONS, Chunk, line_ends
from ctxkit.slicing.definition import Captured, Definition, Uses, assign_types
from ctxkit.slicing.languages import Grammar, grammar
from ctxkit.slicing.references import references

# Lines from which on a function inside a function is a chunk of its own: a single line says nothing without the
# function around it. Its text also stays in the outer function's, which would be torn apart without it.
NESTED_LINES = 2
# Characters that may stand between a signature and its body.
_OPENS = b' \t\r\n:{=,'


def slice_code(language: str, source: bytes) -> tuple[list[Chunk], int]:
    """(the chunks of a file in `language`, the number of syntax errors). Raises Unparsable."""
    rules = grammar(language)
    found = capture(rules, source)
    definitions, taken = _nested(found, source, rules)
    groups = remainder.pieces(source, remainder.left_over(source, 0, len(source), taken))
    loose: list[Uses] = [{} for _ in groups]
    starts = [group[0][0] for group in groups]
    _assign(found, definitions, starts, loose, source)
    assign_types(found.variables, definitions)
    lines = line_ends(source)
    chunks = [
        _chunk(one, source, lines, rules, -1 if one.parent < 0 else one.parent + bisect_right(starts, one.outer))
        for one in definitions
    ]
    for group, uses in zip(groups, loose, strict=True):
        chunks.append(_module(group, uses, source, lines, rules))
    chunks.sort(key=_place)
    return chunks, found.errors


def _place(chunk: Chunk) -> tuple[int, int]:
    return chunk.start_byte, -chunk.end_byte


def _nested(found: Captured, source: bytes, rules: Grammar) -> tuple[list[Definition], list[tuple[int, int]]]:
    """(the definitions that become chunks, with parent, symbol and doc set; the ranges of those at top level)."""
    kept: list[Definition] = []
    top: list[tuple[int, int]] = []
    stack: list[Definition] = []
    positions: dict[int, int] = {}
    for one in found.definitions:
        while stack and (stack[-1].end <= one.start or stack[-1].is_beside(one)):
            stack.pop()
        if rules.name == 'scala':
            one.end = comments.before_trailing(source, one.start, one.end)
        if stack and one.end > stack[-1].end:
            one.end = stack[-1].end  # broken code and rescued functions can overlap: chunks only ever nest
        outer = None
        for above in reversed(stack):
            if above.kind != 'scope':
                outer = above
                break
        if outer is not None and _is_same(outer, one):
            continue
        unnamed = bool(stack) and stack[-1].kind == 'scope' and not stack[-1].name
        if outer is not None and outer.kind in FUNCTIONS and one.kind == 'function' and not unnamed:
            if source.count(b'\n', one.start, one.end) + 1 < NESTED_LINES:
                continue
        if unnamed and one.kind == 'function':
            one.kind = 'method'
        near = stack[-1] if stack else None
        _name(one, near, outer)
        stack.append(one)
        if one.kind == 'scope':
            continue
        _document(one, source, found, rules)
        extent = (one.lead, one.end)
        if outer is None:
            top.append(extent)
        else:
            one.parent = positions[id(outer)]
            one.outer = outer.start
            if not one.declared and extent not in outer.taken[-1:]:
                outer.taken.append(extent)
        positions[id(one)] = len(kept)
        kept.append(one)
    return kept, top


def _is_same(outer: Definition, one: Definition) -> bool:
    """Whether both are the same definition: `exports.f = function f() {}`, `const C = class C {}`."""
    functions = outer.kind in FUNCTIONS and one.kind in FUNCTIONS
    return outer.body == one.body < one.end and (functions or outer.name == one.name)


def _name(one: Definition, near: Definition | None, outer: Definition | None) -> None:
    """Set kind and symbol of a definition; `near` is the definition or scope around it, `outer` the definition."""
    if one.kind == 'function' and (one.owner or (outer is not None and outer.kind == 'class')):
        one.kind = 'method'
    before = near.symbol if near is not None else ''
    if near is not None and near.title and near.owner:
        before = near.owner
    if one.title or not one.owner:
        last = one.title or one.name
        one.symbol = f'{before}.{last}' if before and last else before or last
    else:
        one.symbol = '.'.join([part for part in (before, one.owner, one.name) if part])


def _document(one: Definition, source: bytes, found: Captured, rules: Grammar) -> None:
    """Set the doc of a definition, and extend it to the attributes above it."""
    if rules.docstrings and one.body < one.end:
        one.doc = comments.opening_string(source, one.body)
    at = one.start
    while found.attributes or found.docs:
        before = _rstrip(source, at)
        if before in found.attributes:
            at = one.start = found.attributes[before]
        elif before in found.docs:
            at = found.docs[before]
            one.doc = (at, before)
        else:
            break
    one.lead = min(one.start, one.doc[0]) if one.doc[1] else one.start
    comment = comments.above(source, one.start, rules.comment)
    if comment[1]:
        one.lead = min(one.lead, comment[0])
        if not one.doc[1]:
            one.doc = comment


def _rstrip(source: bytes, end: int) -> int:
    while end and source[end - 1] in b' \t\r\n':
        end -= 1
    return end


def _assign(
    found: Captured,
    definitions: list[Definition],
    starts: list[int],
    loose: list[Uses],
    source: bytes,
) -> None:
    """Assign each use to the innermost definition around it, or to the piece of the module where it stands."""
    named = {one.name_start for one in found.definitions if one.kind != 'scope'}
    stack: list[Definition] = []
    at, count = 0, len(definitions)
    covered = -1
    # Up to the byte `change` the innermost definition stays the same, so that most uses take the short way.
    change = 0
    uses: Uses = {}
    for start, end, kind, parts in found.uses:
        if start >= change:
            while at < count and definitions[at].start <= start:
                stack.append(definitions[at])
                at += 1
            while stack and stack[-1].end <= start:
                stack.pop()
            stack = [one for one in stack if one.end > start]
            if stack:
                uses = stack[-1].uses
                change = min(stack[-1].end, definitions[at].start) if at < count else stack[-1].end
            else:
                piece = bisect_right(starts, start)
                uses = loose[max(0, piece - 1)] if loose else {}
                change = min(
                    definitions[at].start if at < count else len(source),
                    starts[piece] if piece < len(starts) else len(source),
                )
        if start in named and kind != 'import':  # a definition's own name: `export default function f() {}`
            continue
        if kind == 'type':
            if end <= covered:
                continue
            covered = end
        uses.setdefault((kind, parts or source[start:end]), start)


def _chunk(one: Definition, source: bytes, lines: list[int], rules: Grammar, parent: int) -> Chunk:
    spans: tuple[tuple[int, int], ...] = ()
    if one.kind == 'class' and one.taken:
        spans = tuple(remainder.left_over(source, one.start, one.end, one.taken))
    return Chunk(
        one.kind,
        one.symbol,
        one.name,
        bisect_right(lines, one.name_start) + 1,
        bisect_right(lines, one.start) + 1,
        bisect_right(lines, one.end - 1) + 1,
        one.start,
        one.end,
        one.node_start,
        _signature_end(one, source),
        one.doc[0],
        one.doc[1],
        parent,
        spans,
        references(one.uses, lines, rules, one.types),
    )


def _signature_end(one: Definition, source: bytes) -> int:
    """Where the signature ends: before the body, the characters that open it, and comments in between."""
    if one.body >= one.end:
        end = source.find(b'\n', one.name_start, one.end)
        return _rstrip(source, end if end > 0 else one.end)
    end = one.body
    text = source[one.node_start : end]
    if b'#' in text or b'//' in text:
        rows = text.split(b'\n')
        while len(rows) > 1 and rows[-1].lstrip()[:1] in (b'#', b'/', b''):
            end -= len(rows.pop()) + 1
        mark = max(rows[-1].rfind(b'  #'), rows[-1].rfind(b' //'))
        if mark > 0:
            end -= len(rows[-1]) - mark
    text = source[one.node_start : end].rstrip(_OPENS)
    while text.endswith(b'=>'):  # an arrow function's; a bracket alone closes a type: `-> Option<T>`
        text = text[:-2].rstrip(_OPENS)
    return one.node_start + len(text)


def _module(group: list[tuple[int, int]], uses: Uses, source: bytes, lines: list[int], rules: Grammar) -> Chunk:
    start, end = group[0][0], group[-1][1]
    first = bisect_right(lines, start) + 1
    doc = comments.opening_string(source, start) if rules.docstrings and not source[:start].strip() else (0, 0)
    return Chunk(
        'module',
        '',
        '',
        first,
        first,
        bisect_right(lines, end - 1) + 1,
        start,
        end,
        0,
        0,
        doc[0],
        doc[1],
        -1,
        tuple(group) if len(group) > 1 else (),
        references(uses, lines, rules),
    )
