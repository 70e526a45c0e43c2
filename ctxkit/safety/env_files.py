"""The values of the repository's own `.env` files: secrets that no rule can recognize by their form."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from ctxkit.safety.secret_values import compiled, is_placeholder

MAX_BYTES = 64 * 1024
MAX_FILES = 32
MIN_LENGTH = 8
# Templates hold no secret, and documentation quotes their values on purpose.
TEMPLATES = ('.example', '.sample', '.template', '.dist', '.defaults', '.schema', '.md')
LINE = r'(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|\'[^\']*\'|[^\r\n]*)'
TELLING = r'(?i)pass|pwd|secret|token|key|cred|auth|salt|dsn|private|sign|cert|webhook|session'
# Values that are common all over a repository: redacting them would destroy the code.
TAME = (
    r'(?i)(?:development|production|staging|localhost|information|postgres(?:ql)?|sqlite3?|disabled|enabled|undefined|'
    r'[a-z]{1,15}|[\d.,:_-]+|[\w-]+(?:\.[\w-]+)+(?::\d+)?|(?:[\w-]+)?(?:/[\w.@-]*)+|[a-z]+(?:[_-][a-z]+){1,3}[\d.]{0,3}|'
    r'[\w.+-]+@[\w-]+(?:\.[\w-]+)+|localhost:\d+|[A-Z]{2,3}/\w+)'
)
URL = r'[a-z][a-z0-9+.-]*://(?:[^\s/@]*:(?P<password>[^\s/]+)@)?(?P<rest>.*)'


def env_values(root: Path) -> frozenset[str]:
    """The secret values in the `.env*` files of a work tree's top folder, for `redact(..., known=...)`.

    Only regular files are read, and links are not followed. Values shorter than 8 characters and placeholders are left
    out, and so is what is plainly no secret (host names, paths, addresses, single words), unless its name says that it
    is one.
    """
    found: set[str] = set()
    for file in _files(root):
        try:
            text = file.read_bytes()[:MAX_BYTES].decode('utf-8', 'replace')
        except OSError:
            continue
        for match in compiled(LINE).finditer(text):
            found.update(_secrets(match[1], _plain(match[2])))
    return frozenset(found)


def _files(root: Path) -> list[Path]:
    try:
        names = sorted(name for name in os.listdir(root) if name.startswith('.env') and not name.endswith(TEMPLATES))
        return [root / name for name in names if stat.S_ISREG(os.lstat(root / name).st_mode)][:MAX_FILES]
    except OSError:
        return []


def _plain(value: str) -> str:
    if value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
        return re.sub(r'\\(.)', lambda match: {'n': '\n', 't': '\t'}.get(match[1], match[1]), value[1:-1])
    if value[:1] == "'" and value[-1:] == "'" and len(value) > 1:
        return value[1:-1]
    return re.split(r'\s#', value, maxsplit=1)[0].strip()


def _secrets(name: str, value: str) -> Iterator[str]:
    url = compiled(URL).fullmatch(value)
    if url:
        value = url['password'] or ''
    if len(value) < MIN_LENGTH or is_placeholder(value):
        return
    named = compiled(TELLING).search(name) and not re.fullmatch(r'[\d.]+', value)
    if url or named or not compiled(TAME).fullmatch(value):
        yield value
