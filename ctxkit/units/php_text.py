"""The text of PHP taken apart: types, comments above a definition, and chains of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 4000  # characters between two brackets
LONGEST_TYPE = 300
MOST_STEPS = 40
_CLOSED_BY = {'(': ')', '[': ']', '{': '}', '<': '>'}
_MARK = re.compile(r'[()\[\]{}]|\'(?:[^\'\\]|\\.)*\'|"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
_SPACE = re.compile(r'(?:\s+|//[^\n]*\n|/\*.*?\*/)*', re.S)
_HEAD = re.compile(r'(new\s+)?(\$\w+|\\?[^\W\d]\w*(?:\\\w+)*)|\(')
_STEP = re.compile(r'(\?->|->|::)\s*(\$?\w+|\{)')
_NAME = re.compile(r'\\?[^\W\d]\w*(?:\\\w+)*')
_TAG = re.compile(r'@(?:(?:phpstan|psalm)-)?(param|var|return|property(?:-read)?|mixin)\s+')


class Step(NamedTuple):
    """A link of a chain: what joins it, its name ('[]' for an index), whether it is called, where the name stands."""

    joint: str
    name: str
    called: bool
    at: int


class Chain(NamedTuple):
    """`$a->b()[0]::c`: its head (`$a`, a name, or '' for what is in the brackets from `at` on), the steps, the end."""

    head: str
    new: bool
    called: bool
    at: int
    steps: tuple[Step, ...]
    end: int


def closing(text: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`; -1 if there is none near."""
    open_ = list[str]()
    for found in _MARK.finditer(text, at, at + LONGEST):
        mark = found.group()
        if mark in _CLOSED_BY:
            open_.append(_CLOSED_BY[mark])
        elif mark in ')]}':
            if not open_ or open_.pop() != mark:
                return -1
            if not open_:
                return found.end()
    return -1


def chain(text: str, at: int) -> Chain | None:
    """The chain of calls that begins at `at`; None where none does."""
    found = _HEAD.match(text, at)
    if found is None:
        return None
    head, new = found.group(2) or '', bool(found.group(1))
    end = found.end() if head else closing(text, at)
    if end < 0:
        return None
    called, open_ = False, bool(head)  # whether the last part can be called
    steps = list[Step]()
    while len(steps) < MOST_STEPS:
        after = _SPACE.match(text, end).end()  # type: ignore[union-attr]  # it always matches
        step = _STEP.match(text, after)
        if open_ and text.startswith('(', after):
            closed = closing(text, after)
            called = called or not steps
            steps[-1:] = [one._replace(called=True) for one in steps[-1:]]
            open_ = False
        elif text.startswith('[', after):
            closed = closing(text, after)
            steps.append(Step('', '[]', False, after))
            open_ = False
        elif step and step.group(2) != '{':
            closed = step.end()
            steps.append(Step(step.group(1), step.group(2), False, step.start(2)))
            open_ = True
        else:
            break
        if closed < 0:
            break
        end = closed
    return Chain(head, new, called, at, tuple(steps), end)


def written(one: Chain, steps: int) -> str:
    """What the slicer writes for a chain up to so many steps: `self.engine.start()`."""
    head = {'$this': 'self', 'self': 'self', 'static': 'self'}.get(one.head, one.head.lstrip('$\\').replace('\\', '.'))
    out = f'{head}{"()" if one.called or not one.head else ""}'
    for step in one.steps[:steps]:
        if step.name == '[]':
            out += '[]'
        else:
            out += f'.{step.name.lstrip("$")}{"()" if step.called else ""}'
    return out


def type_at(text: str, at: int) -> str:
    """The type that begins in a place, up to the first white space outside of brackets."""
    depth = 0
    for end in range(at, min(len(text), at + LONGEST_TYPE)):
        mark = text[end]
        depth += (mark in '<({[') - (mark in '>)}]')
        if depth < 0 or depth == 0 and mark.isspace():
            return text[at:end]
    return text[at : at + LONGEST_TYPE]


def split(text: str, marks: str) -> list[str]:
    """The parts of a text between marks outside of brackets."""
    parts, depth, start = list[str](), 0, 0
    for at, mark in enumerate(text[: LONGEST * 2]):
        depth += (mark in '<({[') - (mark in '>)}]')
        if mark in marks and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [one.strip() for one in (*parts, text[start:])]


def types(text: str) -> Iterator[str]:
    """The types in `?A|(B&C)|null`, each by itself."""
    for one in split(text.strip(), '|&'):
        one = one.lstrip('?').strip()
        if one.startswith('(') and one.endswith(')'):
            yield from (part.lstrip('?').strip() for part in split(one[1:-1], '|&'))
        elif one:
            yield one


def class_in(text: str) -> str:
    """The name in one type, without type arguments; '' for a list of something and what is no name."""
    found = _NAME.match(text)
    rest = text[found.end() :].strip() if found else ''
    return found.group() if found and (not rest or rest.startswith('<') and rest.endswith('>')) else ''


def element(text: str) -> str:
    """What is in one type: `Foo` for `Foo[]`, `array<int, Foo>` and `Collection<Foo>`; '' where it is not said."""
    if text.endswith('[]'):
        return text[:-2].strip('()')
    head, bracket, rest = text.partition('<')
    if not bracket or not text.endswith('>'):
        return ''
    inside = split(rest[:-1], ',')
    return inside[min(1, len(inside) - 1)] if head.lower().endswith('generator') else inside[-1]


def said_in(comment: str, tag: str, variable: str = '') -> str:
    """The type that a comment gives by a tag, such as `@param Foo $foo`; '' if it does not."""
    found = ''
    for one in _TAG.finditer(comment):
        if one.group(1).startswith(tag):
            type_ = type_at(comment, one.end())
            following = comment[one.end() + len(type_) :].lstrip()[:80]
            if not variable or re.match(rf'(?:&|\.\.\.)?\${variable}\b', following) or tag == 'var':
                found = '' if type_.startswith('$') and type_ != '$this' else type_
                if found:
                    break
    return found


def parameters(head: str) -> list[tuple[str, str]]:
    """The (type, name) of what stands between the brackets of a function, types as written, '' for none."""
    out = []
    for one in split(head, ','):
        plain = re.sub(r'^(?:#\[[^\]]*\] ?)+', '', ' '.join(one.split()))
        found = re.match(
            r'(?:(?:public|protected|private|readonly)(?:\(set\))?\s+)*([^$=]*?)\s*&?\s*(\.\.\.\s*)?&?\$(\w+)', plain
        )
        if found:
            out.append((f'{found.group(1)}[]' if found.group(2) and found.group(1) else found.group(1), found.group(3)))
    return out
