"""What the files of a tree hold: records from the store, bytes from git; each read when first needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ctxkit.index.manifest import Manifest
from ctxkit.index.record import Place, Record, load_places
from ctxkit.index.segment import Segment
from ctxkit.index.store import Store, damaged
from ctxkit.repo import BlobReader, Repo
from ctxkit.slicing import Reference, readable


class Edited(NamedTuple):
    """A file of the work tree that differs from the commit: its content, record and int8 vectors (b'' if none)."""

    path: str
    source: bytes
    record: Record
    vectors: bytes = b''


class Contents:
    """Reads files of a tree, given by (segment, number in it) or by path; edits are laid over the commit."""

    def __init__(
        self,
        repo: Repo,
        store: Store,
        manifest: Manifest,
        parts: tuple[Segment, ...],
        edited: Mapping[str, Edited],
    ) -> None:
        """`parts` are the segments that hold the files, `edited` the edits by path."""
        self.repo = repo
        self.store = store
        self.manifest = manifest
        self.parts = parts
        self.edited = edited
        self._places: dict[tuple[int, int], list[Place]] = {}
        self._references: dict[tuple[int, int], list[list[list[Any]]]] = {}
        self._imports: dict[tuple[int, int], dict[str, Reference]] = {}
        self._importing: dict[tuple[int, int], list[Reference]] = {}
        self._folds: dict[tuple[int, int], list[list[int]]] = {}
        self._sources: dict[str, bytes] = {}
        self._blobs: dict[str, str] = {}
        self._reader: BlobReader | None = None

    def file_places(self, part: int, file: int) -> list[Place]:
        """All places of a file."""
        key = part, file
        if key not in self._places:
            stored = self.parts[part].files[file][1]
            edit = self._edit(part, file)
            self._places[key] = load_places(edit.record.places if edit else self._required(self.store.places, stored))
        return self._places[key]

    def _reference_rows(self, part: int, file: int) -> list[list[list[Any]]]:
        """The references of all chunks of a file, as stored; not made into objects, for most are never looked at."""
        key = part, file
        if key not in self._references:
            stored = self.parts[part].files[file][1]
            edit = self._edit(part, file)
            self._references[key] = json.loads(
                edit.record.references if edit else self._required(self.store.references, stored)
            )
        return self._references[key]

    @staticmethod
    def _required(part: Callable[[int], bytes], stored: int) -> bytes:
        """The data that `part` reads for a stored file. Raises `damaged` if there is none: the tree needs it."""
        data = part(stored)
        if not data:
            raise damaged(stored)
        return data

    def _edit(self, part: int, file: int) -> Edited | None:
        """The edit that a file comes from; None if it comes from the store."""
        path, stored = self.parts[part].files[file]
        return self.edited.get(path) if stored < 0 else None

    def file_folds(self, part: int, file: int) -> list[list[int]]:
        """The folds of a file, each as a list of chunk numbers; [] for an edited file."""
        key = part, file
        if key not in self._folds:
            from ctxkit import tokens
            from ctxkit.index.fold import folds

            path, stored = self.parts[part].files[file]
            runs = json.loads(self.store.alike(stored, self.parts[part].model)) if stored >= 0 else ()
            places = self.file_places(part, file) if runs else ()
            self._folds[key] = folds(runs, lambda number: tokens.count(places[number].text(self.source(path))))
        return self._folds[key]

    def imports(self, part: int, file: int) -> dict[str, Reference]:
        """Name -> the import of the file that binds it."""
        key = part, file
        if key not in self._imports:
            from ctxkit.index.module_paths import bound_by

            self._imports[key] = bound_by(self.importing(part, file))
        return self._imports[key]

    def importing(self, part: int, file: int) -> list[Reference]:
        """The imports of a file, in their order."""
        key = part, file
        if key not in self._importing:
            rows = (row for chunk in self._reference_rows(part, file) for row in chunk)
            self._importing[key] = [Reference(*row) for row in rows if row[0] == 'import']
        return self._importing[key]

    def source(self, path: str) -> bytes:
        """The readable bytes of a file: those of its edit if it is edited, else of the commit; b'' if it is gone."""
        if path in self.edited:
            return self.edited[path].source
        if path not in self._sources:
            self._sources[path] = self._committed(path)
        return self._sources[path]

    def _committed(self, path: str) -> bytes:
        if not self._blobs:
            self._blobs = {item.path: item.blob for item in self.manifest.files}
        return self.blob(self._blobs[path]) if path in self._blobs else b''

    def blob(self, blob: str) -> bytes:
        """The readable bytes of any blob, by its id; b'' if this clone lacks it."""
        if self._reader is None:
            self._reader = BlobReader(self.repo)
            self.store.at_exit.append(self._reader.close)
        return readable(self._reader.read(blob) or b'')
