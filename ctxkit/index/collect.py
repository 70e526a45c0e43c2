"""Keep the index bounded: remove content that no tree has used for a while."""

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

# Above these bounds, `tidy` collects after an update, keeping what the last SELF_DAYS days used.
BOUND_BYTES = 2_000_000_000
BOUND_TREES = 100  # files; a work tree has five
SELF_DAYS = 7
# `tidy` rewrites the database (20 s for 1.6 GB) only if that frees at least this share; until then, new content fills
# the free pages.
WORTH_IT = 0.25


class Collected(NamedTuple):
    """How many stored files and manifests were removed, and the size of the store in bytes before and after."""

    files: int
    trees: int
    before: int
    after: int


@repairing
def collect(repo: Repo, settings: Settings, now: float, days: int, worth_it: float = 0.0) -> Collected:
    """Remove what no tree has used for `days` days; what an existing work tree holds always stays.

    The database is rewritten to free disk space if that is more than the share `worth_it` of it.
    """
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
    """Clean up after an update: remove unfinished files of killed processes, and old content above the bounds.

    Failures are ignored, since the update itself is done.
    """
    kept = repo.data_dir / 'trees'
    for folder in (repo.ctx_dir, repo.data_dir, kept):
        sweep(folder)
    with suppress(CtxError, OSError):
        with Store(repo.data_dir) as store:
            size = store.size()
        if size > BOUND_BYTES and not _was_done_today(repo, now):
            collect(repo, settings, now, SELF_DAYS, WORTH_IT)
        if len(os.listdir(kept)) > BOUND_TREES:
            for file, root in _trees(repo):
                if root is None:
                    _forget(file)


def _was_done_today(repo: Repo, now: float) -> bool:
    """Whether the index was collected today already; if not, note that it is now.

    Use is recorded by the day, so a second time would remove nothing more.
    """
    file, day = repo.data_dir / 'collected', f'{now // 86400:.0f}'
    if file.is_file() and file.read_text('ascii', 'replace') == day:
        return True
    write_whole(file, day, durable=False)
    return False


def _trees(repo: Repo) -> Iterator[tuple[Path, Path | None]]:
    """(manifest, folder of the work tree) for all work trees; the folder is None if it is gone."""
    for file in sorted((repo.data_dir / 'trees').glob('*.json')):
        if file.name.count('.') == 1:  # `<tree>.hot.json` and the like belong to a manifest
            try:
                root = Path(json.loads(read_sealed(file) or b'{}')['root'])
            except (ValueError, KeyError, TypeError):
                yield file, None
            else:
                yield file, root if root.is_dir() else None


def _forget(manifest: Path) -> None:
    for suffix in ('.json', '.hot.json', '.told.json', '.changed.segment', '.changed.segment.checked'):
        with suppress(OSError):  # it may be another user's
            manifest.with_suffix(suffix).unlink(missing_ok=True)
