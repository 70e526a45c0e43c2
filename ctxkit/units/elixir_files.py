"""What the files of Elixir say: the modules, what each file aliases and imports, how many arguments functions take."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.elixir_text import accepts, is_private
from ctxkit.units.language_files import LanguageFiles

LONGEST = 12  # lines that an import runs over
_WORDS = re.compile(r'\b(alias|import|use)\b')
_ITSELF = re.compile(r'\s*alias __MODULE__\s*(?:#.*)?$')
_IMPORTS = re.compile(r'(?m)^[ \t]*import[ \t]+(?:unquote\()?([\w.]+)')


class Statement(NamedTuple):
    """An `import` or `use`: the module as written, and the text of the statement."""

    module: str
    text: str


class ElixirFiles(LanguageFiles):
    """The files of a tree in Elixir."""

    def __init__(self, corpus: Corpus) -> None:
        """Nothing is read yet."""
        super().__init__(corpus)
        self._arities: dict[int, range] = {}
        self._private: dict[int, bool] = {}
        self._around: dict[int, int] = {}
        self._classes: dict[str, frozenset[str]] = {}
        self._aliases: dict[str, dict[str, list[str]]] = {}
        self._statements: dict[str, dict[str, list[Statement]]] = {}
        self._itself: set[str] = set()
        self._given: dict[str, list[str]] = {}

    def arities(self, chunk: int) -> range:
        """The numbers of arguments that a definition takes; empty if that can't be read."""
        if chunk not in self._arities:
            self._arities[chunk] = accepts(self.corpus.text(chunk), self.corpus.place(chunk).name)
        return self._arities[chunk]

    def is_private(self, chunk: int) -> bool:
        """Whether only its own module can call a function."""
        if chunk not in self._private:
            self._private[chunk] = is_private(self.corpus.text(chunk))
        return self._private[chunk]

    def module(self, chunk: int) -> int:
        """The chunk of the innermost module around a chunk, or itself; -1 outside of all."""
        if chunk not in self._around:
            places = self.places(self.corpus.path(chunk))
            number = chunk - places[0][0]
            while number >= 0 and places[number][1].kind != 'class':
                number = places[number][1].parent
            self._around[chunk] = places[number][0] if number >= 0 else -1
        return self._around[chunk]

    def sees(self, chunk: int, target: int) -> bool:
        """Whether a bare name in `chunk` can mean `target`: in the same module, and in the same `quote` if in one."""
        path = self.corpus.path(chunk)
        if self.corpus.path(target) != path or self.module(target) != self.module(chunk):
            return False
        parent = self.corpus.place(target).parent
        around = self.places(path)[parent][1] if parent >= 0 else None
        if around is None or around.kind not in FUNCTIONS:
            return True
        return around.start_byte <= self.corpus.place(chunk).start_byte < around.end_byte

    def modules(self, path: str) -> Collection[str]:
        """The modules that a file defines."""
        if path not in self._classes:
            self._classes[path] = frozenset(one.symbol for _, one in self.places(path) if one.kind == 'class')
        return self._classes[path]

    def named(self, full: str) -> list[int]:
        """The chunks of the module of that name."""
        places = ((one, self.corpus.place(one)) for one in self.corpus.defining(full.rpartition('.')[2]))
        return [one for one, place in places if place.kind == 'class' and place.symbol == full]

    def aliases(self, path: str, name: str) -> list[str]:
        """The modules that a file has aliased as `name`, as written."""
        self._read(path)
        return self._aliases[path].get(name, [])

    def aliases_itself(self, path: str) -> bool:
        """Whether a module of the file makes its last name known in itself."""
        self._read(path)
        return path in self._itself

    def statements(self, path: str, word: str) -> list[Statement]:
        """The `import` or `use` statements of a file."""
        self._read(path)
        return self._statements[path].get(word, [])

    def given_by(self, full: str) -> list[str]:
        """The modules that `use` of the module `full` imports: all that code in a `quote` of it does."""
        if full not in self._given:
            macros = [one for one in self.corpus.defining('__using__') if self._owner(one) == full]
            inside = [one for path in map(self.corpus.path, macros) for one, _ in self.places(path)]
            texts = [self.corpus.text(one) for one in inside if self._owner(one) == full]
            found = [name for text in texts if 'quote' in text for name in _IMPORTS.findall(text)]
            self._given[full] = [name.replace('__MODULE__', full) for name in dict.fromkeys(found)]
        return self._given[full]

    def _owner(self, chunk: int) -> str:
        return self.corpus.place(chunk).symbol.rpartition('.')[0]

    def _read(self, path: str) -> None:
        """Sort the imports of a file by the word that they begin with: only an `alias` binds a name."""
        if path in self._aliases:
            return
        aliases = self._aliases[path] = {}
        statements = self._statements[path] = {}
        if any(map(_ITSELF.match, self.rows(path))):
            self._itself.add(path)
        where = self.corpus.file(path)
        for one in self.corpus.importing(*where) if where else ():
            rows = self.rows(path)[one.line - 1 : one.line - 1 + LONGEST]
            found = _WORDS.search(rows[0]) if rows else None
            full = f'{one.qualifier}.{one.name}'.lstrip('.')
            if one.alias or found and found.group(1) == 'alias':
                aliases.setdefault(one.alias or one.name, []).append(full)
            if found and found.group(1) != 'alias':
                statements.setdefault(found.group(1), []).append(Statement(full, _statement(rows)))


def _statement(rows: list[str]) -> str:
    """The statement that begins in the first row."""
    text = rows[0].strip()
    for row in rows[1:]:
        if not text.endswith((',', '[', ':')):
            break
        text = f'{text} {row.strip()}'
    return text
