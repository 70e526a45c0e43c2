"""What the files of Rust say: the modules in them, what their `use`s bind, and the crates of the tree."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.slicing.imports import tree_names
from ctxkit.units.language_files import LanguageFiles, breaks_of
from ctxkit.units.rust_text import uses_in

# Read off the text: the grammar does not look into macros, and `cfg_feature! { pub use a::B; }` is common.
_CRATE = re.compile(r'^[ \t]*(?:pub\s+)?extern\s+crate\s+(\w+)(?:\s+as\s+(\w+))?\s*;', re.M)
_INLINE = re.compile(r'^([ \t]*)(?:pub(?:\s*\([^)\n]*\))?\s+)?mod\s+(?:r#)?(\w+)\s*\{[ \t]*(?://.*)?$', re.M)
_DECLARED = re.compile(r'\bmod\s+(?:r#)?(\w+)\s*;')
_ELSEWHERE = re.compile(r'\bpath\s*=\s*"([^"\n]+)"(\s*\))?\s*\][^;{}]{0,200}?\bmod\s+(?:r#)?(\w+)\s*;')
_COMMENT = re.compile(r'//[^\n]*')
_MACRO = re.compile(r'\bmacro_rules!|\bmacro\s')
_PATH = re.compile(r'\b(\w+)\s*::')
_MACRO_CALL = re.compile(r'\b(\w+)\s*!(?!=)')
_CALL = re.compile(r'\b(\w+)\s*(?:::<|[({])')
_BINDING = re.compile(
    r'\b(?:let|static)\s[^=;]{0,200}|\bfor\s[^=;{]{0,200}?\sin\b|^[^\n]*=>|[(,]\s*(?:mut\s+)?\w+\s*:(?!:)|\|[^|\n]*\|',
    re.M,
)
# In a pattern, what has a capital is a type, and what is called is not bound.
_NAME_IN = re.compile(r'\b(?![A-Z])\w+\b(?!\s*[(!])')
_PACKAGE = re.compile(r'^\[package\](.*?)(?=^\[|\Z)', re.M | re.S)
_LIBRARY = re.compile(r'^\[lib\](.*?)(?=^\[|\Z)', re.M | re.S)
_NAME = re.compile(r'^name\s*=\s*"([^"]+)"', re.M)
_FILE = re.compile(r'^path\s*=\s*"([^"]+)"', re.M)
MOST_INLINE = 2_000  # modules that one file itself holds
DEEPEST_INLINE = 50
MOST_USES = 5_000  # names that the `use`s of one file bind


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


class Inline(NamedTuple):
    """A module within a file: its lines, its name after those around it, and the number of the one around it, or -1."""

    first: int
    last: int
    names: tuple[str, ...]
    around: int


class Files(LanguageFiles):
    """What the files of Rust say."""

    def __init__(self, corpus: Corpus) -> None:
        """See `LanguageFiles`."""
        super().__init__(corpus)
        self._inline: dict[str, list[Inline]] = {}
        self._uses: dict[str, list[Use]] = {}
        self._elsewhere: dict[str, dict[str, list[str]]] = {}
        self._declared: dict[str, frozenset[str]] = {}
        self._paths_in: dict[int, frozenset[str]] = {}
        self._bound_in: dict[int, frozenset[str]] = {}
        self._called_at: dict[tuple[str, int, int], tuple[frozenset[str], frozenset[str]]] = {}

    def text(self, path: str) -> str:
        """The text of a file; '' where it is not in the tree."""
        return '\n'.join(self.rows(path))

    def declared(self, path: str) -> frozenset[str]:
        """The modules that a file has in files of their own."""
        if path not in self._declared:
            self._declared[path] = frozenset(_DECLARED.findall(self.text(path)))
        return self._declared[path]

    def elsewhere(self, path: str) -> dict[str, list[str]]:
        """The modules of a file with a `#[path]`: the files of each; none where the build tells."""
        if path not in self._elsewhere:
            files: dict[str, list[str]] = {}
            for file, depends, name in _ELSEWHERE.findall(self.text(path)):
                found = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
                files.setdefault(name, []).extend([] if depends else [found])
            self._elsewhere[path] = files
        return self._elsewhere[path]

    def around(self, path: str, line: int) -> Module:
        """The module that a line of a file is in."""
        modules = self.inline(path)
        return Module(path, modules[found].names if (found := _innermost(modules, line)) >= 0 else ())

    def inline(self, path: str) -> list[Inline]:
        """The modules that a file itself holds, in their order."""
        if path not in self._inline:
            text = self.text(path)
            found: list[Inline] = []
            breaks = breaks_of(text)
            # indent -> where the brace is that was found last; the length of the text if there is none
            closed: dict[str, int] = {}
            ends = self._ends(path) if _INLINE.search(text) else {}
            for one in _INLINE.finditer(text):
                first = bisect_left(breaks, one.start()) + 1
                indent = one.group(1)
                if closed.get(indent, -1) < one.end():
                    end = text.find(f'\n{indent}}}', one.end())
                    closed[indent] = end if end >= 0 else len(text)
                last = bisect_left(breaks, closed[indent]) + 2 if closed[indent] < len(text) else first
                around = _innermost(found, first)
                names = (*(found[around].names if around >= 0 else ()), one.group(2))
                if len(found) == MOST_INLINE or len(names) > DEEPEST_INLINE:
                    break
                found.append(Inline(first, max(last, ends.get('.'.join(names), 0)), names, around))
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
            found = [(start, tree_names(_COMMENT.sub('', said))) for start, said in uses_in(text)]
            found += [(one.start(1), [(one.group(1), '', one.group(2) or '')]) for one in _CRATE.finditer(text)]
            uses, breaks = list[Use](), breaks_of(text)
            for start, bound in sorted(found):
                if len(uses) > MOST_USES:
                    break
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

    def called_at(self, path: str, line: int, rows: int) -> tuple[frozenset[str], frozenset[str]]:
        """The macros and the functions that are called in the `rows` lines from one on, by their names."""
        where = path, line, rows
        if where not in self._called_at:
            near = '\n'.join(self.rows(path)[line - 1 : line - 1 + rows])
            self._called_at[where] = frozenset(_MACRO_CALL.findall(near)), frozenset(_CALL.findall(near))
        return self._called_at[where]

    def bound_in(self, chunk: int) -> frozenset[str]:
        """The names that a chunk binds, by `let`, `for` or `match`, as parameters or as those of closures."""
        if chunk not in self._bound_in:
            found = (
                _NAME_IN.findall(one.group()) for one in _BINDING.finditer(_COMMENT.sub('', self.corpus.text(chunk)))
            )
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


def _innermost(modules: list[Inline], line: int) -> int:
    """The number of the innermost of some modules, in the order of their start, that a line is in; -1 if none."""
    at = bisect_right(modules, line, key=lambda one: one.first) - 1
    while at >= 0 and modules[at].last < line:
        at = modules[at].around
    return at
