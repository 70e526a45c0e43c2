"""What the files of Ruby say: the classes of each full name, what they inherit, and which methods are of the class."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import language_of
from ctxkit.units.language_files import LanguageFiles

MOST = 200  # definitions of a name that are looked at
LEVELS = 8  # of base classes
MOST_BASES = 60
_SINGLETON = re.compile(r'\s*(?:(?:private_class_method|public|private)\s+)?def\s+(?:self|[A-Z]\w*)\.')
_OPENED = re.compile(r'\s*class\s*<<\s*self\b')


class RubyFiles(LanguageFiles):
    """The files of a tree in Ruby."""

    def __init__(self, corpus: Corpus) -> None:
        """Nothing is read yet."""
        super().__init__(corpus)
        self._named: dict[str, list[int]] = {}
        self._bases: dict[str, list[str]] = {}
        self._singleton: dict[int, bool] = {}

    def class_around(self, chunk: int) -> str:
        """The full name of the class or module around a chunk, or its own; '' outside of all."""
        places = self.places(self.corpus.path(chunk))
        number = chunk - places[0][0]
        while number >= 0 and places[number][1].kind != 'class':
            number = places[number][1].parent
        return full_name(places[number][1].symbol) if number >= 0 else ''

    def named(self, full: str) -> list[int]:
        """The chunks that open the class or module of that full name."""
        if full not in self._named:
            parts = full.split('.')
            names = ['::'.join(parts[first:]) for first in range(len(parts))]  # `class A::B` is one name
            found = {one for name in names for one in self.corpus.defining(name)[:MOST]}
            self._named[full] = sorted(one for one in found if self._is_class(one, full))
        return self._named[full]

    def is_module(self, full: str) -> bool:
        """Whether that is a module, which may have its methods itself (`module_function`, `extend self`)."""
        head = self.corpus.text(self.named(full)[0]) if self.named(full) else ''
        return head.startswith('module')

    def resolve(self, name: str, around: str) -> str:
        """The full name of the class that a constant means within the class `around`; '' if the tree has none."""
        parts = around.split('.') if around else []
        for depth in range(len(parts), -1, -1):
            full = '.'.join((*parts[:depth], name))
            if self.named(full):
                return full
        return ''

    def methods(self, full: str, name: str) -> list[int]:
        """The methods of that name that a class itself defines, in any file."""
        found = self.corpus.defining(name)
        return [one for one in found[: MOST * 5] if self._owner(one) == full and not self._is_class(one, '')]

    def inherited(self, full: str, name: str) -> list[int]:
        """The methods of that name of the nearest of the modules and classes that a class is derived from."""
        seen = {full}
        level = [full]
        for _ in range(LEVELS):
            level = [
                base for base in dict.fromkeys(base for one in level for base in self.bases(one)) if base not in seen
            ]
            seen.update(level)
            found = [one for base in level for one in self.methods(base, name)]
            if found or not level or len(seen) > MOST_BASES:
                return found
        return []

    def bases(self, full: str) -> list[str]:
        """What a class includes, and its superclass, where the tree has them."""
        if full not in self._bases:
            around = full.rpartition('.')[0]
            written = [
                f'{one.qualifier}.{one.name}'.lstrip('.')
                for part in self.named(full)
                for one in self.corpus.references(part)
                if one.kind == 'base'
            ]
            found = [self.resolve(one, full) or self.resolve(one, around) for one in written]
            self._bases[full] = [one for one in dict.fromkeys(found) if one and one != full]
        return self._bases[full]

    def is_singleton(self, method: int) -> bool:
        """Whether a method is one of the class itself: `def self.run`, or within `class << self`."""
        if method not in self._singleton:
            place = self.corpus.place(method)
            rows = self.rows(self.corpus.path(method))
            first = rows[place.line - 1] if place.line <= len(rows) else ''
            self._singleton[method] = bool(_SINGLETON.match(first)) or any(
                _OPENED.match(row) for row in _around(rows, place.line - 1)
            )
        return self._singleton[method]

    def is_writer(self, method: int) -> bool:
        """Whether `attr_writer` or the like made a method, so that it can be assigned to."""
        rows = self.rows(self.corpus.path(method))
        first = self.corpus.place(method).start_line - 1
        return re.search(r'(?:_writer|_accessor|_attribute)\b', rows[first] if first < len(rows) else '') is not None

    def _owner(self, chunk: int) -> str:
        return full_name(self.corpus.place(chunk).symbol.rpartition('.')[0])

    def _is_class(self, chunk: int, full: str) -> bool:
        place = self.corpus.place(chunk)
        if place.kind != 'class' or language_of(self.corpus.path(chunk)) != 'ruby':
            return False
        return not full or full_name(place.symbol) == full


def full_name(symbol: str) -> str:
    """The full name of a class by its symbol: `class A::B` in a module is one part of it."""
    return symbol.replace('::', '.').strip('.')


def _around(rows: Sequence[str], number: int) -> Iterator[str]:
    """The rows above a row that are indented less than all between them: what it stands in."""
    depth = len(rows[number]) - len(rows[number].lstrip()) if number < len(rows) else 0
    for row in reversed(rows[:number]):
        indent = len(row) - len(row.lstrip())
        if row.strip() and indent < depth:
            yield row
            depth = indent
        if not depth:
            return
