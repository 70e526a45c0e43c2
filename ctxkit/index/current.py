"""The corpus of the work tree as it is right now: the index brought up to HEAD, uncommitted edits laid over it."""

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

# More edited files than this are not overlaid, since each is sliced anew. The others are left out: what the commit
# holds of them is not what the work tree holds.
MAX_EDITED = 400


class NotIndexed(CtxError):
    """The index does not hold the commit, and who asks has no time to make it."""


def bring_up(
    repo: Repo,
    store: Store,
    settings: Settings,
    commit: str,
    now: float,
    encoder: Encoder,
    earlier: Manifest | None,
    keep: bool = True,
) -> tuple[Manifest, Built]:
    """Index what `commit` holds and the store lacks; return the manifest. '' is an unborn branch.

    The store is not asked again for what a manifest from `earlier` today names. With `keep` the manifest is saved as
    that of the work tree.
    """
    from ctxkit.index.build import build
    from ctxkit.index.scan import scan

    entries, skipped = scan(repo, commit, settings.slicing) if commit else ([], [])
    limit, day = settings.slicing.max_file_bytes, int(now // 86400)
    held, said = _held(earlier, store, encoder.model_id, limit, day)
    built = build(
        repo,
        store,
        [entry for entry in entries if (entry.path, entry.blob) not in held],
        model=settings.model.name,
        model_id=encoder.model_id,
        max_bytes=limit,
        now=now,
    )
    files, missed = [], []
    for entry in entries:
        was, row = held.get((entry.path, entry.blob)), built.rows.get(entry.path)
        if was is not None:
            files.append(was)
            if entry.path in said:
                missed.append((entry.path, said[entry.path]))
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


def _held(
    saved: Manifest | None, store: Store, model: str, max_bytes: int, day: int
) -> tuple[dict[tuple[str, str], Tracked], dict[str, str]]:
    """What the store was found to hold earlier today, by path and blob, and which paths were skipped then. Asking the
    store about each file again would take most of an event's time in a large tree. Empty where it no longer holds."""
    from ctxkit.index.record import hint
    from ctxkit.index.store import Key

    if saved is None or saved.model != model or saved.day != day or not saved.files:
        return {}, {}
    # Where a database is another one, was written with another limit, or lost its last writes with the power, its
    # newest file is not where it was.
    newest = max(saved.files, key=lambda one: one.file)
    key = Key(newest.blob, hint(newest.path, max_bytes))
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
    """The manifest of `commit`: the saved one where it is of that commit and model, else made now.

    Raises NotIndexed where it is not there and `make` is false.
    """
    saved = manifests.load(repo)
    if saved is not None and saved.commit == commit and saved.model == encoder.model_id and is_present(store, saved):
        return saved
    if not make:
        raise NotIndexed(f'commit {commit[:12]} is not indexed yet', '`ctxkit update` indexes it')
    return bring_up(repo, store, settings, commit, now, encoder, saved)[0]


def is_present(store: Store, manifest: Manifest) -> bool:
    """Whether the store still holds what the manifest names: one of the two may have been deleted."""
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
    """The corpus of HEAD with the work tree's edits over it. Raises NotIndexed if HEAD is not and not to `make`."""
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
    """The corpus of a manifest with edits over it and removed paths left out. Makes the segments that it must.

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
    """Edits as a segment. Their files have negative numbers, since the store has none for them."""
    from ctxkit.index.assemble import Part, assemble
    from ctxkit.index.scratch import Scratch
    from ctxkit.index.segment import held

    parts = [
        Part(edit.path, -1 - number, edit.record.postings, edit.record.columns, edit.vectors)
        for number, edit in enumerate(edited.values())
    ]
    return held(assemble(parts, encoder.model_id, encoder.dimension, Scratch()))


def overlay(
    repo: Repo,
    settings: Settings,
    changes: Sequence[Change],
    encoder: Encoder,
) -> tuple[dict[str, Edited], frozenset[str]]:
    """(edited files, removed paths) of the work tree; only regular files inside it are read, links are not."""
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
    """The bytes of a regular file of the work tree; None where it is gone, too large, a link or behind one."""
    file = repo.root / path
    try:
        info = os.lstat(file)
        if path.endswith('.ipynb'):  # most of it are pictures, which are not read
            max_bytes *= 20
        if not stat.S_ISREG(info.st_mode) or info.st_size > max_bytes:
            return None
        inside = os.path.join(os.path.realpath(repo.root), *path.split('/')[:-1])
        # On Windows git's name of a folder and the disk's may differ in case.
        if os.path.normcase(os.path.realpath(file.parent)) != os.path.normcase(inside):
            return None
        return file.read_bytes()
    except OSError:
        return None
