"""Uncommitted edits as units: the chunks of a work tree's file that the commit does not hold as they are."""

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
from ctxkit.units.unit import MAX_TOKENS, identify, shortened

MAX_EDITED = 40  # files that are read, and as many that are gone


class Edit(NamedTuple):
    """A file of the work tree that differs from the commit: its chunks there, None if the index has none, and its
    chunks now with their content hashes; gone is a file without `source`."""

    path: str
    before: Sequence[Place] | None
    source: bytes | None = None
    chunks: Sequence[tuple[Chunk, str]] = ()


def read_edits(repo: Repo, settings: Settings, commit: str, changes: Sequence[Change]) -> tuple[list[Edit], list[str]]:
    """(the first files of `git status` as they are now and those that are gone, the other paths)."""
    from ctxkit.index.current import read_regular
    from ctxkit.index.scan import left_out

    links = {change.path for change in changes if 'T' in change.code and (repo.root / change.path).is_symlink()}
    there = [one.path for one in changes if not one.path.endswith('/') and not one.gone and one.path not in links]
    # `git rm --cached` takes a file out of the index alone
    gone = [one.path for one in changes if one.path in links or one.gone and not (repo.root / one.path).is_file()]
    gone = gone[:MAX_EDITED]
    first, limit = there[:MAX_EDITED], settings.slicing.max_file_bytes
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
    return out, [path for path in there if path not in read]


def made_by(edit: Edit) -> set[str]:
    """The symbols that an edited file defines now and did not in the commit."""
    return {chunk.symbol for chunk, _ in edit.chunks}.difference(place.symbol for place in edit.before or ())


def names_made(edits: Iterable[Edit]) -> set[str]:
    """The names that edits define anew, as the index has them."""
    return {symbol.rpartition('.')[2] for edit in edits for symbol in made_by(edit)}


def chunks_of(path: str, source: bytes, max_bytes: int) -> Iterator[tuple[Chunk, str]]:
    """The chunks of a file, each with its content hash as the index has it."""
    for chunk in slice_file(path, source, max_bytes).chunks:
        yield chunk, digest_of(chunk, source)


def numbered(chunks: Iterable[tuple[Chunk, str]]) -> Iterator[tuple[Chunk, str, int]]:
    """Chunks of a file with their hashes, each with how many of the same symbol stand before it."""
    before: Counter[str] = Counter()
    for chunk, digest in chunks:
        yield chunk, digest, before[chunk.symbol]
        before[chunk.symbol] += 1


def committed_places(repo: Repo, settings: Settings, commit: str, paths: Sequence[str]) -> dict[str, list[Place]]:
    """Path -> the chunks that the commit holds there, from the index; it is made up where a part was deleted or is of
    another ctxkit: all of an edited file would count as edited."""
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
            from ctxkit.embedding import encoder_for  # numpy, which a whole index does without

            manifest = fresh_manifest(repo, store, settings, commit, time.time(), encoder_for(settings.model.name))
        files = {item.path: item.file for item in manifest.files if item.path in wanted}
        return {path: load_places(store.places(file)) for path, file in files.items()}


def committed_source(repo: Repo, commit: str, path: str) -> bytes:
    """The readable bytes of a file in a commit; b'' if it has none."""
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
    gives the file as it was: of what is larger than a unit the lines around the edit are kept.
    """
    text = clean_code(chunk, source, known)
    if tokens.count(text) > MAX_TOKENS:
        text = shortened(text, new_lines(old(), source))
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
