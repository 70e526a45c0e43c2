"""The clones that a worker may read: those below its roots, found by folder, or else by identity."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxkit import repo as git
from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.stream.identity import project

DEPTH = 3
LOOK_AGAIN = 60.0


class Clones:
    """Finds the clone of a job. A folder that is not below a root is never opened, whoever asks for it."""

    def __init__(self, roots: Sequence[Path], settings: Settings) -> None:
        self._roots = [Path(os.path.realpath(root)) for root in roots]
        self._settings = settings
        self._by_identity: dict[str, Path] = {}
        self._looked = -LOOK_AGAIN

    def find(self, folder: str, identity: str) -> Repo:
        """The clone at `folder`, else one of the project `identity`. Raises CtxError if there is none."""
        real = Path(os.path.realpath(folder)) if folder else None
        if real and any(real == root or root in real.parents for root in self._roots) and _is_clone(real):
            return opened(real)
        if identity:
            if identity not in self._by_identity and time.monotonic() - self._looked > LOOK_AGAIN:
                self._look()
            if identity in self._by_identity:
                return opened(self._by_identity[identity])
        raise CtxError(f'no clone of {identity or folder} below {", ".join(map(str, self._roots))}')

    def _look(self) -> None:
        self._looked = time.monotonic()
        for root in self._roots:
            for clone in _below(root, DEPTH):
                try:
                    self._by_identity.setdefault(project(opened(clone), self._settings), clone)
                except CtxError:
                    continue  # a shallow or empty clone has no identity


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if _is_clone(folder):
        yield folder
    elif depth:
        try:
            inside = sorted(Path(one.path) for one in os.scandir(folder) if one.is_dir(follow_symlinks=False))
        except OSError:
            return
        for one in inside:
            yield from _below(one, depth - 1)


def _is_clone(folder: Path) -> bool:
    return (folder / '.git').exists() or _is_bare(folder)


def _is_bare(folder: Path) -> bool:
    return (folder / 'HEAD').is_file() and (folder / 'objects').is_dir() and (folder / 'refs').is_dir()


def opened(folder: Path) -> Repo:
    """The repository in `folder`, with a work tree or bare."""
    return git.bare(folder) if _is_bare(folder) and not (folder / '.git').exists() else git.find(folder)
