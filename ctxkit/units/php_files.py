"""What the files of PHP say: their namespaces, what their `use`s bind, and which class or function a name means."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import language_of
from ctxkit.units.language_files import LanguageFiles
from ctxkit.units.php_text import Chain, chain
from ctxkit.units.seen import DEFINITION_KINDS, shared_folders

_NAMESPACE = re.compile(
    r'^\ufeff?[ \t]*(?:<\?php\s+)?(?:declare\s*\([^()]*\)\s*;\s*|/\*(?:(?!\*/).){0,2000}\*/\s*){0,3}'
    r'namespace\b[ \t]*([\w\\]*)\s*[;{]',
    re.M | re.S | re.I,
)
_USE = re.compile(r'\buse\s+(function|const)\b')
_KIND = re.compile(r'(?:^|[\s\]*/])(class|interface|trait|enum)\s+\w', re.I)
_CALLED = re.compile(r'\s*(?:\(|$)')
LONGEST = 20_000  # bytes of a comment or of a signature that are read
FURTHEST = 40  # lines that a chain of calls runs over
MOST_CHAINS = 100  # that begin in one line
_BEGINS = re.compile(r'(?<![\w$>:\\])(?:new\s+\\?\w|\$\w|\\?[^\W\d]|\((?=\s*(?:new|clone|\$|\\?[A-Z(])))')
MOST = 30  # definitions of one name that are looked at


class Where(NamedTuple):
    """A place that a name stands in: the file, the line from 1 on, and the class around it, -1 for none."""

    path: str
    line: int
    own: int


class Files(LanguageFiles):
    """What the files of PHP say."""

    def __init__(self, corpus: Corpus) -> None:
        """See `LanguageFiles`."""
        super().__init__(corpus)
        self._spaces: dict[str, list[tuple[int, str]]] = {}
        self._bound: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
        self._kinds: dict[int, str] = {}
        self._last = -1, ''
        self._chains: dict[tuple[str, int], list[tuple[Chain, bool]]] = {}
        self._whole: dict[tuple[str, str], list[int]] = {}
        self._methods: dict[str, dict[str, list[int]]] = {}

    def near(self, path: str, line: int) -> str:
        """A line of a file and those that a chain of calls can run over."""
        return '\n'.join(self.rows(path)[line - 1 : line + FURTHEST])[:LONGEST]

    def chains(self, path: str, line: int) -> list[tuple[Chain, bool]]:
        """The chains of calls that begin in a line, as read from `near`; whether it is the name of a function there."""
        if (path, line) not in self._chains:
            text = self.near(path, line)
            end = text.find('\n')
            begun = islice(_BEGINS.finditer(text, 0, end if end >= 0 else len(text)), MOST_CHAINS)
            found = ((chain(text, one.start()), text.endswith('function ', 0, one.start())) for one in begun)
            self._chains[path, line] = [(read, of_function) for read, of_function in found if read]
        return self._chains[path, line]

    def text(self, chunk: int) -> str:
        """The whole lines of a definition."""
        if self._last[0] != chunk:  # asked for many times in a row
            place = self.corpus.place(chunk)
            rows = self.rows(self.corpus.path(chunk))[place.start_line - 1 : place.end_line]
            self._last = chunk, '\n'.join(rows)
        return self._last[1]

    def comment(self, chunk: int) -> str:
        """The documentation of a definition."""
        place = self.corpus.place(chunk)
        return self.bytes_of(chunk, place.doc_start, min(place.doc_end, place.doc_start + LONGEST))

    def head(self, chunk: int) -> str:
        """The signature of a definition; '' for -1."""
        if chunk < 0:
            return ''
        place = self.corpus.place(chunk)
        return self.bytes_of(chunk, place.sig_start, min(place.sig_end, place.sig_start + LONGEST))

    def above(self, chunk: int) -> int:
        """What is around a definition; -1 for none."""
        place = self.corpus.place(chunk)
        return self.places(self.corpus.path(chunk))[place.parent][0] if place.parent >= 0 else -1

    def method(self, class_: int, name: str) -> int:
        """The method of a name that a class itself has; -1 for none."""
        path = self.corpus.path(class_)
        if path not in self._methods:
            known = self._methods[path] = {}
            for number, place in self.places(path):
                if place.kind == 'method' and self.is_function(number):
                    known.setdefault(place.symbol.lower(), []).append(number)
        own = self.corpus.place(class_)  # of two classes of one name each has its own
        named = self._methods[path].get(f'{own.symbol}.{name}'.lower(), ())
        return next((one for one in named if own.start_line <= self.corpus.place(one).line <= own.end_line), -1)

    def own(self, chunk: int) -> int:
        """The class around a chunk, or the class itself; -1 for none, also in a class without a name."""
        while chunk >= 0:
            place = self.corpus.place(chunk)
            if place.kind == 'class':
                return chunk
            above = self.above(chunk)
            if place.kind == 'method' and (above < 0 or self.corpus.place(above).kind != 'class'):
                return -1
            chunk = above
        return -1

    def kind(self, class_: int) -> str:
        """'class', 'interface', 'trait' or 'enum'."""
        if class_ not in self._kinds:
            found = _KIND.search(self.head(class_))
            self._kinds[class_] = found.group(1).lower() if found else 'class'
        return self._kinds[class_]

    def namespace(self, path: str, line: int) -> str:
        """The namespace of a line, with dots; '' for the global one."""
        if path not in self._spaces:
            text = '\n'.join(self.rows(path))
            found = ((text.count('\n', 0, one.start(1)) + 1, one.group(1)) for one in _NAMESPACE.finditer(text))
            inside = [(one.start_line, one.end_line) for _, one in self.places(path) if one.kind in DEFINITION_KINDS]
            self._spaces[path] = [  # a text in a function can hold other code
                (line, _dotted(name)) for line, name in found if not any(one < line <= end for one, end in inside)
            ]
        return next((name for first, name in reversed(self._spaces[path]) if first <= line), '')

    def bound(self, path: str) -> tuple[dict[str, str], dict[str, str]]:
        """What the `use`s of a file bind: (classes and namespaces, functions) by their names there."""
        if path not in self._bound:
            classes, functions = dict[str, str](), dict[str, str]()
            where, rows = self.corpus.file(path), self.rows(path)
            for one in self.corpus.importing(*where) if where else ():
                said = _USE.search(rows[one.line - 1]) if one.line <= len(rows) else None
                into = classes if said is None else functions
                if one.name and (said is None or said.group(1) == 'function'):
                    into[one.alias or one.name] = f'{one.qualifier}.{one.name}'.strip('.')
            self._bound[path] = classes, functions
        return self._bound[path]

    def full(self, where: Where, name: str) -> tuple[str, bool]:
        """(the whole name of a class in a place, with dots; whether the file itself says it)."""
        if name.startswith('\\'):
            return _dotted(name), True
        head, _, rest = _dotted(name).partition('.')
        if head == 'namespace' and rest:
            return f'{self.namespace(where.path, where.line)}.{rest}'.strip('.'), True
        bound = self.bound(where.path)[0].get(head)
        if bound is not None:
            return f'{bound}.{rest}'.strip('.'), True
        return f'{self.namespace(where.path, where.line)}.{_dotted(name)}'.strip('.'), False

    def classes(self, where: Where, full: str) -> list[int]:
        """The classes that have a whole name; of several that in the same file."""
        return self._named(where, full, 'class')

    def functions(self, where: Where, name: str) -> list[int]:
        """The functions that a name means in a place: imported, of the namespace, or global."""
        space = self.namespace(where.path, where.line)
        head, _, rest = _dotted(name).partition('.')
        if name.startswith('\\'):
            return self._named(where, _dotted(name), 'function')
        if rest:
            return self._named(where, self.full(where, name)[0], 'function')
        bound = self.bound(where.path)[1].get(head)
        if bound is not None:
            return self._named(where, bound, 'function')
        return self._named(where, f'{space}.{head}'.strip('.'), 'function') or self._named(where, head, 'function')

    def _named(self, where: Where, full: str, kind: str) -> list[int]:
        if (full, kind) not in self._whole:
            space, _, name = full.rpartition('.')
            known = [
                one
                for one in self.corpus.defining(name)
                if self.corpus.place(one).kind == kind
                and language_of(self.corpus.path(one)) == 'php'
                and self.namespace(self.corpus.path(one), self.corpus.place(one).line) == space
                and (kind == 'class' or self.is_function(one))
            ]
            self._whole[full, kind] = known if len(known) <= MOST else []
        found = self._whole[full, kind]
        if len(found) < 2:
            return found
        same = [one for one in found if self.corpus.path(one) == where.path]
        return same or sorted(found, key=lambda one: -shared_folders(where.path, self.corpus.path(one)))

    def is_function(self, chunk: int) -> bool:
        """Whether a definition is a function or method of its name, not a variable or a property that holds one."""
        place = self.corpus.place(chunk)
        rows = self.rows(self.corpus.path(chunk))
        row = rows[place.line - 1] if place.line <= len(rows) else ''
        name, at = place.name, row.find(place.name)
        return at >= 0 and row[at - 1 : at] != '$' and _CALLED.match(row, at + len(name)) is not None


def _dotted(name: str) -> str:
    return name.strip('\\').replace('\\', '.')
