"""Uncommitted edits as units: the chunks of a file in the work tree that differ from the commit."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit import tokens
from ctxkit.index.record import Place, digest_of
from ctxkit.repo import Change, Repo, blobs, tree
from ctxkit.safety.secrets import redact
from ctxkit.settings import Settings
from ctxkit.slicing import Chunk, readable, slice_file
from ctxkit.units.changed import new_lines
from ctxkit.units.code import clean_code, one_line
from ctxkit.units.stream import StreamUnit
from ctxkit.units.unit import fitting, identify

MAX_EDITED = 40  # edited files that are read; removed files have a limit of their own, as large


class Edit(NamedTuple):
    """A file of the work tree that differs from the commit.

    `before` are its places in the commit, None if it is not in the index; `chunks` are its chunks now, each with its
    content hash. A removed file has `source` None.
    """

    path: str
    before: Sequence[Place] | None
    source: bytes | None = None
    chunks: Sequence[tuple[Chunk, str]] = ()


def read_edits(repo: Repo, settings: Settings, commit: str, changes: Sequence[Change]) -> tuple[list[Edit], list[str]]:
    """Read the first MAX_EDITED changed files and as many removed ones; returns (edits, paths that were not read)."""
    from ctxkit.index.current import read_regular
    from ctxkit.index.scan import left_out

    links = {change.path for change in changes if 'T' in change.code and (repo.root / change.path).is_symlink()}
    present = [one.path for one in changes if not one.path.endswith('/') and not one.gone and one.path not in links]
    # after `git rm --cached` a file is gone from git's index, but still in the work tree
    gone = [one.path for one in changes if one.path in links or one.gone and not (repo.root / one.path).is_file()]
    gone = gone[:MAX_EDITED]
    first, limit = present[:MAX_EDITED], settings.slicing.max_file_bytes
    skip = left_out(repo, first, settings.slicing, edits=True)
    places = committed_places(repo, settings, commit, [*first, *gone])
    out = []
    for path in first:
        source = None if path in skip else read_regular(repo, path, limit)
        if source is not None:
            source = readable(source)
            out.append(Edit(path, places.get(path), source, list(chunks_of(path, source, limit))))
    read = {edit.path for edit in out}
    out += [Edit(path, places.get(path)) for path in gone]
    return out, [path for path in present if path not in read]


def made_by(edit: Edit) -> set[str]:
    """The symbols that an edited file defines now and did not define in the commit."""
    return {chunk.symbol for chunk, _ in edit.chunks}.difference(place.symbol for place in edit.before or ())


def names_made(edits: Iterable[Edit]) -> set[str]:
    """The last parts of all symbols that `edits` newly define: names as the index stores them."""
    return {symbol.rpartition('.')[2] for edit in edits for symbol in made_by(edit)}


def chunks_of(path: str, source: bytes, max_bytes: int) -> Iterator[tuple[Chunk, str]]:
    """The chunks of a file, each with the content hash that the index would store."""
    for chunk in slice_file(path, source, max_bytes).chunks:
        yield chunk, digest_of(chunk, source)


def numbered(chunks: Iterable[tuple[Chunk, str]]) -> Iterator[tuple[Chunk, str, int]]:
    """(chunk, digest, nth) for the chunks of a file; `nth` counts the chunks of the same symbol before it."""
    before: Counter[str] = Counter()
    for chunk, digest in chunks:
        yield chunk, digest, before[chunk.symbol]
        before[chunk.symbol] += 1


def committed_places(repo: Repo, settings: Settings, commit: str, paths: Sequence[str]) -> dict[str, list[Place]]:
    """Path -> its places in the commit, from the index.

    An index that is incomplete or of another version of ctxkit is brought up to date first: with no places to compare
    with, all of an edited file would count as edited.
    """
    from ctxkit.index import manifest as manifests
    from ctxkit.index.current import fresh_manifest, is_present
    from ctxkit.index.record import load_places
    from ctxkit.index.store import Store

    if not commit:
        return {}
    manifest = manifests.load(repo)
    wanted = set(paths)
    with Store(repo.data_dir) as store:
        if manifest is None or manifest.commit != commit or not is_present(store, manifest):
            from ctxkit.embedding import encoder_for  # imports numpy, not needed while the index is complete

            manifest = fresh_manifest(repo, store, settings, commit, time.time(), encoder_for(settings.model.name))
        files = {item.path: item.file for item in manifest.files if item.path in wanted}
        return {path: load_places(store.places(file)) for path, file in files.items()}


def committed_source(repo: Repo, commit: str, path: str) -> bytes:
    """The content of `path` in `commit`, as `readable` gives it; b'' if there is none."""
    for entry in tree(repo, commit, [path]) if commit else ():
        for _, content in blobs(repo, [entry.blob]):
            return readable(content or b'')
    return b''


def edit_unit(
    path: str,
    added: bool,
    chunk: Chunk,
    nth: int,
    digest: str,
    source: bytes,
    now: float,
    known: frozenset[str],
    *,
    old: Callable[[], bytes],
    edits: int = 1,
    files: int = 1,
) -> StreamUnit:
    """The unit of an edited chunk, without its links: those are found when the edit is committed.

    `nth` is how many chunks of the same symbol stand before it in the file, `files` how many files are edited. `old`
    gives the file before the edit: a chunk that is not shown whole is cut to the lines around the edit.
    """
    whole = clean_code(chunk, source, known)
    text = fitting(whole, chunk.kind, path, lambda: new_lines(old(), source))
    return StreamUnit(
        identify(path, chunk, nth),
        now,
        'edit',
        '',
        path,
        redact(chunk.symbol, known),
        chunk.kind,
        chunk.start_line,
        chunk.end_line,
        'added' if added else 'edited',
        digest,
        edits,
        tokens.count(text),
        one_line(redact(chunk.signature(source), known)),
        text,
        files=files,
    )
