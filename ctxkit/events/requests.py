"""The folder of requests: `<git common dir>/ctxkit/requests/<worktree>.<whatever>`, one small file each.

That a file is there is the request; its text (event, commit, folder of the work tree) is only detail, so a half-written
or empty file is still one. The holder of the lock renames a file before it reads it: a request that comes meanwhile is
a new file, and a claim that a killed worker left behind is found again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.places import data_dir

if TYPE_CHECKING:
    from ctxkit.repo import Repo

CLAIMED = '.claimed'
MAIN = '~main'  # the main work tree; git lets no linked one have `~` in its name
MAX_BYTES = 16 * 1024


class Request(NamedTuple):
    """What is wanted for one work tree: the newest event, and when it was noted (epoch seconds)."""

    worktree: str
    event: str
    commit: str
    root: str
    time: float


def disabled(environ: Mapping[str, str]) -> bool:
    """Whether CTXKIT_DISABLE keeps hooks from doing anything; the shim asks in the same way."""
    return environ.get('CTXKIT_DISABLE', '0') not in ('', '0')


def folder(common_dir: Path) -> Path:
    """Where the requests of a repository stand."""
    return data_dir(common_dir) / 'requests'


def note(common_dir: Path, worktree: str, event: str, commit: str, root: Path) -> None:
    """Write a request down. Raises OSError where the repository is read-only, or gone."""
    place = folder(common_dir)
    place.parent.mkdir(exist_ok=True)  # not the folder above: a repository that was deleted must not come back
    place.mkdir(exist_ok=True)
    text = f'{event}\n{commit}\n{root}'.encode('utf-8', 'surrogateescape')
    (place / f'{worktree}.{os.getpid()}').write_bytes(text)


def pending(common_dir: Path) -> list[Request]:
    """The newest request of each work tree, oldest first; claims of a killed worker too."""
    newest: dict[str, Request] = {}
    for file in _files(common_dir):
        request = _read(file)
        if request and (request.worktree not in newest or newest[request.worktree].time <= request.time):
            newest[request.worktree] = request
    return sorted(newest.values(), key=lambda request: request.time)


def worktree_of(repo: Repo) -> str:
    """The name that a work tree's requests begin with."""
    return MAIN if repo.git_dir == repo.common_dir else repo.git_dir.name


def noted(repo: Repo) -> list[tuple[Path, int]]:
    """The requests of a work tree as they are now, for `forget`."""
    found = []
    for file in _files(repo.common_dir):
        if file.name.rpartition('.')[0] == worktree_of(repo):
            with suppress(OSError):  # a worker took it
                found.append((file, file.stat().st_mtime_ns))
    return found


def forget(before: list[tuple[Path, int]]) -> None:
    """Drop the requests that were noted `before` an update that is done now: it has served them.

    A request that came meanwhile is a file written anew, and stays.
    """
    for file, written in before:
        with suppress(OSError):
            if file.stat().st_mtime_ns == written:
                file.unlink()


def claim(common_dir: Path, worktree: str) -> None:
    """Take all requests of a work tree in hand, before its work starts. Only the lock's holder may call this."""
    from ctxkit.safety.paths import replace  # here, since a worker that finds nothing to do must not cost its imports

    for file in _files(common_dir):
        if file.name.rpartition('.')[0] == worktree and not file.name.endswith(CLAIMED):
            try:
                replace(file, file.with_name(worktree + CLAIMED))
            except FileNotFoundError:
                continue


def finish(common_dir: Path, worktree: str) -> None:
    """The work of the last `claim` is done."""
    from ctxkit.safety.paths import remove

    remove(folder(common_dir) / (worktree + CLAIMED))


def _files(common_dir: Path) -> list[Path]:
    try:
        return [
            Path(entry.path)
            for entry in os.scandir(folder(common_dir))
            if '.' in entry.name and entry.is_file(follow_symlinks=False)
        ]
    except OSError:
        return []


def _read(file: Path) -> Request | None:
    try:
        with file.open('rb') as source:
            text = source.read(MAX_BYTES).decode('utf-8', 'surrogateescape')
            noted = os.fstat(source.fileno()).st_mtime
    except OSError:
        return None
    event, _, rest = text.partition('\n')
    commit, _, root = rest.partition('\n')
    return Request(file.name.rpartition('.')[0], event or 'unknown', commit, root, noted)
