"""What a function of PHP says of its variables: what is bound to them, and which class it has asked them for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.units.php_text import closing, parameters, said_in, type_at

_FUNCTION = re.compile(r'\b(?:function|fn)\b[\s&]{0,40}\w*\s{0,40}(?=\()')
_BOUND = re.compile(
    r'(?<!::)(?<!->)\$(?P<assigned>\w+)\s*\??\??=(?![=>])\s*'
    r'|\bforeach\s*\((?P<of>[^;{}]{1,200}?)\s{1,40}as\s+(?:&?\$(?P<key>\w+)\s*=>\s*)?&?\$(?P<each>\w+)'
    r'|\bcatch\s*\((?P<caught>[^$()]{1,200})\$(?P<error>\w+)'
    r'|(?:\blist\s*\(|\[)(?P<several>[^;=\[\](){}]{1,200})[\])]\s*=(?![=>])'
    r'|\b(?:global|static)\s+\$(?P<shared>\w+)'
    r'|@var\s+(?=[^\s*$]{1,200}[^$*\n]{0,200}\$(?P<noted>\w+))'
)
_PRECEDING_VAR = re.compile(r'/\*\*\s*@var\s+((?:(?!\*/).){1,200})\*/\s*(?:return\s+)?$', re.S)
_CHECKED = re.compile(
    r'(?P<not>!\s*\(?\s*)?\$(?P<name>\w+)(?P<rest>(?:\??->\w+(?:\(\))?|\[[^\[\]]*\])*)'
    r'\s+instanceof\s+(?P<class>\\?\w[\w\\]*|\$)'
)
_LEAVES = re.compile(r'\s*(?:return|throw|continue|break|exit|die)\b')
_ASKS = re.compile(r'(?:\}\s*)?(?:if|elseif|else\s+if|while)\b')


class Binding(NamedTuple):
    """What gives a variable its value: the lines where that holds (`last` 0: to the end), how deep it is indented.

    `kind` is 'parameter' (`text` is what a comment and the code say, parted by NUL), 'type', 'value' (of what stands
    at `at`), 'or' (if it had none), 'each' (of what that holds) or '' for what is not known.
    """

    line: int
    last: int
    indent: int
    kind: str
    text: str
    at: int


class Check(NamedTuple):
    """A line where a value is asked for its class, and the lines in which the answer is that it is of that class."""

    line: int
    class_: str
    holds: tuple[tuple[int, int], ...]


def bindings(text: str, first: int, comment: str) -> dict[str, list[Binding]]:
    """What binds the variables of a function that begins in the line `first`, in the order of the lines."""
    rows = text.split('\n')
    breaks = [one.start() for one in re.finditer('\n', text)]
    out = dict[str, list[Binding]]()
    heads = list[tuple[int, int]]()

    def add(name: str | None, at: int, kind: str, said: str = '', value: int = 0, last: int = 0) -> None:
        if name:
            line = _line(breaks, at)
            one = Binding(first + line, last, indent(rows[line]), kind, said, value)
            out.setdefault(name, []).append(one)

    for one in _FUNCTION.finditer(text):
        end = closing(text, one.end())
        if end < 0:
            continue
        heads.append((one.end(), end))
        is_own = len(heads) == 1
        line = _line(breaks, one.start())
        last = 0 if is_own else first + _last_of(rows, _line(breaks, end), line)
        for type_, name in parameters(text[one.end() + 1 : end - 1]):
            said = said_in(comment, 'param', name) if is_own else ''
            add(name, one.start(), 'parameter', f'{said}\0{type_}', last=last)
    for one in _BOUND.finditer(text):
        at, group = one.start(), one.groupdict()
        before = bisect_right(heads, (at, len(text)))
        if before and at < heads[before - 1][1]:
            continue
        if group['assigned']:
            noted = _PRECEDING_VAR.search(text[max(0, at - 250) : at])
            if noted:
                add(group['assigned'], at, 'type', type_at(noted.group(1), 0))
            else:
                kind = 'or' if '?' in one.group() else 'value'
                add(group['assigned'], at, kind, value=one.end())
        add(group['key'], at, '')
        add(group['each'], at, 'each', value=one.start('of'))
        add(group['error'], at, 'type', (group['caught'] or '').strip())
        add(group['shared'], at, '')
        add(group['noted'], at, 'type', type_at(text, one.end()))
        for name in re.findall(r'\$(\w+)', group['several'] or ''):
            add(name, at, '')
    for name, many in out.items():
        many.sort(key=lambda one: one.line)
        typed = {one.line for one in many if one.kind == 'type'}  # a comment says more than the line below it
        out[name] = [one for one in many if one.kind in ('type', 'parameter') or one.line - 1 not in typed]
    return out


def checks(text: str, first: int) -> dict[str, list[Check]]:
    """Which values (`x`, `this->x`) a function that begins in the line `first` asks for their class, and where."""
    rows, out = text.split('\n'), dict[str, list[Check]]()
    for number, row in enumerate(rows):
        if 'instanceof' in row:
            for one in _CHECKED.finditer(row):
                holds = tuple((first + start, first + end) for start, end in _holds(rows, number, one))
                rest = re.sub(r'\[[^\]]*\]', '->[]', one.group('rest').replace('?', ''))
                class_ = one.group('class') if '[' not in rest else '$'  # which of a list is not told
                out.setdefault(one.group('name') + rest, []).append(Check(first + number, class_, holds))
    return out


def _holds(rows: Sequence[str], number: int, asked: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The rows in which what was asked is so: the block below, or what follows a block that leaves."""
    row, depth = rows[number], indent(rows[number])
    rest, ends = row[asked.end() :].lstrip(), ('||', ') ||') if asked.group('not') else ('&&', ') &&', '? ')
    if rest.startswith(ends):
        yield number, number
    if not rest and '||' not in row:
        end = next((at for at in range(number + 1, len(rows)) if not rows[at].lstrip().startswith(ends[0])), len(rows))
        yield number + 1, end - 1
    last = _last_of(rows, number, number) - 1
    if 'assert(' in row.replace(' ', '') and not asked.group('not') and '||' not in row:
        yield number + 1, _end_of_block(rows, number, depth)
    elif not _ASKS.match(row.lstrip()) or not row.rstrip().endswith('{'):
        return
    elif not asked.group('not') and '||' not in row:
        yield number + 1, last
    elif asked.group('not') and '&&' not in row and _LEAVES.match(_before(rows, number, last)):
        yield last + 2, _end_of_block(rows, last + 1, depth)


