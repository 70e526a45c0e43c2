"""What a function of PHP says of its variables: what is bound to them, and which class it has asked them for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.units.language_files import breaks_of
from ctxkit.units.php_text import LONGEST_TYPE, closing, parameters, said_in, type_at

_FUNCTION = re.compile(r'\b(?:function|fn)\b[\s&]{0,40}\w*\s{0,40}(?=\()')
_BOUND = re.compile(
    r'(?<!::)(?<!->)(?<!\$)\$(?P<assigned>\w+)\s*\??\??=(?![=>])\s*'
    r'|\bforeach\s*\((?P<of>[^;{}]{1,200}?)\s{1,40}as\s+(?:&?\$(?P<key>\w+)\s*=>\s*)?'
    r'(?:&?\$(?P<each>\w+)|(?:list\s*\(|\[)(?P<parts>[^;{}]{1,200}?)[\])]\s*\))'
    r'|\bcatch\s*\((?P<caught>[^$()]{1,200})\$(?P<error>\w+)'
    r'|(?:\blist\s*\(|(?<![\w\])}])\[)(?P<several>[^;{}]{1,200}?)[\])]\s*=(?![=>])'
    r'|\b(?:global|static)\s+(?P<shared>\$[^;{}]{1,200})'
    r'|@var\s+(?=[^\s*$]{1,200}[^$*\n]{0,200}\$(?P<noted>\w+))'
    r'|(?P<any>\bextract\s*\(|\$\$\w+\s*=(?![=>]))'
)
ANY = ''  # the name of what gives values to nobody knows which variables
# Comments, texts, and what is outside of PHP, each up to the end if it is not closed.
_NO_CODE = re.compile(
    r'\A\s*(?!<\?)<.*?(?:<\?(?:php|=)|\Z)|\?>.*?(?:<\?(?:php|=)|\Z)|//(?:(?!\?>)[^\n])*|#(?!\[)(?:(?!\?>)[^\n])*'
    r"|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|\\.|\\\Z)*(?:'|\Z)|"
    r'"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z)'
    r'|<<<[ \t]*(["\']?)(?P<end>[^\W\d]\w*)\1\r?\n.*?(?:^[ \t]*(?P=end)\b|\Z)',
    re.S | re.M,
)
# What stands in a line before what may not be done: `if ($b) $a = 1`, `$b && $a = 1`, `case 1: $a = 1`.
_MAY_BE = re.compile(r'[{:?]|&&|\|\||=>|\b(?:and|or|x?or|else|do)\b(?!\s*if\b)', re.I)
_ASKED = re.compile(r'\s*(?:<\?php\s+)?(?:\}\s*)?(?:if|else\s*if|while|for|foreach)\b', re.I)
_LOOP = re.compile(r'\s*(?:<\?php\s+)?(?:while|for|foreach|do)\b', re.I)
_OPENS = re.compile(r'(?:\{|\)\s*:)\s*(?:\?>\s*)?$')
_CLOSES = re.compile(r'\s*(?:<\?php\s+)?(?:\}|end(?:if|while|for|foreach|switch)\b)', re.I)
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
    certain: bool = True  # whether it is done wherever the lines around it are


class Check(NamedTuple):
    """A line where a value is asked for its class, and the lines in which the answer is that it is of that class."""

    line: int
    class_: str
    holds: tuple[tuple[int, int], ...]


def bindings(text: str, first: int, comment: str) -> dict[str, list[Binding]]:
    """What binds the variables of a function that begins in the line `first`, in the order of the lines."""
    rows = text.split('\n')
    breaks = breaks_of(text)
    out = dict[str, list[Binding]]()
    heads = list[tuple[int, int]]()
    other = [one.span() for one in _NO_CODE.finditer(text)]
    body = 0

    def is_code(at: int) -> bool:
        before = bisect_right(other, (at, len(text) + 1))
        return not before or other[before - 1][1] <= at

    def add(name: str | None, at: int, kind: str, said: str = '', value: int = 0, last: int = 0) -> None:
        if name is not None:
            line = bisect_left(breaks, at)
            before = text[max(breaks[line - 1] + 1 if line else 0, min(at, body)) : at]
            certain = kind == 'parameter' or kind != 'or' and _is_certain(rows, line, before, name)
            one = Binding(first + line, last, indent(rows[line]), kind, said, value, certain)
            out.setdefault(name, []).append(one)

    for one in _FUNCTION.finditer(text):
        end = closing(text, one.end())
        if end < 0 or not is_code(one.start()):
            continue
        heads.append((one.end(), end))
        is_own = len(heads) == 1
        if is_own:
            body = text.find('{', end) + 1
        last = (
            0 if is_own else first + _end_of_function(rows, bisect_left(breaks, one.start()), bisect_left(breaks, end))
        )
        for type_, name in parameters(text[one.end() + 1 : end - 1]):
            said = said_in(comment, 'param', name) if is_own else ''
            add(name, one.start(), 'parameter', f'{said}\0{type_}', last=last)
    for one in _BOUND.finditer(text):
        at, group = one.start(), one.groupdict()
        before = bisect_right(heads, (at, len(text)))
        if before and at < heads[before - 1][1] or not group['noted'] and not is_code(at):
            continue
        if group['assigned']:
            noted = _PRECEDING_VAR.search(text[max(0, at - 250) : at])
            if noted and re.findall(r'\$(\w+)', noted.group(1)) in ([], [group['assigned']]):
                add(group['assigned'], at, 'type', type_at(noted.group(1), 0))
            else:
                kind = 'or' if '?' in one.group() else 'value'
                add(group['assigned'], at, kind, value=one.end())
        add(group['key'], at, '')
        add(group['each'], at, 'each', value=one.start('of'))
        add(group['error'], at, 'type', (group['caught'] or '').strip())
        add(group['noted'], at, 'type', type_at(text, one.end()))
        add(ANY if group['any'] else None, at, '')
        for name in re.findall(r'\$(\w+)', group['several'] or group['parts'] or group['shared'] or ''):
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
    other = rest.rpartition(' : ')[2] if rest.startswith('? ') and ' : ' in rest else ''
    if rest.startswith(ends) and not re.search(rf'\${asked.group("name")}\b', other):
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
    """Whether the block that the line `first` is in, indented by `depth`, goes on in the line `last`."""
    if not all(indent(row) >= depth for row in rows[first:last] if row.strip()):
        return False
    open_ = 0  # of code that is not indented the brackets tell
    for row in rows[first - 1 : last]:
        if _CLOSES.match(row) and row is not rows[first - 1]:
            open_ -= 1
            if open_ < 0:
                return False
        open_ += _OPENS.search(row) is not None
    return True


def bound_again(many: Sequence[Binding], rows: Sequence[str], first: int, line: int) -> list[int]:
    """Which of the bindings of a variable come after a line, and hold in it when a loop after line `first` goes on."""
    later = [number for number, one in enumerate(many) if one.line > line and not one.last]
    end = _loop_around(rows, first, line) if later else 0
    return [number for number in later if many[number].line <= end]


def _loop_around(rows: Sequence[str], first: int, line: int) -> int:
    """The last line of the outermost loop around a line that begins after the line `first`; 0 for none."""
    depth, found = indent(rows[line - 1]), -1
    for at in range(line - 1, first - 1, -1):
        row = rows[at]
        if row.strip() and (indent(row) < depth or at == line - 1):
            depth = indent(row)
            found = at if _LOOP.match(row) else found
    return _last_of(rows, found, found) if found >= 0 else 0


def _is_certain(rows: Sequence[str], line: int, before: str, name: str) -> bool:
    """Whether something is done if its row is reached: no condition is before it, nor is the variable itself used."""
    if (
        len(before) > LONGEST_TYPE
        or _MAY_BE.search(before)
        or _ASKED.match(before)
        and before.count('(') <= before.count(')')
    ):
        return False
    if name and re.search(rf'\${name}\b', before):
        return False
    above = rows[line - 1].rstrip() if line else ''
    return not (above.endswith((')', 'else')) and _ASKED.match(above) and indent(rows[line]) <= indent(above))


def _end_of_function(rows: Sequence[str], head: int, end: int) -> int:
    """The last row of a function within another one, whose brackets go from the row `head` to the row `end`."""
    after = next((at for at in range(end + 1, len(rows)) if rows[at].strip()), len(rows))
    if after < len(rows) and indent(rows[after]) <= indent(rows[head]) and rows[after].strip()[:1] != '{':
        return end
    last = _last_of(rows, after, head)
    return last if last < len(rows) and rows[last].strip()[0] in '})]' else last - 1


def _last_of(rows: Sequence[str], start: int, head: int) -> int:
    """The first row after `start` that is indented no deeper than the row `head`."""
    depth = indent(rows[head])
    return next((at for at in range(start + 1, len(rows)) if rows[at].strip() and indent(rows[at]) <= depth), len(rows))


def _end_of_block(rows: Sequence[str], start: int, depth: int) -> int:
    return next((at for at in range(start + 1, len(rows)) if rows[at].strip() and indent(rows[at]) < depth), len(rows))
