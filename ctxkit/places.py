"""Where ctxkit keeps what is no part of a work tree: a repository's data, and what belongs to no repository."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def data_dir(common_dir: Path) -> Path:
    """ctxkit's own folder in a git common dir: `ctxkit`, or `ctxkit-<user>` where that one is another user's.

    A repository can have several users, or be seen by root from within a container. Each has an index, a worker and a
    memory of their own: what one may write the other often may not, and conversations are nobody else's. Who has a
    folder keeps it when the first user takes theirs away. The lines in the hooks ask in the same way.
    """
    folder = common_dir / 'ctxkit'
    if sys.platform == 'win32':
        return folder
    own = common_dir / f'ctxkit-{os.geteuid()}'
    try:
        return folder if os.stat(folder).st_uid == os.geteuid() else own
    except OSError:  # there is none
        return own if own.is_dir() else folder


def home(environ: Mapping[str, str]) -> Path:
    """The person's home folder; the root where nothing tells it, neither a variable nor an entry of the user, as
    containers have it. Never the current folder, which may be a stranger's clone."""
    try:
        return Path(environ.get('USERPROFILE' if os.name == 'nt' else 'HOME') or Path.home())
    except RuntimeError:
        return Path(os.path.abspath(os.sep))


def config_dir() -> Path:
    """The person's folder for settings and models on this platform; as `home`, never below the current folder."""
    import click

    return Path(os.path.abspath(os.sep), click.get_app_dir('ctxkit'))  # a `~` that nobody could resolve stays in it


def cache_dir(environ: Mapping[str, str]) -> Path:
    """The person's cache folder for ctxkit on this platform; safe to delete at any time."""
    if os.name == 'nt':
        base = Path(environ.get('LOCALAPPDATA') or home(environ) / 'AppData' / 'Local')
        return base / 'ctxkit' / 'Cache'
    if sys.platform == 'darwin':
        return home(environ) / 'Library' / 'Caches' / 'ctxkit'
    given = environ.get('XDG_CACHE_HOME', '')
    return (Path(given) if os.path.isabs(given) else home(environ) / '.cache') / 'ctxkit'
