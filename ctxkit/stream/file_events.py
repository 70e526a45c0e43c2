"""Notice that something happened in a work tree: by file watches, or by polling where there are none.

Only folders with files that git does not ignore are watched, so a node_modules of 30,000 folders costs nothing. A watch
event is only a hint: git then says what changed.
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

STEP_MS = 25  # a pause of this length ends a burst of changes
DEBOUNCE_MS = 250  # but a burst is reported after this time at the latest
TICK_MS = 500  # how often an idle watcher gets an empty Seen
MASS = 300  # more changed paths than this become one scan of the work tree
POLL_LEAST, POLL_SHARE = 1.0, 100  # seconds between polls at least; polling may take 1/POLL_SHARE of the time
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
    """Raise CtxError if the `watch` extra is missing."""
    try:
        import watchfiles  # noqa: F401
    except ImportError as error:
        raise CtxError(
            f'the watch library cannot be loaded ({error})', 'pip install watchfiles, or use --poll'
        ) from error


def watched(repo: Repo, stop: threading.Event) -> Iterator[Seen]:
    """Yield what happens until `stop` is set. Raises OutOfWatches, and CtxError without the `watch` extra."""
    needed()
    import watchfiles

    root, state = os.path.realpath(repo.root), os.path.realpath(repo.git_dir)
    extra: set[str] = set()
    rescan = False
    while not stop.is_set():
        folders = sorted(_folders(repo) | {one for one in extra if os.path.isdir(one)} | _git_folders(repo))
        if rescan:
            yield Seen(scan=True)  # for what happened while the watches were set anew
        rescan = False
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
                    rescan = True
                    break
        except OSError as error:
            raise OutOfWatches(
                f'the system has no file watches left ({error.strerror or error})',
                'raise fs.inotify.max_user_watches (Linux); until then the work tree is polled',
            ) from error
        if not rescan:
            return


def polled(repo: Repo, stop: threading.Event) -> Iterator[Seen]:
    """Like `watched`, but by polling git, as often as a hundredth of the time allows."""
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
    """Path -> (modification time, size) of what differs from the commit."""
    out = {}
    for change in git.status(repo):
        try:
            state = os.lstat(repo.root / change.path)
            out[change.path] = (state.st_mtime_ns, state.st_size)
        except OSError:
            out[change.path] = (0, -1)
    return out


def _folders(repo: Repo) -> set[str]:
    """The folders of the work tree that contain files that git tracks or would track."""
    listed = git.git(repo, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', check=False)
    root = os.path.realpath(repo.root)
    known = {''}
    for path in git.text(listed).split('\0'):
        while (path := path.rpartition('/')[0]) and path not in known:
            known.add(path)
    # With this system's separators, as watch events use them.
    places = (os.path.normpath(os.path.join(root, one)) for one in known if one.split('/', 1)[0] != '.ctx')
    return {place for place in places if os.path.isdir(place) and not os.path.islink(place)}


def _git_folders(repo: Repo) -> set[str]:
    """The folders where git records that HEAD, the index or a branch moved."""
    state = Path(os.path.realpath(repo.git_dir))
    return {str(place) for place in (state, state / 'logs', state / 'reftable') if place.is_dir()}


def _sort(batch: Iterable[tuple[Any, str]], root: str, state: str) -> tuple[Seen, list[str]]:
    """What a burst of watch events means, and the folders among them."""
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
                return set()  # too many folders: git lists those with files when watches are set anew
    if not found:
        return set()
    root = os.path.realpath(repo.root)
    names = {os.path.relpath(place, root).replace(os.sep, '/'): place for place in found}
    data = b''.join(name.encode('utf-8', 'surrogateescape') + b'\0' for name in names)
    ignored = git.git(repo, 'check-ignore', '-z', '--stdin', data=data, check=False, literal=False)
    out = set(git.text(ignored).split('\0'))
    return {place for name, place in names.items() if name not in out}
