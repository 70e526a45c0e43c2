"""The segments on disk: caches of what the store holds for a tree, made again when the tree has outgrown them.

The base segment is shared by all work trees; the files that a work tree has in addition are in a segment of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ctxkit.index import segment as segments
from ctxkit.index.manifest import Manifest, Tracked
from ctxkit.index.segment import Segment
from ctxkit.index.store import Store
from ctxkit.repo import Repo
from ctxkit.safety.paths import real_folder

# The base is made again when the files that it lacks have more chunks than this and than a quarter of its own.
REBASE_CHUNKS = 4000


def segments_for(repo: Repo, store: Store, manifest: Manifest, model_id: str, dimension: int) -> tuple[Segment, ...]:
    """The base segment, and if it lacks files of the tree, a second one with these; each is made if necessary.

    Together they hold all files of the manifest. The base may hold files that the tree no longer has.
    """
    make = partial(_make_segment, store, model_id, dimension)
    base = segments.load(base_file(repo))
    if base is None or base.model != model_id:
        return (make(manifest.files, base_file(repo)),)
    in_base = set(base.files)
    lacking = [one for one in manifest.files if (one.path, one.file) not in in_base]
    if sum(one.chunks for one in lacking) > max(REBASE_CHUNKS, base.chunks // 4):
        return (make(manifest.files, base_file(repo)),)
    if not lacking:
        return (base,)
    changed = segments.load(changed_file(repo))
    if changed is None or changed.model != model_id or changed.files != tuple((one.path, one.file) for one in lacking):
        changed = make(lacking, changed_file(repo))
    return base, changed


def base_file(repo: Repo) -> Path:
    """Path of the base segment, which all work trees share."""
    return repo.data_dir / 'base.segment'


def changed_file(repo: Repo) -> Path:
    """Path of the segment with the files that this work tree has in addition to the base."""
    return repo.tree_file('.changed.segment')


def _make_segment(store: Store, model_id: str, dimension: int, files: Sequence[Tracked], file: Path) -> Segment:
    """Make the segment of these files of a manifest, write it to `file` if the store is writable, and return it."""
    from ctxkit.index.assemble import assemble, stored_parts
    from ctxkit.index.scratch import Scratch

    if store.shared:
        real_folder(file.parent, store.file.parent.parent)  # below git's folder, which must not be made if deleted
        with Scratch(store.file.parent) as room:
            segments.save(assemble(stored_parts(files, store, model_id), model_id, dimension, room), file)
        if made := segments.load(file):
            return made  # else somebody has deleted it meanwhile
    return segments.in_memory(assemble(stored_parts(files, store, model_id), model_id, dimension, Scratch()))
