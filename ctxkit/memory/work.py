"""What one run of the memory pipeline works on, and what it reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ctxkit.memory.database import Connection
from ctxkit.memory.facts import Fact
from ctxkit.memory.model import Caller
from ctxkit.repo import Repo
from ctxkit.settings import Settings

Progress = Callable[[int, int], None]  # (conversations read, all that are due)


@dataclass
class Report:
    """What a run did: conversations read, skipped by reason or failed; the facts; files left alone as unreadable."""

    read: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    consolidated: bool = False

    def skip(self, reason: str) -> None:
        """Count a conversation that was left alone."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


@dataclass(frozen=True)
class Work:
    """The input of a run: the repository, its open database, the person's home and settings. Ages are measured by
    `now`, leases and time limits by `clock`; `everything` lifts the limit of conversations per run."""

    repo: Repo
    db: Connection
    settings: Settings
    home: Path
    environ: Mapping[str, str]
    now: float
    caller: Caller
    report: Report
    everything: bool = False
    progress: Progress | None = None
    clock: Callable[[], float] = time.time

    def show(self, done: int, total: int) -> None:
        """Show the person the progress, if anybody watches."""
        if self.progress is not None:
            self.progress(done, total)
