"""The tree of any commit of a clone as a corpus, without a checkout; the index is kept beside, not in the clone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxkit import repo as git
from ctxkit.embedding import encoder_for
from ctxkit.index.build import build
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_corpus
from ctxkit.index.manifest import Manifest, Tracked
from ctxkit.index.store import Store
from ctxkit.repo import Repo


@contextmanager
def corpus_of(clone: Path, commit: str, index: Path) -> Iterator[Corpus]:
    """The corpus of `commit`; `index` is the folder that keeps what was sliced, for the next commit."""
    found = git.find(clone)
    repo = Repo(found.root, found.git_dir, index)
    index.mkdir(parents=True, exist_ok=True)  # the store makes none above its own: that would be the repository
    encoder = encoder_for('bundled')
    with Store(repo.data_dir) as store:
        entries = git.tree(repo, git.resolve(repo, commit))
        rows = build(repo, store, entries, model_id=encoder.model_id).rows
        files = [
            Tracked(entry.path, entry.blob, rows[entry.path].id, rows[entry.path].language, rows[entry.path].chunks)
            for entry in entries
            if entry.path in rows
        ]
        manifest = Manifest(commit, encoder.model_id, tuple(files))
        yield open_corpus(repo, store, manifest, encoder)
