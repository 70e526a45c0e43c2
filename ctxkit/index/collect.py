"""Collecting old content, so that the index is bounded: what no tree has used for a while goes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from ctxkit.embedding import encoder_for
from ctxkit.index import manifest as manifests
from ctxkit.index.store import Store, mending
from ctxkit.repo import Repo
from ctxkit.settings import Settings

# Above this the index is collected by itself after an update, keeping what the last days used.
BOUND_BYTES = 2_000_000_000
SELF_DAYS = 7


class Collected(NamedTuple):
    """How many stored files and manifests went, and the size of the store in bytes before and after."""

    files: int
    trees: int
    before: int
    after: int


@mending
def collect(repo: Repo, settings: Settings, now: float, days: int) -> Collected:
    """Remove what no tree has used for `days` days; what a present work tree holds always stays."""
    trees = 0
    keep: set[int] = set()
    for file in sorted((repo.data_dir / 'trees').glob('*.json')):
        if file.name.count('.') > 1:  # those of a manifest, beside it
            continue
        root = _root_of(file)
        if not root or not Path(root).is_dir():
            for suffix in ('.json', '.hot.json', '.told.json'):
                file.with_suffix(suffix).unlink(missing_ok=True)
            trees += 1
        else:
            saved = manifests.load(Repo(Path(root), repo.git_dir, repo.common_dir))
            keep |= {item.file for item in saved.files} if saved else set()
    models = {encoder_for(settings.model.name).model_id}
    with Store(repo.data_dir) as store:
        before = store.size()
        files = store.drop_unseen(int(now // 86400) - days + 1, keep, models)
        store.compact()
        return Collected(files, trees, before, store.size())


def bound(repo: Repo, settings: Settings, now: float) -> None:
    """Collect if the store has grown past its bound."""
    with Store(repo.data_dir) as store:
        size = store.size()
    if size > BOUND_BYTES:
        collect(repo, settings, now, SELF_DAYS)


def _root_of(file: Path) -> str:
    try:
        return str(json.loads(file.read_bytes())['root'])
    except (OSError, ValueError, KeyError, TypeError):
        return ''
