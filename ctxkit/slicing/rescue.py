"""Find definitions that a grammar loses, by the lines that open them.

After one C++ macro, one word of Kotlin that is a keyword elsewhere, or one zsh expansion, the syntax error can swallow
all that follows. What is found here is added to the parser's result, unless it is in a comment, a string or a macro.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from ctxkit.slicing.definition import Definition

_SHELL = re.compile(
    rb'^([ \t]*)(?:function[ \t]+([^\s(){}$]+)[ \t]*(?:\([ \t]*\))?|([\w:.@+,-]+)[ \t]*\([ \t]*\))\s*\{',
    re.M,
)
_KOTLIN = re.compile(
    rb'^(?P<indent>[ \t]*)(?:@[\w.]+(?:\([^()\n]*\))?[ \t]+)*'
    rb'(?:(?:public|private|internal|protected|open|final|abstract|override|sealed|data|enum|annotation|inner|value|'
    rb'inline|suspend|operator|infix|tailrec|external|expect|actual|companion|fun(?=[ \t]+interface))[ \t]+)*'
    rb'(?P<kind>fun|class|interface|object)[ \t]+'
    rb'(?:<[^\n()]{0,200}>[ \t]+)?(?:(?:\w+\.)*(?P<owner>\w+)(?:<[^\n()]{0,200}>)?\??\.)?(?P<name>\w+|`[^`\n]+`)',
    re.M,
)
_WORDS = (
    rb'(?!(?:if|for|while|switch|catch|return|else|do|sizeof|new|delete|throw|case|goto|typedef|using|define|'
    rb'alignas|decltype|explicit|noexcept|requires)\b)'
)
_GENERIC = rb'(?:<[^\n(){};]{0,200}>)?'
_TEMPLATE = rb'(?:template[ \t]*<[^\n{}()]{0,200}>[ \t]*)?'
_CPP_TYPE = re.compile(
    rb'^(?P<indent>[ \t]*)' + _TEMPLATE + rb'(?:static[ \t]+)?(?P<kind>class|struct|union|enum)(?:[ \t]+class)?[ \t]+'
    rb'(?:[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?[ \t]+)?(?P<name>\w+)' + _GENERIC + rb'(?:[ \t]+final)?'
    rb'(?=\s*(?://[^\n]*\s*)?(?::[^:;{}][^;{}]{0,400})?\{)',
    re.M,
)
# Nested brackets, spelled out: if `a<b> a<b>` could be one word or two, a line of them would be tried in all ways.
_NESTED = rb'<[^\n(){};<>]{0,200}>'
for _ in range(4):
    _NESTED = rb'<(?:[^\n(){};<>]|' + _NESTED + rb'){0,200}>'
_NESTED = rb'(?:' + _NESTED + rb')?'
_CPP = re.compile(
    rb'^(?=[^\n(;={}#]*\()(?P<indent>[ \t]*)'
    + _TEMPLATE
    + rb'(?P<before>(?:'
    + _WORDS
    + rb'[A-Za-z_][\w:]*'
    + _NESTED
    + rb'[ \t]*[*&]*[ \t]+[*&]*)*)'
    + _WORDS
    + rb'(?P<owner>(?:[A-Za-z_]\w*'
    + _NESTED
    + rb'::)*)(?P<name>~?[A-Za-z_]\w*)[ \t]*(?=\()',
    re.M,
)
# What may stand between the arguments of a C++ function and its body: specifiers, a result type, initialisers, macros.
_TAIL = re.compile(rb'[\w\s:<>&*,\-.\[\]]*')
# Lines that may be indented less than the definition they are in: preprocessor, labels, brackets.
_INSIDE = re.compile(rb'[)\]{}:,#]|(?:public|private|protected)\b')
_MARK = re.compile(rb'[(){};]')
_LONGEST_HEAD = 4_000
_DEEPEST_HEAD = 12


def lost(
    language: str,
    source: bytes,
    known: Collection[int],
    types: Collection[str],
    silent: Callable[[int], bool],
) -> list[Definition]:
    """The definitions that the parser has lost: their names do not start at a byte in `known`.

    `types` are the names of known classes; `silent` tells whether a byte is in a comment, a string or a macro.
    """
    if language == 'bash':
        return [one for one in _shell(source) if one.name_start not in known]
    found = []
    for one in _kotlin(source, known) if language == 'kotlin' else _cpp(source, known, types):
        row = source[one.name_start : source.find(b'\n', one.name_start)]
        if not row.rstrip().endswith(b'\\') and not silent(one.name_start):
            found.append(one)
    return found


def _shell(source: bytes) -> Iterator[Definition]:
    """Functions whose head begins a line; each ends at the first closing brace in its column, or on the same line."""
    for head in _SHELL.finditer(source):
        group = 2 if head.group(2) else 3
        line = source.find(b'\n', head.end())
        line = line if line >= 0 else len(source)
        if b'}' in source[head.end() : line]:
            end = source.rfind(b'}', head.end(), line) + 1
        else:
            close = source.find(b'\n' + head.group(1) + b'}', head.end())
            end = close + len(head.group(1)) + 2 if close >= 0 else line
        start = head.end(1)
        name = head.group(group).decode('utf-8', 'replace')
        yield Definition('function', start, end, start, head.start(group), name, head.end() - 1)


def _kotlin(source: bytes, known: Collection[int]) -> Iterator[Definition]:
    for head in _KOTLIN.finditer(source):
        if head.start('name') in known:
            continue
        end = _end(source, head)
        one = _definition(source, head, 'function' if head['kind'] == b'fun' else 'class', end)
        one.declared = one.kind == 'function' and not re.search(rb'[{=]', source[head.end() : end])
        one.owner = (head['owner'] or b'').decode('utf-8', 'replace')
        yield one


def _cpp(source: bytes, known: Collection[int], types: Collection[str]) -> Iterator[Definition]:
    heads = list(_CPP_TYPE.finditer(source))
    types = {*types, *(head['name'].decode() for head in heads)}
    for head in heads:
        if head.start('name') not in known:
            yield _definition(source, head, 'class', _end(source, head))
    bodyless_until = 0  # no body follows up to this byte, so that heads before it need not be tried
    for head in _CPP.finditer(source):
        if head.start('name') in known or head.start() < bodyless_until:
            continue
        name, owner = head['name'].decode(), head['owner'].strip(b':').decode()
        untyped = not head['before'].strip() and (head['indent'] or not _typed_above(source, head.start()))
        # Without a type it must be a constructor or destructor: anything else is a call of a macro.
        if (
            untyped
            and name.lstrip('~') not in types
            and re.sub('<.*', '', owner).rpartition('::')[2] != name.lstrip('~')
        ):
            continue
        close = _closing(source, head.end())
        if close < 0:
            continue
        at = _tail(source, close)
        if at < 0 or source[at : at + 1] != b'{':
            bodyless_until = at
            continue
        one = _definition(source, head, 'function', _end(source, head))
        one.body = at
        one.end = max(one.end, at + 1)
        one.owner = re.sub('<[^<>]*>', '', owner).replace('::', '.')
        yield one


def _tail(source: bytes, at: int) -> int:
    """Where the text between arguments and body ends, after `noexcept(...)` and initialisers; -1 for open brackets."""
    stop = at + _LONGEST_HEAD
    while at >= 0:
        words = _TAIL.match(source, at)
        at = words.end() if words else at
        if source[at : at + 1] != b'(' or at > stop:
            break
        at = _closing(source, at)
    return at


def _typed_above(source: bytes, at: int) -> bool:
    """Whether the line above is only a type, as in GNU style."""
    above = source[source.rfind(b'\n', 0, max(0, at - 1)) + 1 : at]
    return re.match(rb'[A-Za-z_][\w \t*]*\r?\n\Z', above) is not None


def _definition(source: bytes, head: re.Match[bytes], kind: str, end: int) -> Definition:
    start = head.end('indent')
    body = source.find(b'{', head.end(), end)
    name = head['name'].decode('utf-8', 'replace')
    return Definition(kind, start, end, start, head.start('name'), name, body if body >= 0 else end)


def _closing(source: bytes, at: int) -> int:
    """The byte after the bracket that closes the one at `at`; -1 if none does within the limits above."""
    depth = 0
    for mark in _MARK.finditer(source, at, at + _LONGEST_HEAD):
        text = mark.group()
        if text == b'(':
            depth += 1
            if depth > _DEEPEST_HEAD:
                return -1
        elif text == b')':
            depth -= 1
            if not depth:
                return mark.end()
        else:
            return -1
    return -1


def _end(source: bytes, head: re.Match[bytes]) -> int:
    """Where a definition ends, by its indent: at the closing brace in its column, or before the next line in it."""
    indent = head['indent']
    at = source.find(b'\n', head.end())
    if at < 0:
        return len(source)
    last = at
    opened = b'{' in source[head.end() : at]
    if opened and source[head.end() : at].rstrip().endswith((b'}', b'};')):
        return at
    while at < len(source):
        start = at + 1
        at = source.find(b'\n', start)
        at = at if at >= 0 else len(source)
        row = source[start:at]
        text = row.strip()
        if not text:
            continue
        column = len(row) - len(row.lstrip(b' \t'))
        if column <= len(indent):
            if text[:1] == b'}' and opened:
                return start + column + 1
            if not _INSIDE.match(text):
                break
        opened = opened or b'{' in row
        last = at
    return last
