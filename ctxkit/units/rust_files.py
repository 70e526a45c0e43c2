"""What the files of Rust say: the modules in them, what their `use`s bind, and the crates of the tree."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import NamedTuple
from weakref import proxy

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.slicing.imports import tree_names

# Read off the text: the grammar does not look into macros, and `cfg_feature! { pub use a::B; }` is common.
_USE = re.compile(r'^[ \t]*(?:pub(?:\s*\([^)]*\))?\s+)?use\s+(?:::)?([^;]+);', re.M)
_CRATE = re.compile(r'^[ \t]*(?:pub\s+)?extern\s+crate\s+(\w+)(?:\s+as\s+(\w+))?\s*;', re.M)
_INLINE = re.compile(r'^([ \t]*)(?:pub(?:\s*\([^)]*\))?\s+)?mod\s+(?:r#)?(\w+)\s*\{[ \t]*(?://.*)?$', re.M)
_DECLARED = re.compile(r'\bmod\s+(?:r#)?(\w+)\s*;')
_COMMENT = re.compile(r'//[^\n]*')
_MACRO = re.compile(r'\bmacro_rules!|\bmacro\s')
_PATH = re.compile(r'(\w+)\s*::')
_BINDING = re.compile(r'\blet\s+(?:mut\s+)?\w+|[(,]\s*(?:mut\s+)?\w+\s*:(?!:)|\|[^|\n]*\|')
_NAME_IN = re.compile(r'\w+')
_PACKAGE = re.compile(r'^\[package\](.*?)(?=^\[|\Z)', re.M | re.S)
_LIBRARY = re.compile(r'^\[lib\](.*?)(?=^\[|\Z)', re.M | re.S)
_NAME = re.compile(r'^name\s*=\s*"([^"]+)"', re.M)
_FILE = re.compile(r'^path\s*=\s*"([^"]+)"', re.M)


class Module(NamedTuple):
    """A module: its file, and the modules in that file down to it."""

    path: str
    inner: tuple[str, ...] = ()


class Use(NamedTuple):
    """What one `use` binds: a path to it, the name it gets ('*' for all there is), and the module and lines where it
    holds: the function around it, or (0, 0)."""

    path: tuple[str, ...]
    name: str
    inner: tuple[str, ...]
    within: tuple[int, int]


class Files:
    """The files of Rust in a tree; each is read once."""

    def __init__(self, corpus: Corpus) -> None:
        """What is known goes with the corpus, so this does not hold it."""
        self.corpus: Corpus = proxy(corpus)
        self._rows: dict[str, list[str]] = {}
        self._inline: dict[str, list[tuple[int, int, tuple[str, ...]]]] = {}
        self._uses: dict[str, list[Use]] = {}
        self._places: dict[str, list[tuple[int, Place]]] = {}
        self._declared: dict[str, frozenset[str]] = {}
        self._paths_in: dict[int, frozenset[str]] = {}
        self._bound_in: dict[int, frozenset[str]] = {}

    def rows(self, path: str) -> list[str]:
        """The lines of a file; one empty line where it is not in the tree."""
        if path not in self._rows:
            self._rows[path] = self.corpus.source(path).decode('utf-8', 'replace').split('\n')
        return self._rows[path]

    def text(self, path: str) -> str:
        """The text of a file; '' where it is not in the tree."""
        return '\n'.join(self.rows(path))

    def places(self, path: str) -> list[tuple[int, Place]]:
        """The chunks of a file, each with its place."""
        if path not in self._places:
            self._places[path] = self.corpus.in_file(path)
        return self._places[path]

    def declared(self, path: str) -> frozenset[str]:
        """The modules that a file has in files of their own."""
        if path not in self._declared:
            self._declared[path] = frozenset(_DECLARED.findall(self.text(path)))
        return self._declared[path]

    def around(self, path: str, line: int) -> Module:
        """The module that a line of a file is in."""
        return Module(path, _innermost(self.inline(path), line))

    def inline(self, path: str) -> list[tuple[int, int, tuple[str, ...]]]:
        """The modules that a file itself holds: (first line, last line, names)."""
        if path not in self._inline:
            text = self.text(path)
            found: list[tuple[int, int, tuple[str, ...]]] = []
            breaks = _breaks(text)
            ends = self._ends(path) if _INLINE.search(text) else {}
            for one in _INLINE.finditer(text):
                first = bisect_left(breaks, one.start()) + 1
                end = text.find(f'\n{one.group(1)}}}', one.end())
                last = bisect_left(breaks, end) + 2 if end >= 0 else first
                names = (*_innermost(found, first), one.group(2))
                found.append((first, max(last, ends.get('.'.join(names), 0)), names))
            self._inline[path] = found
        return self._inline[path]

    def _ends(self, path: str) -> dict[str, int]:
        """Where the last definition in each module or type ends: a text in it can hold what looks like its end."""
        ends: dict[str, int] = {}
        for _, place in self.places(path):
            owner = place.symbol.rpartition('.')[0]
            while owner and ends.get(owner, 0) < place.end_line:
                ends[owner] = place.end_line
                owner = owner.rpartition('.')[0]
        return ends

    def uses(self, path: str) -> list[Use]:
        """What the `use`s of a file bind."""
        if path not in self._uses:
            text = self.text(path)
            found = [(one.start(1), tree_names(_COMMENT.sub('', one.group(1)))) for one in _USE.finditer(text)]
            found += [(one.start(1), [(one.group(1), '', one.group(2) or '')]) for one in _CRATE.finditer(text)]
            uses, breaks = [], _breaks(text)
            for start, bound in sorted(found):
                line = bisect_left(breaks, start) + 1
                inner, within = self.around(path, line).inner, self._function(path, line)
                for name, module, alias in bound:
                    whole = (*(module.split('.') if module else ()), *(() if name == '*' else (name,)))
                    uses.append(Use(whole, alias or name, inner, within))
            self._uses[path] = uses
        return self._uses[path]

    def _function(self, path: str, line: int) -> tuple[int, int]:
        """The lines of the function that a line is in; (0, 0) outside of one. What a macro has is where it is put."""
        places = self.places(path)
        at = bisect_left(places, line, key=lambda one: one[1].start_line) - 1
        while at >= 0:
            number, place = places[at]
            if place.kind in FUNCTIONS and line <= place.end_line and not self.is_macro(number):
                return place.start_line, place.end_line
            at = place.parent
        return 0, 0

    def paths_in(self, chunk: int) -> frozenset[str]:
        """The names that stand before `::` in a chunk."""
        if chunk not in self._paths_in:
            self._paths_in[chunk] = frozenset(_PATH.findall(self.corpus.text(chunk)))
        return self._paths_in[chunk]

    def bound_in(self, chunk: int) -> frozenset[str]:
        """The names that a chunk binds, by `let`, as parameters or as those of closures."""
        if chunk not in self._bound_in:
            found = (_NAME_IN.findall(one.group()) for one in _BINDING.finditer(self.corpus.text(chunk)))
            self._bound_in[chunk] = frozenset(name for names in found for name in names)
        return self._bound_in[chunk]

    def is_macro(self, chunk: int) -> bool:
        """Whether a definition is a macro."""
        path, place = self.corpus.path(chunk), self.corpus.place(chunk)
        rows = self.rows(path) if place.kind == 'function' and path.endswith('.rs') else []
        return len(rows) >= place.line and _MACRO.search(rows[place.line - 1]) is not None

    @cached_property
    def crates(self) -> dict[str, list[str]]:
        """The libraries of the tree: the files that they begin in, by their names."""
        known: dict[str, list[str]] = {}
        for path in self.corpus.paths():
            if posixpath.basename(path) == 'Cargo.toml':
                text = self.text(path)
                package, library = (
                    one.group(1) if (one := table.search(text)) else '' for table in (_PACKAGE, _LIBRARY)
                )
                name = _NAME.search(library) or _NAME.search(package)
                file = _FILE.search(library)
                root = posixpath.join(posixpath.dirname(path), file.group(1) if file else 'src/lib.rs')
                root = posixpath.normpath(root)
                if name and self.corpus.file(root):
                    known.setdefault(name.group(1).replace('-', '_'), []).append(root)
        return known


def _breaks(text: str) -> list[int]:
    """Where the lines of a text end: how many do so before a place tells its line."""
    return [one.start() for one in re.finditer('\n', text)]


def _innermost(modules: list[tuple[int, int, tuple[str, ...]]], line: int) -> tuple[str, ...]:
    """The names of the innermost of some modules, in the order of their start, that a line is in."""
    for _, last, names in reversed(modules[: bisect_right(modules, line, key=lambda one: one[0])]):
        if line <= last:
            return names
    return ()
