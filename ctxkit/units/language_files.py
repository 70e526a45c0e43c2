"""What the rules for one language read of a tree: the lines and chunks of its files."""

from __future__ import annotations

from weakref import proxy

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place


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
