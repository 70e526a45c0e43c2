"""Count how often each file was saved today, in `<git common dir>/ctxkit/edits.json`, shared by all work trees."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ctxkit.repo import Repo
from ctxkit.safety import lock
from ctxkit.safety.paths import data_folder, write_whole

DAY = 86_400
# Seconds. Saves within one minute count once: editors that save at every pause would make a file hot by themselves.
APART = 60
MAX_PATHS = 2000


def file_of(repo: Repo) -> Path:
    """Path of the file of counts."""
    return repo.data_dir / 'edits.json'


def note(repo: Repo, paths: Iterable[str], now: float) -> None:
    """Count a save of each path at `now` (epoch seconds)."""
    data_folder(repo.data_dir)
    with lock.held(repo.data_dir / 'edits.lock', wait=1.0):
        times = _load(repo, now)
        for path in paths:
            if not times.get(path) or now - times[path][-1] >= APART:
                times.setdefault(path, []).append(round(now))
        newest = sorted(times, key=lambda path: times[path][-1])[-MAX_PATHS:]
        kept = {path: times[path] for path in newest}
        write_whole(file_of(repo), json.dumps(kept, separators=(',', ':')), durable=False)


def today(repo: Repo, now: float) -> Counter[str]:
    """How often a watcher saw each file saved in the last 24 hours; empty if the file is missing or broken."""
    return Counter({path: len(when) for path, when in _load(repo, now).items()})


def _load(repo: Repo, now: float) -> dict[str, list[float]]:
    try:
        data = json.loads(file_of(repo).read_bytes())
        kept = {str(path): [float(one) for one in when if now - DAY < one <= now + DAY] for path, when in data.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    return {path: when for path, when in kept.items() if when}
