"""Search with any program: it gets the query on standard input and prints text, or JSON lines with `title`, `url`,
`content`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping

from ctxkit.errors import CtxError
from ctxkit.places import home
from ctxkit.safety import programs
from ctxkit.settings import WebSettings
from ctxkit.web.found import Found, found

MAX_BYTES = 256_000


def search(query: str, settings: WebSettings, environ: Mapping[str, str]) -> Found:
    """What the program printed. Raises CtxError if it is missing, slow, fails, or prints nothing or too much."""
    if not settings.command:
        raise CtxError('web.command is not set', 'name a program in your own settings')
    program = shutil.which(settings.command[0], path=environ.get('PATH'))
    if program is None or not os.path.isabs(program):
        raise CtxError(f'{settings.command[0]} was not found', 'give its whole path in web.command')
    given = query.encode('utf-8', 'replace') + b'\n'
    command = [program, *settings.command[1:]]
    output = programs.ask(command, given, settings.timeout_seconds, MAX_BYTES, home(environ), environ)
    said, links = _read(output.decode('utf-8', 'replace'))
    if not said.strip():
        raise CtxError(f'{settings.command[0]} found nothing')
    return found(said, links)


def _read(output: str) -> tuple[str, list[tuple[str, str]]]:
    said: list[str] = []
    links: list[tuple[str, str]] = []
    for line in output.splitlines():
        try:
            item = json.loads(line) if line.lstrip().startswith('{') else None
        except (ValueError, RecursionError):
            item = None
        if not isinstance(item, dict):
            said.append(line)
            continue
        title = str(item.get('title') or '')
        said.append(f'{title}: {item.get("content") or item.get("snippet") or ""}'.strip(': '))
        links.append((title, str(item.get('url') or '')))
    return '\n'.join(said), links
