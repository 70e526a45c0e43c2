"""The value that slicing produces: one definition of a file, and the references that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

# Part of every index key: raise it with any change that alters the result of slicing the same bytes.
SLICER_VERSION = 16
# In place of the number of syntax errors: the file would have cost the parser too much, and was cut as plain text.
GIVEN_UP = -1

KINDS = ('function', 'method', 'class', 'module', 'section', 'text')
FUNCTIONS = ('function', 'method')


class Reference(NamedTuple):
    """A name that a chunk uses.

    `kind` is 'call', 'base', 'type' or 'import'. `name` is the last part of what is used (`join` in `os.path.join`),
    `qualifier` all that stands before it (`os.path`; `self` for a method of the same object; '' for a bare name; calls
    and indices in it are emptied, `Engine().start`; '?' for a receiver without a name). Separators become dots.
    In Go and Rust, a variable whose type the code spells out is replaced by that type, in Rust also one that is made by
    a call by that call (`Engine.new()`).
    An import gives the bound name as `alias` ('' if it is bound under `name`) and the module as `qualifier`,
    relative dots kept (`..errors`); a plain module import has `name` '', a star import '*', the default export of
    JavaScript 'default'. A module's own default export is an import of its name from '' under the alias `default`.
    `line` is 1-based in the file.
    """

    kind: str
    name: str
    qualifier: str
    alias: str
    line: int


class Chunk(NamedTuple):
    """One definition (or what is left of a file), as byte and line ranges of the file's bytes.

    Lines are 1-based and inclusive; bytes are half-open. [start_byte, end_byte) includes decorators and attributes
    but not the comments above. The signature is [sig_start, sig_end), empty (0, 0) for kinds without one; the
    documentation is [doc_start, doc_end), (0, 0) if there is none, and can lie above start_byte (a comment).
    `line` is the line of the name itself, as ctags gives it. `parent` is the index in the file's list of the chunk
    that encloses this one, -1 at top level.
    A class chunk is its header with fields: its range is the whole class, its own text excludes the methods.
    `spans` are the byte ranges of the chunk's own text if that is not the whole range; empty otherwise.
    """

    kind: str
    symbol: str
    name: str
    line: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    sig_start: int
    sig_end: int
    doc_start: int
    doc_end: int
    parent: int
    spans: tuple[tuple[int, int], ...]
    references: tuple[Reference, ...]

    def text(self, source: bytes) -> str:
        """The chunk's own text, decoded; invalid UTF-8 is replaced."""
        return '\n'.join(source[start:end].decode('utf-8', 'replace') for start, end in self.ranges)

    @property
    def ranges(self) -> Sequence[tuple[int, int]]:
        """The byte ranges of its own text."""
        return self.spans or ((self.start_byte, self.end_byte),)

    def signature(self, source: bytes) -> str:
        """The signature on one line, white space collapsed; '' for kinds without one."""
        return ' '.join(source[self.sig_start : self.sig_end].decode('utf-8', 'replace').split())

    def doc(self, source: bytes) -> str:
        """The documentation with its comment marks or quotes, as written; '' if there is none."""
        return source[self.doc_start : self.doc_end].decode('utf-8', 'replace')


class SlicedFile(NamedTuple):
    """The chunks of one file in the order of their start; `language` is '' for plain text.

    `skipped` says in words why the file has no chunks ('binary', 'minified', 'larger than 1 MB', ...), else ''.
    `broken` counts the syntax errors that the parser stepped over; GIVEN_UP means that parsing was given up.
    """

    language: str
    chunks: tuple[Chunk, ...]
    skipped: str = ''
    broken: int = 0


def line_ends(source: bytes) -> list[int]:
    """The position after each line, including the last: `bisect_right(ends, position) + 1` is a line number."""
    if b'\r' not in source:
        return list(accumulate(map(len, source.splitlines(True))))
    return list(accumulate(len(line) + 1 for line in source.split(b'\n')))
