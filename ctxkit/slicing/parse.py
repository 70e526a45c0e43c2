"""Parse within bounds: input that is no real code is refused before it costs seconds."""

from __future__ import annotations

import re
from time import thread_time
from typing import TYPE_CHECKING

from ctxkit.slicing.languages import Grammar

if TYPE_CHECKING:
    from tree_sitter import Tree

# Steps that the parser may take: real code takes up to 27 a KB (over 12,000 files in 18 languages).
_STEPS_EACH_KB = 100
_STEPS_FREE = 2_000
# Pieces that the parser may read: if it looks for the end of something that has none (`/*` in JavaScript), and again
# from each place after it, it reads a file thousands of times within few steps. Real code takes up to 22 a KB
# (functions of function types in Kotlin, which the parser reads in several ways at once).
_READS_EACH_KB = 64
_READS_FREE = 2_000
# A step of error recovery costs up to 300 times as much as one that reads code, and the parser does not report which it
# is, so time is limited, too. None of 13,000 files in 18 languages took a third of it, and what it stops is not code.
_SECONDS_FREE = 1.0
_SECONDS_EACH_MB = 1.0
# Brackets in a row, or open at once; no code has as many (301 were the most). They cost some grammars seconds, and
# Lua's, which looks for the end of each, minutes.
_MOST_BRACKETS = 2_000
_BRACKETS = b'(' * _MOST_BRACKETS
_ALIKE = bytes.maketrans(b'[{<)]}>', b'(((((((')
_BLANK = b' \t\r\n\x0b\x0c'
_NO_BRACKETS = bytes(code for code in range(256) if code not in b'()[]{}<>')
# In C# `<` counts as a bracket, in Java the `?` that needs a `:`. At the end of the file, these parsers try all ways to
# read what is still open: 12 KB of them took four seconds, and the time grows with the square.
_TEXT = rb'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"?'
_OPENING = {
    'csharp': (b'<>', re.compile(_TEXT + rb'|[=-]>|>=|<[<=]|[<>]', re.S)),
    'java': (b'?:', re.compile(_TEXT + rb'|[<,]\s*\?|[?:]', re.S)),
}
# py-tree-sitter (0.25.0 to 0.26.1) never frees what the parser was given: a first index would keep all source in
# memory, and a watcher would grow for ever. So the parser gets the same buffer each time, which is emptied at the end.
# Text predicates of queries get bytes (a memoryview crashes 0.26.1), which are freed. Each of them reads again from the
# start of its node, so a piece is short.
_READ = 4096


class Unparsable(Exception):
    """Parsing was given up: it costs more than for any real code of that length."""


def parse(grammar: Grammar, source: bytes) -> Tree:
    """Parse `source` with limits on steps and reads that depend only on its length, so that the result is repeatable.

    Raises Unparsable above these limits, for brackets nested deeper than in any code, and after the seconds above.
    """
    if _deep(source, grammar.name):
        raise Unparsable
    steps = _STEPS_FREE + len(source) * _STEPS_EACH_KB // 1024
    reads = _READS_FREE + len(source) * _READS_EACH_KB // 1024
    until = thread_time() + _SECONDS_FREE + len(source) * _SECONDS_EACH_MB / 1_000_000

    def stop(offset: int, error: bool) -> bool:
        nonlocal steps
        steps -= 1
        # Only at each 16th step: getting the time costs more than everything else here.
        return steps < 0 or reads < 0 or (not steps & 15 and thread_time() > until)

    piece = bytearray()
    parsing = True

    def read(offset: int, point: object) -> bytes | bytearray:
        nonlocal reads
        reads -= 1
        if not parsing:  # called for a text predicate, which accepts only bytes
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
    """Whether more than _MOST_BRACKETS brackets are open somewhere, or stand in a row."""
    brackets = source.translate(None, _NO_BRACKETS)
    if len(brackets) >= _MOST_BRACKETS:  # true for one file in ten
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
