"""The tree as it is now, with edits laid over the commit: which chunks refer to a name, define it or hold it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from ctxkit.index.corpus import Corpus
from ctxkit.index.module_paths import ModulePaths, bound_by
from ctxkit.slicing import Reference
from ctxkit.units.code import code_of
from ctxkit.units.edited import Edit
from ctxkit.units.link import MAX_REFERRERS

MOST_HOLDING = 40  # committed chunks whose text is searched for a name
T = TypeVar('T')


class Part(NamedTuple):
    """A chunk of the present tree; `chunk` is its number in the corpus, or in `edit` if its file is edited."""

    path: str
    symbol: str
    start_line: int
    end_line: int
    references: Sequence[Reference]
    imports: Callable[[], Mapping[str, Reference]]
    text: Callable[[], str]
    chunk: int
    edit: Edit | None = None


class Present:
    """The chunks of the commit, but for edited files those of the edits."""

    def __init__(self, corpus: Corpus, edits: Iterable[Edit] = ()) -> None:
        self.corpus = corpus
        self._edits = {edit.path: edit for edit in edits}
        self._modules: dict[str, ModulePaths] = {}
        self._answers: dict[Hashable, Any] = {}

    def once(self, question: Hashable, answer: Callable[[], T]) -> T:
        """What `answer` returns; it is called only once for each `question`."""
        if question not in self._answers:
            self._answers[question] = answer()
        known: T = self._answers[question]
        return known

    def source(self, path: str) -> bytes:
        """The content of a file as it is now; b'' if it is gone."""
        return self._edits[path].source or b'' if path in self._edits else self.corpus.source(path)

    def imports(self, path: str) -> Mapping[str, Reference]:
        """Name -> the import that binds it in a file."""
        if path in self._edits:
            return _bound(self._edits[path])
        where = self.corpus.file(path)
        return self.corpus.imports(*where) if where else {}

    def passed_on(self, path: str) -> list[str]:
        """The modules from which a file imports all names (`import *`)."""
        if path in self._edits:
            found = [one for chunk, _ in self._edits[path].chunks for one in chunk.references if one.kind == 'import']
        else:
            where = self.corpus.file(path)
            found = self.corpus.importing(*where) if where else []
        return [one.qualifier for one in found if one.name == '*']

    def modules_with(self, path: str) -> ModulePaths:
        """The modules of the tree as it is now and that of `path`, which may be gone."""
        if path not in self._modules:
            added = {path, *self._edits}.difference(self.corpus.paths())
            self._modules[path] = ModulePaths(added, self.source, self.corpus.modules) if added else self.corpus.modules
        return self._modules[path]

    def referring(self, name: str) -> Iterator[Part]:
        """The chunks that may refer to `name`; of the commit, at most MAX_REFERRERS."""
        yield from self._committed(self.corpus.referring(name)[:MAX_REFERRERS])
        for edit in self._edits.values():
            for number, (chunk, _) in enumerate(edit.chunks):
                if any(one.name == name for one in chunk.references):
                    yield _edited(edit, number)

    def defining(self, name: str) -> Iterator[Part]:
        """The chunks that define `name`."""
        yield from self._committed(self.corpus.defining(name))
        for edit in self._edits.values():
            for number, (chunk, _) in enumerate(edit.chunks):
                if chunk.symbol.rpartition('.')[2] == name:  # as the index has it
                    yield _edited(edit, number)

    def defining_few(self, name: str, most: int) -> list[Part] | None:
        """Like `defining`, but None if more than `most` chunks of the commit define it; these are then not read."""
        if self.corpus.defining_few(name, most) or not self.corpus.defines(name):
            return list(self.defining(name))
        return None

    def holding(self, name: str, kind: str) -> Iterator[Part]:
        """The chunks of a kind whose text may hold `name`; of the commit, at most MOST_HOLDING."""
        yield from islice(self._committed(self.corpus.mentioning(name, kind)), MOST_HOLDING)
        for edit in self._edits.values():
            for number, (chunk, _) in enumerate(edit.chunks):
                if chunk.kind == kind and name in chunk.text(edit.source or b''):
                    yield _edited(edit, number)

    def _committed(self, chunks: Iterable[int]) -> Iterator[Part]:
        for chunk in chunks:
            path = self.corpus.path(chunk)
            if path in self._edits:
                continue
            part, file, _ = self.corpus.locate(chunk)
            place = self.corpus.place(chunk)
            yield Part(
                path,
                place.symbol,
                place.start_line,
                place.end_line,
                self.corpus.references(chunk),
                partial(self.corpus.imports, part, file),
                lambda place=place, path=path: code_of(place, self.corpus.source(path)),  # type: ignore[misc]
                chunk,
            )


def _edited(edit: Edit, number: int) -> Part:
    chunk = edit.chunks[number][0]

    lines = chunk.start_line, chunk.end_line
    text = partial(chunk.text, edit.source or b'')
    return Part(edit.path, chunk.symbol, *lines, chunk.references, partial(_bound, edit), text, number, edit)


def _bound(edit: Edit) -> dict[str, Reference]:
    return bound_by(one for chunk, _ in edit.chunks for one in chunk.references)
