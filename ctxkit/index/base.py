"""The base segment on disk: a cache of what the store holds for some tree, made anew when the tree has outgrown it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ctxkit.index import segment as segments
from ctxkit.index.manifest import Manifest
from ctxkit.index.segment import Segment
from ctxkit.index.store import Store
from ctxkit.repo import Repo

# It is made anew when the files that it lacks hold more chunks than this, or than a quarter of its own.
REBASE_CHUNKS = 4000


def base_for(
    repo: Repo, store: Store, manifest: Manifest, wanted: Mapping[str, int], model_id: str, dimension: int
) -> Segment:
    """The base segment to search `wanted` (path -> file id) of a manifest with; made if it must be."""
    base = segments.load(base_file(repo))
    if (
        base is None
        or base.model != model_id
        or _lacking(base, wanted, manifest) > max(REBASE_CHUNKS, base.chunks // 4)
    ):
        return _made(repo, store, manifest, model_id, dimension)
    return base


def base_file(repo: Repo) -> Path:
    """Where the base segment is kept; all worktrees share it."""
    return repo.data_dir / 'base.segment'


def _made(repo: Repo, store: Store, manifest: Manifest, model_id: str, dimension: int) -> Segment:
    """Make the base segment of this manifest, keep it on disk, and return it."""
    from ctxkit.index.assemble import build

    make = partial(build, manifest.files, store, model_id, dimension)
    made = make()
    if not store.shared:
        return made
    segments.save(made, base_file(repo))
    del made  # as large as what is mapped next
    return segments.load(base_file(repo)) or make()  # somebody may have deleted it


def _lacking(base: Segment, wanted: Mapping[str, int], manifest: Manifest) -> int:
    """How many chunks of the tree the base does not hold."""
    held = set(base.files)
    return sum(item.chunks for item in manifest.files if item.path in wanted and (item.path, item.file) not in held)
