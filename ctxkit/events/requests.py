"""The folder of requests: `<git common dir>/ctxkit/requests/<worktree>.<whatever>`, one small file each.

The existence of a file is the request; its text (event, commit, folder of the work tree) is only detail, so a
half-written or empty file still counts. The holder of the lock renames a file before it reads it: a request that comes
meanwhile is a new file, and the claim of a killed worker is found again.
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
MAIN = '~main'  # the main work tree; git allows no `~` in the name of a linked one
MAX_BYTES = 16 * 1024


class Request(NamedTuple):
    """What is wanted for one work tree: the newest event, and when it was noted (epoch seconds)."""

    worktree: str
    event: str
    commit: str
    root: str
    time: float


def disabled(environ: Mapping[str, str]) -> bool:
    """Whether CTXKIT_DISABLE keeps hooks from doing anything; the shim makes the same test."""
    return environ.get('CTXKIT_DISABLE', '0') not in ('', '0')


def folder(common_dir: Path) -> Path:
    """The folder of a repository's requests."""
    return data_dir(common_dir) / 'requests'


def note(common_dir: Path, worktree: str, event: str, commit: str, root: Path) -> None:
    """Write a request. Raises OSError if the repository is read-only or gone."""
    place = folder(common_dir)
    place.parent.mkdir(exist_ok=True)  # not its parents: a deleted repository must not come back
    place.mkdir(exist_ok=True)
    text = f'{event}\n{commit}\n{root}'.encode('utf-8', 'surrogateescape')
    (place / f'{worktree}.{os.getpid()}').write_bytes(text)


def pending(common_dir: Path) -> list[Request]:
    """The newest request of each work tree, oldest first, including claims of a killed worker."""
    newest: dict[str, Request] = {}
    for file in _files(common_dir):
        request = _read(file)
        if request and (request.worktree not in newest or newest[request.worktree].time <= request.time):
            newest[request.worktree] = request
    return sorted(newest.values(), key=lambda request: request.time)


def worktree_of(repo: Repo) -> str:
    """The name with which the requests of a work tree begin."""
    return MAIN if repo.git_dir == repo.common_dir else repo.git_dir.name


def of_work_tree(repo: Repo) -> list[tuple[Path, int]]:
    """The current requests of a work tree with their times, for `forget`."""
    found = []
    for file in _files(repo.common_dir):
        if file.name.rpartition('.')[0] == worktree_of(repo):
            with suppress(OSError):  # a worker took it
                found.append((file, file.stat().st_mtime_ns))
    return found


def forget(before: list[tuple[Path, int]]) -> None:
    """Drop the requests that were noted `before` an update that is now done: it has served them.

    A request that came meanwhile is a newly written file, and stays.
    """
    for file, written in before:
        with suppress(OSError):
            if file.stat().st_mtime_ns == written:
                file.unlink()


def claim(common_dir: Path, worktree: str) -> None:
    """Claim all requests of a work tree before its work starts. Only the lock's holder may call this."""
    from ctxkit.safety.paths import replace  # imported late to keep a worker without work cheap

    for file in _files(common_dir):
        if file.name.rpartition('.')[0] == worktree and not file.name.endswith(CLAIMED):
            try:
                replace(file, file.with_name(worktree + CLAIMED))
            except FileNotFoundError:
                continue


def finish(common_dir: Path, worktree: str) -> None:
    """Remove the last claim, because its work is done."""
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
            written = os.fstat(source.fileno()).st_mtime
    except OSError:
        return None
    event, _, rest = text.partition('\n')
    commit, _, root = rest.partition('\n')
    return Request(file.name.rpartition('.')[0], event or 'unknown', commit, root, written)