def _before(rows: Sequence[str], first: int, last: int) -> str:
    """The last statement of a block, as far as its first line goes."""
    inside = [row for row in rows[first + 1 : last + 1] if row.strip()]
    depth = indent(inside[0]) if inside else 0
    return next((row for row in reversed(inside) if indent(row) == depth and row.strip()[:1] not in ')]}'), '')


def indent(row: str) -> int:
    """How deep a line is indented."""
    return len(row) - len(row.lstrip())


def is_in_block(rows: Sequence[str], first: int, depth: int, last: int) -> bool:
    """Whether no line after the line `first`, up to `last`, is indented less than `depth`."""
    return all(indent(row) >= depth for row in rows[first:last] if row.strip())


def _line(breaks: Sequence[int], at: int) -> int:
    return bisect_right(breaks, at - 1) if at else 0


def _last_of(rows: Sequence[str], start: int, head: int) -> int:
    """The first row after `start` that is indented no deeper than the row `head`."""
    depth = indent(rows[head])
    return next((at for at in range(start + 1, len(rows)) if rows[at].strip() and indent(rows[at]) <= depth), len(rows))


def _end_of_block(rows: Sequence[str], start: int, depth: int) -> int:
    return next((at for at in range(start + 1, len(rows)) if rows[at].strip() and indent(rows[at]) < depth), len(rows))
