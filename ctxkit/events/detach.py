"""Start a worker from Python: for pre-commit, `ctxkit init` and others without a shim."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.events import requests
from ctxkit.repo import Repo, find, operation
from ctxkit.safety.children import SAFE_FOLDER, start_detached
from ctxkit.safety.paths import ctx_folder


def interpreter() -> str:
    """The Python that runs ctxkit; on Windows the one that opens no window."""
    if os.name == 'nt':
        silent = Path(sys.executable).with_name('pythonw.exe')
        if silent.is_file():
            return str(silent)
    return sys.executable


def note_and_start(repo: Repo, event: str, environ: Mapping[str, str], *, detached: bool = True) -> bool:
    """Note an event of a work tree and start a worker that outlives us. False if nothing can be written here.

    During a rebase a commit is only noted: post-rewrite does the work once. `detached=False` only notes. `.ctx` is made
    here, as the lines in a hook do it; the worker makes none, since the work tree may be about to be removed.
    """
    with suppress(CtxError):  # the worker will report what is in the way
        ctx_folder(repo.ctx_dir)
    try:
        requests.note(repo.common_dir, requests.worktree_of(repo), event, '', repo.root)
    except OSError:
        return False
    if detached and not (event in ('post-commit', 'post-applypatch') and operation(repo) == 'rebase'):
        start(repo.common_dir, environ)
    return True


def renew(repo: Repo, roots: Sequence[Path], event: str, environ: Mapping[str, str]) -> None:
    """Have the blocks of those of `roots` that have one written anew, by one worker."""
    noted = False
    for root in roots if not requests.disabled(environ) else ():
        if (root / '.ctx' / 'context.xml').is_file():
            with suppress(CtxError):
                noted = note_and_start(find(root), event, environ, detached=False) or noted
    if noted:
        start(repo.common_dir, environ)


def start(common_dir: Path, environ: Mapping[str, str]) -> None:
    """Start one worker, in the root folder, because `python -m` looks for modules in the current folder first."""
    start_detached([interpreter(), '-m', 'ctxkit.events', str(common_dir)], SAFE_FOLDER, environ)
