"""A tree as one searchable whole: the base segment, changed files, and uncommitted edits laid over them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ctxkit.index.contents import Contents, Edited
from ctxkit.index.manifest import Manifest
from ctxkit.index.record import BODY, DEFINES, KIND_CODES, REFERS, SYMBOL, Place
from ctxkit.index.segment import Segment
from ctxkit.index.store import Store
from ctxkit.index.terms import definition_id, reference_id, split, term_id, whole
from ctxkit.repo import Repo
from ctxkit.slicing import Reference

if TYPE_CHECKING:
    from ctxkit.index.module_paths import ModulePaths

MOST_NAMES = 10  # chunks that are read to see how the code writes a name


class Corpus(Contents):
    """The chunks of a tree, numbered in one sequence: those of the first segment, then those of the next."""

    def __init__(
        self,
        repo: Repo,
        store: Store,
        manifest: Manifest,
        parts: tuple[Segment, ...],
        dead: tuple[frozenset[int], ...],
        edited: Mapping[str, Edited],
    ) -> None:
        """`dead` are, for each segment, the numbers of its files that are no longer in the tree."""
        super().__init__(repo, store, manifest, parts, edited)
        self.dead = dead
        self._located: dict[int, tuple[str, Place]] = {}
        self._paths: dict[str, tuple[int, int]] = {}
        self._named: dict[str, list[int]] = {}

    def locate(self, chunk: int) -> tuple[int, int, int]:
        """(segment, file number in it, chunk number in the file) of a chunk of the corpus."""
        part, inner = self._inside(chunk)
        file = self.parts[part].file_of(inner)
        return part, file, inner - self.parts[part].arrays['file_start'][file]

    def in_order(self, chunk: int) -> tuple[bytes, int]:
        """A key that sorts chunks by path and place in the file, whichever segment holds them.

        Ties broken by it never depend on the history of the index.
        """
        part, file, number = self.locate(chunk)
        return path_key(self.parts[part].files[file][0]), number

    def path(self, chunk: int) -> str:
        """The path of a chunk's file."""
        return self._found(chunk)[0]

    def place(self, chunk: int) -> Place:
        """Where a chunk is and what it is called."""
        return self._found(chunk)[1]

    def _found(self, chunk: int) -> tuple[str, Place]:
        """(path, place) of a chunk, looked up only once: linking needs the same ones thousands of times."""
        known = self._located.get(chunk)
        if known is None:
            part, file, number = self.locate(chunk)
            known = self._located[chunk] = self.parts[part].files[file][0], self.file_places(part, file)[number]
        return known

    def references(self, chunk: int) -> list[Reference]:
        """What a chunk refers to."""
        part, file, number = self.locate(chunk)
        return [Reference(*row) for row in self._reference_rows(part, file)[number]]

    def kind_code(self, chunk: int) -> int:
        """The code of a chunk's kind (record.KIND_CODES); read from the arrays, without loading a record."""
        part, inner = self._inside(chunk)
        code: int = self.parts[part].arrays['kind'][inner]
        return code

    def path_class(self, chunk: int) -> int:
        """The classes of a chunk's path (path_classes.classes_of); read from the arrays."""
        part, inner = self._inside(chunk)
        bits: int = self.parts[part].arrays['path_class'][self.parts[part].file_of(inner)]
        return bits

    def _inside(self, chunk: int) -> tuple[int, int]:
        part = 0
        while chunk >= self.parts[part].chunks:
            chunk -= self.parts[part].chunks
            part += 1
        return part, chunk

    def numbers(self, part: int, file: int) -> range:
        """The chunk numbers of a file."""
        base = sum(segment.chunks for segment in self.parts[:part])
        starts = self.parts[part].arrays['file_start']
        return range(base + starts[file], base + starts[file + 1])

    def file(self, path: str) -> tuple[int, int] | None:
        """(segment, file number in it) of a path; None if the tree or the index does not have it."""
        return self._by_path().get(path)

    def in_file(self, path: str) -> list[tuple[int, Place]]:
        """The chunks of a path in the tree, each with its place; [] if the index does not know it."""
        where = self.file(path)
        return list(zip(self.numbers(*where), self.file_places(*where), strict=True)) if where else []

    def _by_path(self) -> dict[str, tuple[int, int]]:
        if not self._paths:
            self._paths = {
                path: (part, number)
                for part, segment in enumerate(self.parts)
                for number, (path, _) in enumerate(segment.files)
                if number not in self.dead[part]
            }
        return self._paths

    def paths(self) -> Collection[str]:
        """All paths of the tree that the index knows."""
        return self._by_path()

    def defining(self, name: str) -> list[int]:
        """The chunks that define exactly `name`."""
        if name not in self._named:  # the links of one unit need the same names many times
            self._named[name] = list(self._defining(name))
        return self._named[name]

    def defines(self, name: str) -> bool:
        """Whether any chunk defines exactly `name`; stops at the first that does."""
        found = self._named[name] if name in self._named else self._defining(name)
        return any(True for _ in found)

    def _defining(self, name: str) -> Iterator[int]:
        return (chunk for chunk in self.likely_defining(name) if self.place(chunk).name == name)

    def defining_few(self, name: str, most: int) -> list[int]:
        """Like `defining`, but [] if more than `most` chunks define it; these are then not read."""
        found = self.likely_defining(name)
        return [chunk for chunk in found if self.place(chunk).name == name] if len(found) <= most else []

    def likely_defining(self, name: str) -> list[int]:
        """The chunks that define `name` or, once in millions, another name of the same hash; no record is read."""
        return self.holding(definition_id(name), DEFINES)

    def referring(self, name: str) -> list[int]:
        """The chunks that may refer to `name` (calls, types, bases, imports); check with `references`."""
        return self.holding(reference_id(name), REFERS)

    def holding(self, term: int, field: int, kind: str = '') -> list[int]:
        """The chunks (of a kind) that hold a term in a field, in order."""
        found, base, code = list[list[int]](), 0, KIND_CODES.get(kind)
        for segment, dead in zip(self.parts, self.dead, strict=True):
            kinds = segment.arrays['kind']
            living = [
                base + chunk
                for chunk in segment.chunks_with(term, field)
                if (code is None or kinds[chunk] == code) and (not dead or segment.file_of(chunk) not in dead)
            ]
            if living:
                found.append(living)
            base += segment.chunks
        # Those of a single segment are already in order.
        return found[0] if len(found) == 1 else sorted(chain.from_iterable(found), key=self.in_order)

    def has_word(self, word: str) -> bool:
        """Whether any text or path of the tree has a word, in whatever form."""
        return any(self.has_term(term_id(term)) for term in (*split(word), whole(word)))

    def frequency(self, term: int) -> int:
        """In how many fields of chunks a term occurs."""
        count = 0
        for segment, dead in zip(self.parts, self.dead, strict=True):
            start, end = segment.lookup(term)
            chunks = segment.arrays['post_chunk'][start:end]
            count += sum(segment.file_of(chunk) not in dead for chunk in chunks) if dead else end - start
        return count

    def written(self, word: str) -> str:
        """A name as the code writes it, if it has several parts there: `fitbounds` gives `fitBounds`.

        `word` itself if the code has it as a word, or has no such name.
        """
        if not any(self.has_term(term_id(term)) for term in split(word)):
            for chunk in self.holding(term_id(whole(word)), SYMBOL)[:MOST_NAMES]:
                if whole(name := self.place(chunk).name) == whole(word):
                    return name
        return word

    def has_term(self, term: int) -> bool:
        """Whether any text or path of the tree has a term."""
        for segment, dead in zip(self.parts, self.dead, strict=True):
            start, end = segment.lookup(term)
            first, last = segment.path_lookup(term)
            if not dead and (start < end or first < last):
                return True
            files = segment.arrays['path_file'][first:last]
            if any(file not in dead for file in files):
                return True
            if any(segment.file_of(chunk) not in dead for chunk in segment.arrays['post_chunk'][start:end]):
                return True
        return False

    def in_paths(self, term: int) -> bool:
        """Whether the name of any file or folder of the tree has a term."""
        for segment, dead in zip(self.parts, self.dead, strict=True):
            first, last = segment.path_lookup(term)
            if any(file not in dead for file in segment.arrays['path_file'][first:last]):
                return True
        return False

    def mentioning(self, name: str, kind: str = '') -> list[int]:
        """The chunks (of a kind) whose text holds the identifier `name`, as far as its terms tell."""
        terms = split(name)
        return self.holding(term_id(terms[-1]), BODY, kind) if terms else []

    @cached_property
    def modules(self) -> ModulePaths:
        """The files of the tree by the modules that their paths name."""
        from ctxkit.index.module_paths import ModulePaths

        return ModulePaths(self.paths(), self.source)

    def text(self, chunk: int) -> str:
        """A chunk's own text, not redacted."""
        path, place = self._found(chunk)
        return place.text(self.source(path))


def path_key(path: str) -> bytes:
    """A key that sorts paths as git does."""
    return path.encode('utf-8', 'surrogateescape')
