"""Where ctxkit keeps what belongs to no repository: the machine's lock, crash reports, web results."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_dir(environ: Mapping[str, str]) -> Path:
    """The person's cache folder for ctxkit on this platform; safe to delete at any time."""
    home = Path(environ.get('USERPROFILE' if os.name == 'nt' else 'HOME') or Path.home())
    if os.name == 'nt':
        base = Path(environ.get('LOCALAPPDATA') or home / 'AppData' / 'Local')
        return base / 'ctxkit' / 'Cache'
    if sys.platform == 'darwin':
        return home / 'Library' / 'Caches' / 'ctxkit'
    given = environ.get('XDG_CACHE_HOME', '')
    return (Path(given) if os.path.isabs(given) else home / '.cache') / 'ctxkit'
