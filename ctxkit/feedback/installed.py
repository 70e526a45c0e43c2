"""Whether a word is in the source of installed dependencies or the standard library; searched within limits."""

from __future__ import annotations

import os
import re
import sysconfig
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from ctxkit.safety.paths import read_plain

SCAN_SECONDS = 2.0
SCAN_BYTES = 96_000_000
MAX_FILE_BYTES = 8_000_000
NOT_SCANNED = frozenset(('test', 'tests', '__pycache__', 'site-packages', 'idlelib', 'lib2to3', 'ensurepip'))


def installed(words: set[str], root: Path, environ: Mapping[str, str], python: bool) -> set[str]:
    """Those of `words` that are in the source of what is installed for the work tree at `root`: its own dependencies,
    those of the active virtual environment, and with `python` the standard library."""
    left, end, budget = set(words), time.monotonic() + SCAN_SECONDS, SCAN_BYTES
    found: set[str] = set()
    for folder in _folders(root, environ, python):
        for file in _sources(folder):
            if not left or budget <= 0 or time.monotonic() > end:
                return found
            data = read_plain(file, MAX_FILE_BYTES)  # a link can lead to /dev/zero, and a pipe may never end
            if data is None:
                continue
            budget -= len(data)
            for word in [word for word in left if word.encode() in data]:
                if re.search(rb'(?<![A-Za-z0-9_])' + re.escape(word.encode()) + rb'(?![A-Za-z0-9_])', data):
                    found.add(word)
                    left.discard(word)
    return found


def _folders(root: Path, environ: Mapping[str, str], python: bool) -> Iterator[Path]:
    for name in ('.venv', 'venv', 'env'):
        yield from (root / name).glob('lib/python*/site-packages')
        yield from (root / name).glob('Lib/site-packages')
    if environ.get('VIRTUAL_ENV'):
        yield from Path(environ['VIRTUAL_ENV']).glob('lib/python*/site-packages')
    for name in ('node_modules', 'vendor'):
        if (root / name).is_dir():
            yield root / name
    if python:
        yield Path(sysconfig.get_path('stdlib'))


def _sources(folder: Path) -> Iterator[Path]:
    """Source files below a folder, without tests and minified files; links are not followed."""
    for base, folders, files in os.walk(folder):
        packages = base.endswith('node_modules')
        folders[:] = sorted(name for name in folders if packages or name not in NOT_SCANNED)
        for name in sorted(files):
            if name.endswith(('.py', '.pyi', '.js', '.ts', '.go', '.rb', '.php', '.rs')) and '.min.' not in name:
                yield Path(base, name)
