"""The tree of a work tree as the index sees it: which path is which stored file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from ctxkit.index.record import FORMAT
from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder
from ctxkit.safety.sealed import read_sealed, write_sealed


class Tracked(NamedTuple):
    """One indexed file of the tree; `file` is its id in the store, `chunks` how many it has."""

    path: str
    blob: str
    file: int
    language: str
    chunks: int


class Manifest(NamedTuple):
    """The files of a commit's tree in path order, and why others were skipped: [(path, reason)].

    `day` (days since the epoch) is when the store was last asked for each of them.
    """

    commit: str
    model: str
    files: tuple[Tracked, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    day: int = -1


def file_of(repo: Repo) -> Path:
    """Path of the manifest of this work tree."""
    return repo.tree_file('.json')


def streamed_file(repo: Repo) -> Path:
    """Path of the manifest whose changes the stream has; a search may have indexed a later commit since."""
    return repo.tree_file('.told.json')


def save(repo: Repo, manifest: Manifest) -> None:
    """Save the manifest of this work tree."""
    _write(repo, manifest, file_of(repo))


def save_streamed(repo: Repo, manifest: Manifest) -> None:
    """Record that the stream has the changes up to this manifest."""
    _write(repo, manifest, streamed_file(repo))


def _write(repo: Repo, manifest: Manifest, file: Path) -> None:
    data_folder(repo.data_dir, 'trees')
    data = {
        'format': FORMAT,
        'root': str(repo.root),
        'commit': manifest.commit,
        'model': manifest.model,
        'files': manifest.files,
        'skipped': manifest.skipped,
        'day': manifest.day,
    }
    # Checked against the store when it is used, so it need not be flushed to the disk.
    write_sealed(file, json.dumps(data, separators=(',', ':')), durable=False)


def load(repo: Repo) -> Manifest | None:
    """The manifest of this work tree; None if it is missing, broken or of another format."""
    return _read(file_of(repo))


def load_streamed(repo: Repo) -> Manifest | None:
    """The manifest whose changes the stream has; None before the first update."""
    return _read(streamed_file(repo))


def _read(file: Path) -> Manifest | None:
    try:
        data = json.loads(read_sealed(file) or b'{}')
        if data['format'] != FORMAT:
            return None
        return Manifest(
            data['commit'],
            data['model'],
            tuple(map(Tracked._make, data['files'])),
            tuple((path, reason) for path, reason in data['skipped']),
            data.get('day', -1),
        )
    except (ValueError, KeyError, TypeError):
        return None
