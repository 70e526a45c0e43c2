"""The worker: takes the repository's lock, drains its requests, and ends.

There is one worker a repository (its lock), and one at work a machine (the lock in the person's cache folder), at low
priority and with bounded memory. During a rebase or `git am` it waits, because only the last commit counts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ctxkit import log
from ctxkit.events import requests
from ctxkit.events.requests import Request
from ctxkit.metrics import journal
from ctxkit.places import cache_dir, data_dir
from ctxkit.safety import lock

SERIES_PATIENCE = 60.0  # seconds; a series that stops at a conflict ends with another event
MACHINE_PATIENCE = 900.0  # seconds to wait for another repository's worker before working in parallel
MOMENT = 0.2  # seconds to wait for the lock: `ctxkit status` briefly takes it too, to see whether it is free
MEMORY_BYTES = 2 << 30


def drain(common_dir: Path, environ: Mapping[str, str]) -> int:
    """Serve all requests of a repository; return how many updates were done.

    Returns at once if another worker is running: that one checks again after it has freed the lock, so a request that
    is noted before `drain` is called is never lost. Errors go to the log.
    """
    common_dir = Path(os.path.realpath(common_dir))
    done = 0
    place = data_dir(common_dir)
    while requests.pending(common_dir):
        place.mkdir(exist_ok=True)
        with lock.held(place / 'worker.lock', MOMENT) as mine:
            if not mine:
                return done
            count, left = _drain_held(common_dir, environ)
            done += count
        if left.issuperset(requests.pending(common_dir)):
            return done
    return done


def yield_to_people() -> None:
    """Detach from the terminal, lower the priority, and bound memory, as far as the platform can."""
    if sys.platform == 'win32':
        import ctypes

        this = ctypes.c_void_p(-1)  # what GetCurrentProcess returns; an int would lose half of its bits
        ctypes.windll.kernel32.SetPriorityClass(this, 0x4000)  # BELOW_NORMAL_PRIORITY_CLASS
        return
    try:
        os.setsid()
    except OSError:
        pass  # already the leader of a session
    try:
        os.nice(10)
    except OSError:
        pass
    import resource

    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        bound = min(limit for limit in (MEMORY_BYTES, soft, hard) if limit != resource.RLIM_INFINITY)
        resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))
    except (OSError, ValueError):
        pass


def _drain_held(common_dir: Path, environ: Mapping[str, str]) -> tuple[int, set[Request]]:
    """Serve requests until none is left. Also returns those that wait for the end of a series of commits."""
    from ctxkit.safety import paths  # noqa: F401 - `claim` needs it: no import between `pending` and `claim`

    done, patience = 0, time.monotonic() + SERIES_PATIENCE
    while True:
        asked = requests.pending(common_dir)
        ready = [request for request in asked if not _in_series(common_dir, request)]
        if ready:
            done += _serve(common_dir, ready[0], environ)
        elif not asked or time.monotonic() > patience:
            return done, set(asked)
        else:
            time.sleep(0.1)


def _git_dir(common_dir: Path, worktree: str) -> Path:
    return common_dir if worktree == requests.MAIN else common_dir / 'worktrees' / worktree


def _in_series(common_dir: Path, request: Request) -> bool:
    """Whether the work tree is in the middle of a rebase or `git am`. For post-rewrite, which comes in a rebase's last
    moments, only within two seconds."""
    git_dir = _git_dir(common_dir, request.worktree)
    if not any((git_dir / name).exists() for name in ('rebase-merge', 'rebase-apply')):
        return False
    return request.event != 'post-rewrite' or time.time() - request.time < 2


def root_of(common_dir: Path, request: Request) -> Path | None:
    """The work tree that a request is about; None if it is gone."""
    places = [Path(request.root)] if request.root else []
    if request.worktree == requests.MAIN:
        places.append(common_dir.parent)
    else:
        try:
            link = (_git_dir(common_dir, request.worktree) / 'gitdir').read_bytes().rstrip(b'\n')
            places.append(Path(os.fsdecode(link)).parent)
        except OSError:
            pass
    return next((place for place in places if (place / '.git').exists()), None)


def _serve(common_dir: Path, request: Request, environ: Mapping[str, str]) -> int:
    requests.claim(common_dir, request.worktree)
    try:
        root = root_of(common_dir, request)
        if root is None:
            return 0
        with _one_a_machine(environ):
            done = _update(common_dir, root, request.event, environ)
        if done:
            now = time.time()
            journal.note(data_dir(common_dir), 'hook', now, event=request.event, seconds=now - request.time)
        return done
    except Exception as error:  # nothing may fail under a hook: the log says what happened
        root = root_of(common_dir, request)
        if root and os.path.lexists(root / '.ctx'):  # the work tree may have been removed meanwhile
            _log_failure(common_dir, request, error)
        return 0
    finally:
        requests.finish(common_dir, request.worktree)


def _update(common_dir: Path, root: Path, event: str, environ: Mapping[str, str]) -> int:
    from ctxkit import config
    from ctxkit.errors import CtxError
    from ctxkit.pipeline import update
    from ctxkit.repo import find
    from ctxkit.safety.tracked import entries, foreign

    repo = find(root)
    if not os.path.samefile(repo.common_dir, common_dir):
        return 0  # the folder now belongs to another repository
    if not os.path.lexists(repo.ctx_dir):
        return 0  # it existed at the event: somebody is removing the work tree, and would fail if it came back
    settings = config.load(repo.ctx_dir / 'config.yaml', environ)
    tracked = foreign(entries(repo))
    if tracked:
        raise CtxError(
            f'git tracks {tracked[0].path}, and hooks never write a tracked file', 'run: git rm -r --cached .ctx'
        )
    began = time.monotonic()
    # Updates to the current HEAD: whatever moved it since the request was noted is newer than the request.
    update(repo, settings, now=time.time(), event=event)  # real time, even where a build shell fixes the clock
    log.append(common_dir, 'done', f'{event} {root} {time.monotonic() - began:.2f} s', time.time())
    return 1


def _log_failure(common_dir: Path, request: Request, error: Exception) -> None:
    from ctxkit.errors import CtxError

    if isinstance(error, CtxError):
        said = error.format_message()
    elif isinstance(error, MemoryError):
        said = 'out of memory; raise slicing.exclude or lower slicing.max_file_bytes in .ctx/config.yaml'
    else:
        from ctxkit.crash import report

        said = report(error, ['hook', request.event])
    log.append(common_dir, 'error', f'{request.event} {request.root}: {said}', time.time())


@contextmanager
def _one_a_machine(environ: Mapping[str, str]) -> Iterator[None]:
    """Wait until no other worker of this person is running. Without a place for the lock, as in a sandbox with a
    read-only home, there is nothing to wait for."""
    with ExitStack() as stack:
        with suppress(OSError):
            stack.enter_context(lock.held(machine_lock(environ), MACHINE_PATIENCE))
        yield


def machine_lock(environ: Mapping[str, str]) -> Path:
    """The lock file that lets only one worker of this person work on this machine at a time."""
    folder = cache_dir(environ)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / 'worker.lock'
