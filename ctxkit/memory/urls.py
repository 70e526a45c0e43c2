"""`memory://root…`: the memory files of this work tree by URL, and nothing else."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ctxkit.errors import CtxError
from ctxkit.memory import documents, store
from ctxkit.repo import Repo
from ctxkit.safety.secrets import redact

MAX_BYTES = 1024 * 1024
# Until transcripts may be read, memory is only memory.json and the block's section made from it.
MADE_BY = 'ctxkit memory rebuild makes it, once your own settings say memories.enabled: true'
KNOWN = 'they are memory://root (the summary), memory://root/MEMORY.md and memory://root/skills/NAME/SKILL.md'
_PART = re.compile(r'[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\Z')


def read(repo: Repo, url: str) -> str:
    """The redacted text at a memory:// URL, or the listing of a folder. Raises CtxError for any other URL.

    No part may climb, start with a dot or hold an encoded separator; no link is followed, inside or out.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _wrong(url) from error
    if parts.scheme != 'memory' or parts.netloc != 'root' or parts.query or parts.fragment:
        raise _wrong(url)
    if store.tracked(repo, '.ctx/memory'):
        raise CtxError("git tracks .ctx/memory, so it may be somebody else's", 'run: git rm -r --cached .ctx/memory')
    raw = [part for part in parts.path.split('/') if part]
    names = [unquote(part) for part in raw]
    if not all(_PART.match(name) for name in names) or any(
        '%2f' in part.casefold() or '%5c' in part.casefold() for part in raw
    ):
        raise _wrong(url)
    base = documents.folder(repo)
    target = base.joinpath(*(names or [documents.SUMMARY]))
    _no_link(base, target, url)
    mode = target.stat().st_mode
    if stat.S_ISDIR(mode):
        return '\n'.join(sorted(entry.name for entry in target.iterdir() if not entry.name.startswith('.'))) + '\n'
    if not stat.S_ISREG(mode) or target.stat().st_size > MAX_BYTES:
        raise _wrong(url)
    return redact(target.read_text('utf-8', 'replace'))


def _no_link(base: Path, target: Path, url: str) -> None:
    at = target
    while True:
        try:
            if stat.S_ISLNK(os.lstat(at).st_mode):
                raise CtxError(f'{url} is a link', 'links are not followed')
        except FileNotFoundError as error:
            raise CtxError(f'nothing at {url}', f'{KNOWN}; {MADE_BY}') from error
        if at == base.parent:
            return
        at = at.parent


def _wrong(url: str) -> CtxError:
    return CtxError(f'{url!r} is not a memory URL', KNOWN)
