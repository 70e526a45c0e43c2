"""Where ctxkit keeps files outside a work tree: a repository's data, and what belongs to no repository."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def data_dir(common_dir: Path) -> Path:
    """ctxkit's own folder in a git common dir: `ctxkit`, or `ctxkit-<user id>` where another user owns the first.

    A repository can have several users, or be used by root from inside a container. Each gets its own index, worker and
    memory, since one often may not write another's files, and conversations are private. A user who has a folder keeps
    it when the first user's goes away. The lines in the hooks choose the folder in the same way.
    """
    folder = common_dir / 'ctxkit'
    if sys.platform == 'win32':
        return folder
    own = common_dir / f'ctxkit-{os.geteuid()}'
    try:
        return folder if os.stat(folder).st_uid == os.geteuid() else own
    except OSError:  # no such folder
        return own if own.is_dir() else folder


def home(environ: Mapping[str, str]) -> Path:
    """The person's home folder, or the root folder where neither a variable nor a user entry names it, as in
    containers. Never the current folder, which may be a stranger's clone."""
    try:
        return Path(environ.get('USERPROFILE' if os.name == 'nt' else 'HOME') or Path.home())
    except RuntimeError:
        return Path(os.path.abspath(os.sep))


def config_dir() -> Path:
    """The person's folder for settings and models on this platform; like `home`, never below the current folder."""
    import click

    return Path(os.path.abspath(os.sep), click.get_app_dir('ctxkit'))  # an unresolved `~` stays in it


def cache_dir(environ: Mapping[str, str]) -> Path:
    """The person's cache folder for ctxkit on this platform; safe to delete at any time."""
    if os.name == 'nt':
        base = Path(environ.get('LOCALAPPDATA') or home(environ) / 'AppData' / 'Local')
        return base / 'ctxkit' / 'Cache'
    if sys.platform == 'darwin':
        return home(environ) / 'Library' / 'Caches' / 'ctxkit'
    given = environ.get('XDG_CACHE_HOME', '')
    return (Path(given) if os.path.isabs(given) else home(environ) / '.cache') / 'ctxkit'
