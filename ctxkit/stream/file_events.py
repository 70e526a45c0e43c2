"""Seeing that something happened in a work tree: file watches, or looking again and again where there are none.

Only folders that hold files which git does not ignore are watched, so a node_modules of 30,000 folders costs nothing.
What a watch tells is only a hint: what changed is then asked of git.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ctxkit import repo as git
from ctxkit.errors import CtxError
from ctxkit.repo import Repo

STEP_MS = 25  # a pause of so long ends a burst of changes
DEBOUNCE_MS = 250  # and a burst is told after so long at the latest
TICK_MS = 500  # how often the watcher looks round when nothing happens
MASS = 300  # more paths than this at once are looked for by one scan of the work tree
POLL_LEAST, POLL_SHARE = 1.0, 100  # a poll may cost a hundredth of the time
GIT_FILES = ('HEAD', 'index', 'FETCH_HEAD', 'ORIG_HEAD')


class Seen(NamedTuple):
    """Paths of the work tree that changed, whether git's own state did, and whether to scan because not all are named.

    All empty: nothing happened for a while.
    """

    paths: tuple[str, ...] = ()
    git: bool = False
    scan: bool = False


class OutOfWatches(CtxError):
    """The system has no file watches left."""


def needed() -> None:
    """Raises CtxError without the `watch` extra."""
    try:
        import watchfiles  # noqa: F401
    except ImportError as error:
        raise CtxError(
            f'the watch library cannot be loaded ({error})', 'pip install watchfiles, or use --poll'
        ) from error


def watched(repo: Repo, stop: threading.Event) -> Iterator[Seen]:
    """What happens, until `stop` is set. Raises OutOfWatches, and CtxError without the `watch` extra."""
    needed()
    import watchfiles

    root, state = os.path.realpath(repo.root), os.path.realpath(repo.git_dir)
    extra: set[str] = set()
    again = False
    while not stop.is_set():
        folders = sorted(_folders(repo) | {one for one in extra if os.path.isdir(one)} | _git_folders(repo))
        if again:
            yield Seen(scan=True)  # what happened while the watches were set anew
        again = False
        try:
            for batch in watchfiles.watch(
                *folders, recursive=False, watch_filter=None, step=STEP_MS, debounce=DEBOUNCE_MS, stop_event=stop,
                rust_timeout=TICK_MS, yield_on_timeout=True, raise_interrupt=False,
            ):  # fmt: skip
                seen, new = _sort(batch, root, state)
                fresh = _watchable(repo, new)
                if seen != Seen() or not batch:
                    yield seen
                if fresh - extra - set(folders):
                    extra |= fresh
                    again = True
                    break
        except OSError as error:
            raise OutOfWatches(
                f'the system has no file watches left ({error.strerror or error})',
                'raise fs.inotify.max_user_watches (Linux); until then the work tree is polled',
            ) from error
        if not again:
            return


def polled(repo: Repo, stop: threading.Event) -> Iterator[Seen]:
    """The same by asking git again and again, as often as a hundredth of the time allows."""
    before = _dirty(repo)
    while True:
        began = time.monotonic()
        after = _dirty(repo)
        changed = tuple(sorted(path for path, state in after.items() if before.get(path) != state))
        gone = before.keys() - after.keys()
        before = after
        yield Seen(changed, True, bool(gone)) if changed or gone else Seen(git=True)
        cost = time.monotonic() - began
        if stop.wait(max(POLL_LEAST, POLL_SHARE * cost)):
            return


def _dirty(repo: Repo) -> dict[str, tuple[int, int]]:
    """Path -> (time, size) of what differs from the commit."""
    out = {}
    for change in git.status(repo):
        try:
            state = os.lstat(repo.root / change.path)
            out[change.path] = (state.st_mtime_ns, state.st_size)
        except OSError:
            out[change.path] = (0, -1)
    return out


def _folders(repo: Repo) -> set[str]:
    """The folders of the work tree that hold what git tracks or would track."""
    listed = git.git(repo, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', check=False)
    root = os.path.realpath(repo.root)
    known = {''}
    for path in git.text(listed).split('\0'):
        while (path := path.rpartition('/')[0]) and path not in known:
            known.add(path)
    # With this system's separators, as the watch names them.
    places = (os.path.normpath(os.path.join(root, one)) for one in known if one.split('/', 1)[0] != '.ctx')
    return {place for place in places if os.path.isdir(place) and not os.path.islink(place)}


def _git_folders(repo: Repo) -> set[str]:
    """Where git notes that HEAD, the index or a branch moved."""
    state = Path(os.path.realpath(repo.git_dir))
    return {str(place) for place in (state, state / 'logs', state / 'reftable') if place.is_dir()}


def _sort(batch: Iterable[tuple[Any, str]], root: str, state: str) -> tuple[Seen, list[str]]:
    """What a burst of watch events says, and the folders among them."""
    paths: set[str] = set()
    folders = []
    moved = False
    for _, path in batch:
        if path == state or path.startswith(state + os.sep):
            inside = os.path.relpath(path, state)
            moved |= inside in GIT_FILES or inside.startswith(('logs' + os.sep, 'reftable' + os.sep))
        elif path.startswith(root + os.sep):
            inside = os.path.relpath(path, root).replace(os.sep, '/')
            if inside.split('/', 1)[0] in ('.ctx', '.git'):
                continue
            if os.path.isdir(path) and not os.path.islink(path):
                folders.append(path)
            else:
                paths.add(inside)
    if len(paths) > MASS:
        return Seen((), moved, True), folders
    return Seen(tuple(sorted(paths)), moved), folders


def _watchable(repo: Repo, folders: list[str]) -> set[str]:
    """New folders and those inside them, without what git ignores."""
    found: set[str] = set()
    for folder in folders:
        for place, inside, _ in os.walk(folder):
            inside[:] = [name for name in inside if name not in ('.git', '.ctx')]
            found.add(place)
            if len(found) > 10 * MASS:
                return set()  # a mass of folders: those that hold files are listed by git when the watches are set anew
    if not found:
        return set()
    root = os.path.realpath(repo.root)
    names = {os.path.relpath(place, root).replace(os.sep, '/'): place for place in found}
    data = b''.join(name.encode('utf-8', 'surrogateescape') + b'\0' for name in names)
    ignored = git.git(repo, 'check-ignore', '-z', '--stdin', data=data, check=False, literal=False)
    out = set(git.text(ignored).split('\0'))
    return {place for name, place in names.items() if name not in out}
