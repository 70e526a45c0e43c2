"""Parse within bounds: what no real code needs is refused before it costs seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.slicing.languages import Grammar

if TYPE_CHECKING:
    from tree_sitter import Tree

# Steps of the parser that it may take: real code takes up to 27 a KB (over 12,000 files in 18 languages).
_STEPS_EACH_KB = 100
_STEPS_FREE = 2_000
# Pieces that it may read: where it looks for the end of what has none (`/*` in JavaScript), and again from each place
# after it, it reads a file thousands of times within few steps. Real code takes up to 4 a KB.
_READS_EACH_KB = 8
_READS_FREE = 2_000
# Brackets in a row that no code has. They cost some grammars seconds; Lua, which looks for the end of each, minutes.
_BRACKETS = b'(' * 2000
_ALIKE = bytes.maketrans(b'[{<)]}>', b'(((((((')
_BLANK = b' \t\r\n\x0b\x0c'
# The parser must be given bytes, not a memoryview: text predicates of queries crash on the latter (tree-sitter 0.26.1).
# Each predicate reads again from where its node starts, so a piece is short.
_READ = 4096


class Unparsable(Exception):
    """The parser gave up: the bytes cost more steps than any real code of that length."""


def parse(grammar: Grammar, source: bytes) -> Tree:
    """Parse within steps and reads that depend on the length alone, so that the same bytes always end the same.

    Raises Unparsable where that is not enough, or where no code is so deep.
    """
    if _BRACKETS in source.translate(_ALIKE, _BLANK):
        raise Unparsable
    steps = _STEPS_FREE + len(source) * _STEPS_EACH_KB // 1024
    reads = _READS_FREE + len(source) * _READS_EACH_KB // 1024

    def stop(offset: int, error: bool) -> bool:
        nonlocal steps
        steps -= 1
        return steps < 0 or reads < 0

    def read(offset: int, point: object) -> bytes:
        nonlocal reads
        reads -= 1
        return source[offset : offset + _READ]

    try:
        return grammar.parser.parse(read, progress_callback=stop)
    except ValueError:
        grammar.parser.reset()
        raise Unparsable from None
