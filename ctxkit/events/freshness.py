"""How fresh the context of a work tree is: status.json compared with HEAD and with the pending requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxkit import config
from ctxkit.errors import CtxError
from ctxkit.events import requests
from ctxkit.records import is_time
from ctxkit.repo import Repo, branch, operation, resolve
from ctxkit.safety import lock
from ctxkit.safety.paths import is_link

MAX_BYTES = 4_000_000


@dataclass(frozen=True)
class Freshness:
    """The last update (status.json's keys; {} if there was none), and the state of the repository now."""

    last: dict[str, Any]
    head: str
    branch: str
    operation: str
    pending: list[str]
    working: bool

    @property
    def fresh(self) -> bool:
        """Whether context.xml describes HEAD."""
        return bool(self.last) and self.last.get('commit', '') == self.head


def settings_problem(repo: Repo, environ: Mapping[str, str]) -> str:
    """What is wrong with the settings, in a line without secrets; '' for nothing. Until corrected, updates fail."""
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import printable

    try:
        config.load(repo.ctx_dir / 'config.yaml', environ)
    except (CtxError, OSError) as error:
        return printable(redact(error.format_message() if isinstance(error, CtxError) else str(error)))
    return ''


def freshness(repo: Repo) -> Freshness:
    """Read how fresh a work tree is. A status.json that is missing, a link, broken or misshapen counts as none.

    The worker's lock is checked before the last update is read, so that a worker that ends in between shows in one of
    them.
    """
    asked = [request.event for request in requests.pending(repo.common_dir)]
    working = lock.is_held(repo.data_dir / 'worker.lock')
    head, name, doing = resolve(repo), branch(repo), operation(repo)
    return Freshness(_last(repo), head, name, doing, asked, working)


def skipped(last: dict[str, Any]) -> list[tuple[str, str]]:
    """The (path, reason) pairs that status.json lists of what the last update left out: rare reasons first."""
    listed = last.get('skipped')
    return [
        (str(item.get('path', '')), str(item.get('reason', '')))
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict)
    ]


def skipped_files(last: dict[str, Any]) -> int:
    """How many files the last update left out, which may be more than status.json lists."""
    said = last.get('skipped_files')
    return said if isinstance(said, int) else len(skipped(last))


def _last(repo: Repo) -> dict[str, Any]:
    file = repo.ctx_dir / 'status.json'
    try:
        if is_link(repo.ctx_dir) or is_link(file):
            return {}
        with file.open('rb') as source:
            data = json.loads(source.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(data, dict) or not isinstance(data.get('commit'), str):
        return {}
    return data if is_time(data.get('time')) else {**data, 'time': None}
