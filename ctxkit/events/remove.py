"""Remove ctxkit's own data: the artefacts in the work trees and the index in the git common dir."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.repo import Repo, worktrees
from ctxkit.safety import lock
from ctxkit.safety.paths import is_link, may_write

PATIENCE = 20.0  # seconds to wait for a running worker


def remove_data(repo: Repo) -> list[str]:
    """Remove `.ctx/` except for a config.yaml, and the index; return what was done. Links are removed, not followed.

    Raises CtxError if a worker is still busy or a file cannot be removed.
    """
    data = repo.data_dir
    try:
        if is_link(data) or not data.is_dir():
            return _artefacts(repo)
        # Under the lock, so that no running worker rewrites what is removed.
        with lock.held(data / 'worker.lock', PATIENCE) as got:
            if not got:
                raise CtxError(
                    'a worker is busy in this repository', 'wait until it ends, then run ctxkit uninstall again'
                )
            done = _artefacts(repo)
            for entry in sorted(data.iterdir()):
                if entry.name != 'worker.lock' or os.name != 'nt':
                    _remove(entry)
        for entry in data.iterdir():  # on Windows the lock file could not be removed while held
            _remove(entry)
        data.rmdir()
        other_users = [folder for folder in sorted(repo.common_dir.glob('ctxkit*')) if folder.is_dir()]
        kept = (f'{folder} belongs to another user: left alone' for folder in other_users)
        return [*done, f'removed {data}', *kept]
    except OSError as error:
        raise CtxError(f'{error.filename} cannot be removed ({error.strerror})', 'check permissions') from error


def _artefacts(repo: Repo) -> list[str]:
    # the work trees share the hooks, so all lose their context together
    return [line for root in worktrees(repo) for line in _artefacts_in(root / '.ctx')]


def _artefacts_in(folder: Path) -> list[str]:
    if is_link(folder):
        return [f'{folder} is a link: left alone']
    if not folder.is_dir():
        return []
    if not may_write(folder):  # another user's, or read-only
        return [f'{folder} is not writable: left alone']
    kept = False
    for entry in sorted(folder.iterdir()):
        if entry.name == 'config.yaml':
            kept = True
        else:
            _remove(entry)
    if kept:
        return [f'emptied {folder}, except for config.yaml']
    folder.rmdir()
    return [f'removed {folder}']


def _remove(path: Path) -> None:
    if path.is_dir() and not is_link(path):
        shutil.rmtree(path)
    else:
        path.unlink()
