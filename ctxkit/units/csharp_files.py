"""What the files of C# say: their namespaces, and the types that can be named in each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import language_of
from ctxkit.units.csharp_text import parameters, type_parameters
from ctxkit.units.language_files import LanguageFiles
from ctxkit.units.seen import shared_folders

HEAD = 2_000  # characters of a definition in which its parameters stand
MOST = 60  # types of one name that are looked at
_NAMESPACE = re.compile(r'^\s*namespace\s+([\w.]+)')
_USING = re.compile(r'^\s*(global\s+)?using\s+(?:static\s+)?(?:global::)?([\w.]+)\s*;')
_GLOBAL = re.compile(r'(?i)(?:usings?\.cs|imports?\.cs|\.csproj|\.props|\.targets)$')
_IN_PROJECT = re.compile(r'<Using\s+Include="([\w.]+)"')
_PARTIAL = re.compile(r'\bpartial\s+(?:class|struct|interface|record)\b')


class CSharpFiles(LanguageFiles):
    """The files of a tree in C#."""

    def __init__(self, corpus: Corpus) -> None:
        """Nothing is read yet."""
        super().__init__(corpus)
        self._namespaces: dict[str, frozenset[str]] = {}
        self._usings: dict[str, frozenset[str]] = {}
        self._types: dict[int, int] = {}
        self._parameters: dict[int, range | None] = {}
        self._global: dict[str, frozenset[str]] | None = None

    def namespaces(self, path: str) -> frozenset[str]:
        """The namespaces that a file has code in; '' for the global one."""
        self._read(path)
        return self._namespaces[path]

    def usings(self, path: str) -> frozenset[str]:
        """The namespaces and types that a file has opened, also for all files of its project."""
        self._read(path)
        shared = (names for folder, names in self._shared().items() if path.startswith(folder))
        return self._usings[path].union(*shared)

    def type_parameters(self, chunk: int) -> int:
        """How many type parameters a type has."""
        if chunk not in self._types:
            self._types[chunk] = type_parameters(self.head(chunk), self.corpus.place(chunk).name)
        return self._types[chunk]

    def parameters(self, chunk: int) -> range | None:
        """How many arguments a method takes; None for a property, or what can't be read."""
        if chunk not in self._parameters:
            self._parameters[chunk] = parameters(self.head(chunk), self.corpus.place(chunk).name)
        return self._parameters[chunk]

    def head(self, chunk: int) -> str:
        """The definition from its own line on, without attributes above it."""
        place = self.corpus.place(chunk)
        rows = self.rows(self.corpus.path(chunk))[place.line - 1 : min(place.end_line, place.line + 40)]
        return '\n'.join(rows)[:HEAD]

    def named(self, symbol: str) -> list[int]:
        """The types of that symbol; [] if there are too many of the name to look at."""
        found = self.corpus.defining(symbol.rpartition('.')[2])
        if len(found) > MOST * 4:
            return []
        kinds = [one for one in found if self.corpus.place(one).kind == 'class']
        return [one for one in kinds if self.corpus.place(one).symbol == symbol and self._is_csharp(one)]

    def nearest(self, path: str, types: Sequence[int]) -> list[int]:
        """Those of some types that their name means in a file: of its namespace, one around it, or a used one.

        [] if none is in sight.
        """
        own = sorted({one for name in self.namespaces(path) for one in _around(name)}, key=len, reverse=True)
        for names in (*([one] for one in own), self.usings(path)):
            found = [one for one in types if not self.namespaces(self.corpus.path(one)).isdisjoint(names)]
            if found:
                near = max(shared_folders(path, self.corpus.path(one)) for one in found)
                return [one for one in found if shared_folders(path, self.corpus.path(one)) == near]
        folder = path.rpartition('/')[0]  # what a project opens for all its files may stand anywhere
        return [one for one in types if self.corpus.path(one).rpartition('/')[0] == folder]

    def is_one(self, types: Sequence[int]) -> bool:
        """Whether all are parts of one type."""
        return len(types) == 1 or all(_PARTIAL.search(self.head(one)) for one in types)

    def main(self, parts: Sequence[int]) -> int:
        """Of the parts of a type the one that its file is named after, else the longest."""
        places = {one: self.corpus.place(one) for one in parts}
        stems = {one: self.corpus.path(one).rpartition('/')[2].rpartition('.')[0] for one in parts}
        return max(
            parts, key=lambda one: (stems[one] == places[one].name, places[one].end_byte - places[one].start_byte)
        )

    def _is_csharp(self, chunk: int) -> bool:
        return language_of(self.corpus.path(chunk)) == 'csharp'

    def _read(self, path: str) -> None:
        if path in self._namespaces:
            return
        rows = self.rows(path)
        found = [one.group(1) for row in rows if 'namespace' in row and (one := _NAMESPACE.match(row))]
        self._namespaces[path] = frozenset(found or [''])
        self._usings[path] = frozenset(one.group(2) for row in rows if 'using' in row and (one := _USING.match(row)))

    def _shared(self) -> dict[str, frozenset[str]]:
        """Folder -> what `global using` opens in the files below it; read where such lines are usually kept."""
        if self._global is None:
            self._global = {}
            for path in self.corpus.paths():
                if _GLOBAL.search(path):
                    used = {one.group(2) for row in self.rows(path) if (one := _USING.match(row)) and one.group(1)}
                    used.update(_IN_PROJECT.findall('\n'.join(self.rows(path))))
                    folder = path.rpartition('/')[0].removesuffix('/Properties')
                    folder = f'{folder}/' if folder else ''
                    self._global[folder] = self._global.get(folder, frozenset()) | used
        return self._global


def _around(namespace: str) -> list[str]:
    """`A.B` -> ['A.B', 'A', '']."""
    parts = namespace.split('.')
    return ['.'.join(parts[:count]) for count in range(len(parts), -1, -1)]
