"""Collecting old content, so that the index is bounded: what no tree has used for a while goes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ctxkit.embedding import encoder_for
from ctxkit.errors import CtxError
from ctxkit.index import manifest as manifests
from ctxkit.index.repair import repairing
from ctxkit.index.store import Store
from ctxkit.repo import Repo
from ctxkit.safety.paths import sweep, writable_folder, write_whole
from ctxkit.safety.sealed import read_sealed
from ctxkit.settings import Settings

# Above these the index is collected by itself after an update, keeping what the last days used.
BOUND_BYTES = 2_000_000_000
BOUND_TREES = 100  # files; a work tree has five
SELF_DAYS = 7
# By itself the database is written anew (20 s for 1.6 GB) only where that gives back such a share; till then what
# comes takes the room.
WORTH_IT = 0.25


class Collected(NamedTuple):
    """How many stored files and manifests went, and the size of the store in bytes before and after."""

    files: int
    trees: int
    before: int
    after: int


@repairing
def collect(repo: Repo, settings: Settings, now: float, days: int, worth_it: float = 0.0) -> Collected:
    """Remove what no tree has used for `days` days; what a present work tree holds always stays. Space is given back
    where it is more than this share of the database."""
    trees = 0
    keep: set[int] = set()
    writable_folder(repo.data_dir)
    for file, root in _trees(repo):
        if root is None:
            _forget(file)
            trees += 1
        else:
            saved = manifests.load(Repo(root, repo.git_dir, repo.common_dir))
            keep |= {item.file for item in saved.files} if saved else set()
    models = {encoder_for(settings.model.name).model_id}
    with Store(repo.data_dir) as store:
        before = store.size()
        files = store.drop_unseen(int(now // 86400) - days + 1, keep, models)
        store.compact(worth_it)
        return Collected(files, trees, before, store.size())


def tidy(repo: Repo, settings: Settings, now: float) -> None:
    """Keep the disk in order after an update: half files of killed processes go, and what is past its bound.

    Nothing that hinders it is an error, since the update is done.
    """
    kept = repo.data_dir / 'trees'
    for folder in (repo.ctx_dir, repo.data_dir, kept):
        sweep(folder)
    with suppress(CtxError, OSError):
        with Store(repo.data_dir) as store:
            size = store.size()
        if size > BOUND_BYTES and not _done_today(repo, now):
            collect(repo, settings, now, SELF_DAYS, WORTH_IT)
        if len(os.listdir(kept)) > BOUND_TREES:
            for file, root in _trees(repo):
                if root is None:
                    _forget(file)


def _done_today(repo: Repo, now: float) -> bool:
    """Whether this was asked today: what a tree used is noted by the day, so nothing more would go."""
    file, day = repo.data_dir / 'collected', f'{now // 86400:.0f}'
    if file.is_file() and file.read_text('ascii', 'replace') == day:
        return True
    write_whole(file, day, durable=False)
    return False


def _trees(repo: Repo) -> Iterator[tuple[Path, Path | None]]:
    """The manifests of all work trees, each with the tree's folder; None where that is gone."""
    for file in sorted((repo.data_dir / 'trees').glob('*.json')):
        if file.name.count('.') == 1:  # the others are of a manifest, beside it
            try:
                root = Path(json.loads(read_sealed(file) or b'{}')['root'])
            except (ValueError, KeyError, TypeError):
                yield file, None
            else:
                yield file, root if root.is_dir() else None


def _forget(manifest: Path) -> None:
    for suffix in ('.json', '.hot.json', '.told.json', '.changed.segment', '.changed.segment.checked'):
        with suppress(OSError):  # another user's
            manifest.with_suffix(suffix).unlink(missing_ok=True)
