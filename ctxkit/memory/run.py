"""The whole of memory on one page: read what is due (phase 1), consolidate and write it (phase 2).

Each step is claimed, so that any number of processes may run this at once, and is done again after a crash.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ctxkit.config import user_config_file
from ctxkit.errors import CtxError
from ctxkit.memory import project, scan, store
from ctxkit.memory.model import Caller
from ctxkit.memory.phase_one import extract_all
from ctxkit.memory.phase_two import consolidate
from ctxkit.memory.work import Progress, Report, Work
from ctxkit.repo import Repo
from ctxkit.settings import Settings


def run(
    repo: Repo,
    settings: Settings,
    home: Path,
    environ: Mapping[str, str],
    now: float,
    everything: bool = False,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Run both phases. `everything` reads all that is due and consolidates even without anything new (`rebuild`).

    Raises CtxError if transcripts may not be read; a conversation that cannot be read is reported, not raised.
    """
    if not settings.memories.enabled:
        own = user_config_file(environ)
        raise CtxError('reading transcripts is turned off', f'set memories.enabled: true in your own settings, {own}')
    caller = Caller(settings.memories, environ, repo.data_dir / scan.CALLS_FOLDER, str(repo.root), f'{clock():.6f}')
    caller.known = project.known_secrets(repo)
    report = Report()
    with store.opened(repo) as db:
        work = Work(repo, db, settings, home, environ, now, caller, report, everything, progress, clock)
        extract_all(work)
        consolidate(work)
    for failure in caller.failures + ([caller.refused] if caller.refused else []):
        report.failed[f'model call: {failure}'] = 'the facts are those found without it'
    return report
