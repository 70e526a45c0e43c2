"""What the rules for one language read of a tree: the lines and chunks of its files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, proxy

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place

_Known = TypeVar('_Known')
_known: WeakKeyDictionary[Corpus, dict[Callable[[Corpus], Any], Any]] = WeakKeyDictionary()


def known_of(corpus: Corpus, make: Callable[[Corpus], _Known]) -> _Known:
    """What `make` gives for a tree; made when it is first asked for, and gone with the corpus."""
    made = _known.setdefault(corpus, {})
    if make not in made:
        made[make] = make(corpus)
    found: _Known = made[make]
    return found


def breaks_of(text: str) -> list[int]:
    """Where the lines of a text end; `bisect_left(breaks, at)` is the number of a line, from 0 on."""
    return [one.start() for one in re.finditer('\n', text)]


class LanguageFiles:
    """The files of one language in a tree; each is read once."""

    def __init__(self, corpus: Corpus) -> None:
        """What is known goes with the corpus, so this does not hold it."""
        self.corpus: Corpus = proxy(corpus)
        self._rows: dict[str, list[str]] = {}
        self._places: dict[str, list[tuple[int, Place]]] = {}

    def rows(self, path: str) -> list[str]:
        """The lines of a file; one empty line where it is not in the tree."""
        if path not in self._rows:
            self._rows[path] = self.corpus.source(path).decode('utf-8', 'replace').split('\n')
        return self._rows[path]

    def places(self, path: str) -> list[tuple[int, Place]]:
        """The chunks of a file, each with its place."""
        if path not in self._places:
            self._places[path] = self.corpus.in_file(path)
        return self._places[path]

    def bytes_of(self, chunk: int, start: int, end: int) -> str:
        """What stands between two places, counted in bytes, of the file that a chunk is in."""
        return self.corpus.source(self.corpus.path(chunk))[start:end].decode('utf-8', 'replace')
