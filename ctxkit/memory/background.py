"""Starting the transcript pipeline in a process of its own, so that no hook ever waits for it."""

from __future__ import annotations

import os
import subprocess

from ctxkit.repo import Repo, clean_environ
from ctxkit.settings import Settings

MINUTES_BETWEEN_STARTS = 10


def start(repo: Repo, settings: Settings, now: float) -> bool:
    """Start `ctxkit memory start` detached, unless one was started within the last minutes; true if it was.

    Does nothing unless the person's settings say that transcripts may be read.
    """
    from ctxkit.safety.children import command, detached
    from ctxkit.safety.paths import data_folder, write_whole

    if not settings.memories.enabled:
        return False
    stamp = data_folder(repo.data_dir) / 'memory.started'
    try:
        if 0 <= now - float(stamp.read_text('ascii')) < MINUTES_BETWEEN_STARTS * 60:
            return False
    except (OSError, ValueError):
        pass
    write_whole(stamp, f'{now:.0f}\n')
    subprocess.Popen(
        command('ctxkit', 'memory', 'start'),
        cwd=repo.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=clean_environ(os.environ),
        **detached(),
    )
    return True
