"""What a hook reads from disk without a git process, which it has no time for: the work tree, HEAD, the block."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from ctxkit.repo import Repo
from ctxkit.safety.paths import tree_above

MAX_FILE_BYTES = 4 * 1024 * 1024


def find_tree(start: Path) -> Repo | None:
    """The work tree that `start` lies in, found without git; None outside one, or in one of another user."""
    folder = tree_above(Path(os.path.abspath(start)))
    if folder is None:
        return None
    git_dir = mark = folder / '.git'
    if hasattr(os, 'getuid') and mark.stat().st_uid not in (os.getuid(), 0):
        return None  # git calls this dubious ownership
    if mark.is_file():
        line = _read(mark).strip()
        if not line.startswith('gitdir: '):
            return None
        git_dir = Path(os.path.normpath(folder / line.removeprefix('gitdir: ')))
    common = _read(git_dir / 'commondir').strip()
    return Repo(folder, git_dir, Path(os.path.normpath(git_dir / common)) if common else git_dir)


def head(repo: Repo) -> str:
    """The commit that HEAD names; '' if the files do not tell (an unborn branch, another ref storage)."""
    value = _read(repo.git_dir / 'HEAD').strip()
    if not value.startswith('ref: '):
        return value if _is_id(value) else ''
    ref = value.removeprefix('ref: ')
    loose = _read(repo.common_dir / ref).strip() if '..' not in ref.split('/') else ''
    if _is_id(loose):
        return loose
    for line in _read(repo.common_dir / 'packed-refs').splitlines():
        commit, _, name = line.partition(' ')
        if name == ref and _is_id(commit):
            return commit
    return ''


def block(repo: Repo) -> str:
    """The text of `.ctx/context.xml`; '' if there is none, or none that ctxkit wrote in this clone.

    A clone can bring a `.ctx/` of its own, or a link in its place, but never ctxkit's folder below `.git`.
    """
    if not repo.data_dir.is_dir() or repo.ctx_dir.is_symlink():
        return ''
    return _read(repo.ctx_dir / 'context.xml')


def status(repo: Repo) -> dict[str, Any]:
    """The content of `.ctx/status.json`; {} if it is missing or not what ctxkit writes."""
    try:
        found = json.loads(_read(repo.ctx_dir / 'status.json') or '{}')
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def sentence(indexed: str, now_head: str) -> str:
    """One sentence on how fresh the block is: the indexed commit compared with HEAD."""
    if not indexed:
        return 'It is not known which commit this describes.'
    short = indexed[:10]
    if not now_head:
        return f'Indexed commit {short}.'
    if indexed == now_head:
        return f'Indexed commit {short}, which was HEAD when this was shown.'
    return f'Indexed commit {short}, but HEAD is {now_head[:10]}: `ctxkit update` refreshes it.'


def _is_id(value: str) -> bool:
    return len(value) in (40, 64) and all(letter in '0123456789abcdef' for letter in value)


def _read(file: Path) -> str:
    """The text of a regular file; '' for anything else, such as a link."""
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return ''
        with file.open('rb') as stream:
            return stream.read(MAX_FILE_BYTES).decode('utf-8', 'replace')
    except (OSError, ValueError):
        return ''
