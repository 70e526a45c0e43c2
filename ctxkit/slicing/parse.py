"""Parse within bounds: what no real code needs is refused before it costs seconds."""

from __future__ import annotations

import re
from time import thread_time
from typing import TYPE_CHECKING

from ctxkit.slicing.languages import Grammar

if TYPE_CHECKING:
    from tree_sitter import Tree

# Steps of the parser that it may take: real code takes up to 27 a KB (over 12,000 files in 18 languages).
_STEPS_EACH_KB = 100
_STEPS_FREE = 2_000
# Pieces that it may read: where it looks for the end of what has none (`/*` in JavaScript), and again from each place
# after it, it reads a file thousands of times within few steps. Real code takes up to 22 a KB
# (functions of function types in Kotlin, which the parser reads in several ways at once).
_READS_EACH_KB = 64
_READS_FREE = 2_000
# Steps that mend an error cost up to 300 times those that read code, and the parser tells of neither: what is left is
# time. Of 13,000 files in 18 languages none took a third of it, and none of what it stops is code.
_SECONDS_FREE = 1.0
_SECONDS_EACH_MB = 1.0
# Brackets in a row, and open at once, that no code has (301 were the most). They cost some grammars seconds; Lua, which
# looks for the end of each, minutes.
_MOST_BRACKETS = 2_000
_BRACKETS = b'(' * _MOST_BRACKETS
_ALIKE = bytes.maketrans(b'[{<)]}>', b'(((((((')
_BLANK = b' \t\r\n\x0b\x0c'
_NO_BRACKETS = bytes(code for code in range(256) if code not in b'()[]{}<>')
# In C# `<` counts as one, in Java the `?` that wants a `:`: at the end of the file these parsers go through all ways to
# read what is open at once, which took 12 KB of them four seconds, and grows with the square.
_TEXT = rb'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"?'
_OPENING = {
    'csharp': (b'<>', re.compile(_TEXT + rb'|[=-]>|>=|<[<=]|[<>]', re.S)),
    'java': (b'?:', re.compile(_TEXT + rb'|[<,]\s*\?|[?:]', re.S)),
}
# py-tree-sitter (0.25.0 to 0.26.1) never frees what the parser was given: a first index would keep all the source that
# it read, and a watcher grow for ever. So the parser gets one buffer again and again; what is kept of it is empty.
# Text predicates of queries get bytes (a memoryview crashes 0.26.1), which are freed; each reads again from where its
# node starts, so a piece is short.
_READ = 4096


class Unparsable(Exception):
    """Given up: the bytes cost more than any real code of that length."""


def parse(grammar: Grammar, source: bytes) -> Tree:
    """Parse within steps and reads that depend on the length alone, so that the same bytes end the same.

    Raises Unparsable where that is not enough, where no code is so deep, or after the seconds above.
    """
    if _deep(source, grammar.name):
        raise Unparsable
    steps = _STEPS_FREE + len(source) * _STEPS_EACH_KB // 1024
    reads = _READS_FREE + len(source) * _READS_EACH_KB // 1024
    until = thread_time() + _SECONDS_FREE + len(source) * _SECONDS_EACH_MB / 1_000_000

    def stop(offset: int, error: bool) -> bool:
        nonlocal steps
        steps -= 1
        # To ask for the time costs more than all else here.
        return steps < 0 or reads < 0 or (not steps & 15 and thread_time() > until)

    piece = bytearray()
    parsing = True

    def read(offset: int, point: object) -> bytes | bytearray:
        nonlocal reads
        reads -= 1
        if not parsing:  # a text predicate, which takes nothing but bytes
            return source[offset : offset + _READ]
        piece[:] = source[offset : offset + _READ]
        return piece

    try:
        return grammar.parser.parse(read, progress_callback=stop)
    except ValueError:
        grammar.parser.reset()
        raise Unparsable from None
    finally:
        parsing = False
        piece.clear()


def _deep(source: bytes, language: str) -> bool:
    """Whether somewhere more brackets are open, or stand in a row, than any code has."""
    brackets = source.translate(None, _NO_BRACKETS)
    if len(brackets) >= _MOST_BRACKETS:  # as in one file of ten
        if _BRACKETS in source.translate(_ALIKE, _BLANK) or _open(brackets.translate(None, b'<>'), b'([{'):
            return True
    pair, marks = _OPENING.get(language, (b'', None))
    if marks is None or source.count(pair[:1]) <= _MOST_BRACKETS:
        return False
    return _open(b''.join(mark for mark in marks.findall(source) if mark in pair), pair[:1])


def _open(marks: bytes, opening: bytes) -> bool:
    depth = 0
    for mark in marks:
        if mark in opening:
            depth += 1
            if depth > _MOST_BRACKETS:
                return True
        elif depth:
            depth -= 1
    return False
