"""Open the corpus of the work tree as it is now: the index brought up to HEAD, with uncommitted edits laid over it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from ctxkit.embedding import encoder_for
from ctxkit.errors import CtxError
from ctxkit.index import manifest as manifests
from ctxkit.index.base import segments_for
from ctxkit.index.contents import Edited
from ctxkit.index.corpus import Corpus
from ctxkit.index.manifest import Manifest, Tracked
from ctxkit.index.store import Store
from ctxkit.repo import Change, Repo
from ctxkit.settings import Settings
from ctxkit.slicing import GIVEN_UP

if TYPE_CHECKING:
    from ctxkit.embedding import Encoder
    from ctxkit.index.build import Built
    from ctxkit.index.segment import Segment

# Edited files that are laid over the commit: each is sliced again. Further ones are left out of the corpus, because the
# commit's version is no longer what the work tree holds.
MAX_EDITED = 400


class NotIndexed(CtxError):
    """The index does not hold the commit, and the caller has no time to make it."""


def index_commit(
    repo: Repo,
    store: Store,
    settings: Settings,
    commit: str,
    now: float,
    encoder: Encoder,
    earlier: Manifest | None,
    keep: bool = True,
) -> tuple[Manifest, Built]:
    """Index what `commit` ('' on an unborn branch) holds and the store lacks; return (manifest, what was built).

    `earlier` is a saved manifest: if it is of today, the store is not asked again for the files that it names. With
    `keep`, the new manifest is saved as that of the work tree.
    """
    from ctxkit.index.build import build
    from ctxkit.index.scan import scan

    entries, skipped = scan(repo, commit, settings.slicing) if commit else ([], [])
    limit, day = settings.slicing.max_file_bytes, int(now // 86400)
    found_earlier, reasons = _found_earlier(earlier, store, encoder.model_id, limit, day)
    built = build(
        repo,
        store,
        [entry for entry in entries if (entry.path, entry.blob) not in found_earlier],
        model=settings.model.name,
        model_id=encoder.model_id,
        max_bytes=limit,
        now=now,
    )
    files, missed = [], []
    for entry in entries:
        tracked, row = found_earlier.get((entry.path, entry.blob)), built.rows.get(entry.path)
        if tracked is not None:
            files.append(tracked)
            if entry.path in reasons:
                missed.append((entry.path, reasons[entry.path]))
        elif row is None:
            missed.append((entry.path, 'its content is not in this clone'))
        else:
            files.append(Tracked(entry.path, entry.blob, row.id, row.language, row.chunks))
            if row.skipped:
                missed.append((entry.path, row.skipped))
            elif row.broken == GIVEN_UP:
                missed.append((entry.path, 'no code that can be parsed in reasonable time; read as plain text'))
    made = Manifest(commit, encoder.model_id, tuple(files), tuple(sorted([*skipped, *missed])), day)
    if keep:
        manifests.save(repo, made)
    return made, built


def _found_earlier(
    saved: Manifest | None, store: Store, model: str, max_bytes: int, day: int
) -> tuple[dict[tuple[str, str], Tracked], dict[str, str]]:
    """(files that `saved` found in the store earlier today, by path and blob; why paths were skipped then).

    Asking the store about each file again would take most of an event's time in a large tree. Both are empty if the
    manifest is older or no longer true of the store.
    """
    from ctxkit.index.record import path_hint
    from ctxkit.index.store import Key

    if saved is None or saved.model != model or saved.day != day or not saved.files:
        return {}, {}
    # If the database was replaced, written with another size limit, or lost its last writes in a power failure, the
    # newest file is not where it was.
    newest = max(saved.files, key=lambda one: one.file)
    key = Key(newest.blob, path_hint(newest.path, max_bytes))
    row = store.known([key]).get(key)
    if row is None or row.id != newest.file or not store.has(row.id, model):
        return {}, {}
    return {(one.path, one.blob): one for one in saved.files}, dict(saved.skipped)


def fresh_manifest(
    repo: Repo,
    store: Store,
    settings: Settings,
    commit: str,
    now: float,
    encoder: Encoder,
    make: bool = True,
) -> Manifest:
    """The manifest of `commit`: the saved one if it is of that commit and model, else made now.

    Raises NotIndexed if it would have to be made and `make` is False.
    """
    saved = manifests.load(repo)
    if saved is not None and saved.commit == commit and saved.model == encoder.model_id and is_present(store, saved):
        return saved
    if not make:
        raise NotIndexed(f'commit {commit[:12]} is not indexed yet', '`ctxkit update` indexes it')
    return index_commit(repo, store, settings, commit, now, encoder, saved)[0]


def is_present(store: Store, manifest: Manifest) -> bool:
    """Whether the store still holds what the manifest names, judged by its last file: either may have been deleted."""
    return not manifest.files or store.has(manifest.files[-1].file, manifest.model)


def open_current(
    repo: Repo,
    store: Store,
    settings: Settings,
    commit: str,
    changes: Sequence[Change],
    now: float,
    make: bool = True,
) -> Corpus:
    """The corpus of `commit` with `changes` of the work tree over it. Raises NotIndexed as `fresh_manifest` does."""
    encoder = encoder_for(settings.model.name)
    manifest = fresh_manifest(repo, store, settings, commit, now, encoder, make)
    edited, removed = overlay(repo, settings, changes, encoder)
    return open_corpus(repo, store, manifest, encoder, edited, removed)


def open_corpus(
    repo: Repo,
    store: Store,
    manifest: Manifest,
    encoder: Encoder,
    edited: Mapping[str, Edited] = MappingProxyType({}),
    removed: frozenset[str] = frozenset(),
) -> Corpus:
    """The corpus of a manifest with `edited` files over it and `removed` paths left out; makes segments if necessary.

    `encoder` is the one that made the vectors of the manifest.
    """
    parts = segments_for(repo, store, manifest, encoder.model_id, encoder.dimension)
    wanted = {item.path: item.file for item in manifest.files if item.path not in edited and item.path not in removed}
    dead = tuple(
        frozenset(number for number, (path, stored) in enumerate(part.files) if wanted.get(path) != stored)
        for part in parts
    )
    if edited:
        parts = (*parts, _segment_of(edited, encoder))
        dead = (*dead, frozenset())
    return Corpus(repo, store, manifest, parts, dead, edited)


def _segment_of(edited: Mapping[str, Edited], encoder: Encoder) -> Segment:
    """A segment of the edits; their file ids are negative, because they are not in the store."""
    from ctxkit.index.assemble import Part, assemble
    from ctxkit.index.scratch import Scratch
    from ctxkit.index.segment import in_memory

    parts = [
        Part(edit.path, -1 - number, edit.record.postings, edit.record.columns, edit.vectors)
        for number, edit in enumerate(edited.values())
    ]
    return in_memory(assemble(parts, encoder.model_id, encoder.dimension, Scratch()))


def overlay(
    repo: Repo,
    settings: Settings,
    changes: Sequence[Change],
    encoder: Encoder,
) -> tuple[dict[str, Edited], frozenset[str]]:
    """(edited files by path, paths to leave out) of the work tree; only regular files inside it are read, no links."""
    if not changes:
        return {}, frozenset()
    from ctxkit.index.embed import embed
    from ctxkit.index.record import make, quantise
    from ctxkit.index.scan import left_out

    edited: dict[str, Edited] = {}
    paths = [change.path for change in changes if change.path and not change.path.endswith('/')]
    removed = set(paths[MAX_EDITED:])
    skip = left_out(repo, paths[:MAX_EDITED], settings.slicing, edits=True)
    for path in paths[:MAX_EDITED]:
        source = read_regular(repo, path, settings.slicing.max_file_bytes)
        if source is None:
            removed.add(path)
        elif path not in skip:
            made = make(path, source, settings.slicing.max_file_bytes)
            edited[path] = Edited(path, made.source, made.record, quantise(embed(encoder, [(path, made)])))
        else:
            removed.add(path)
    return edited, frozenset(removed)


def read_regular(repo: Repo, path: str, max_bytes: int) -> bytes | None:
    """The bytes of a regular file of the work tree; None if it is gone, too large, a link or below one."""
    file = repo.root / path
    try:
        info = os.lstat(file)
        if path.endswith('.ipynb'):  # most of a notebook is pictures, which are dropped later
            max_bytes *= 20
        if not stat.S_ISREG(info.st_mode) or info.st_size > max_bytes:
            return None
        inside = os.path.join(os.path.realpath(repo.root), *path.split('/')[:-1])
        # On Windows, git and the disk may spell a folder in different case.
        if os.path.normcase(os.path.realpath(file.parent)) != os.path.normcase(inside):
            return None
        return file.read_bytes()
    except OSError:
        return None
