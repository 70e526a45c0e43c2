"""What a git event does to memory: anchors are checked again, and what the commit says for the record is taken in."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from ctxkit.repo import Repo
from ctxkit.settings import Settings


def on_commit(
    repo: Repo, settings: Settings, commit: str, changed: AbstractSet[str], now: float, since: str = ''
) -> None:
    """Bring the memory of this work tree up to `commit`. Cheap, and never raises: it must not cost the context.

    `since` is the commit that the work tree had before: a pull, a rebase or two commits in a row bring several at once.
    Transcripts are read only if the person's `memories.enabled` says so, and then in a process of its own.
    """
    try:
        _update(repo, commit, changed, now, since)
        if settings.memories.enabled:
            from ctxkit.memory.background import start

            start(repo, settings, now)
        error_file(repo).unlink(missing_ok=True)  # of an event before, which this one has made good
    except Exception as error:
        _note(repo, error)


def error_file(repo: Repo) -> Path:
    """Where the failure of the last event is told; there only if it failed."""
    return repo.data_dir / 'memory.error'


def _update(repo: Repo, commit: str, changed: AbstractSet[str], now: float, since: str) -> None:
    from ctxkit.memory import commits, project, snapshot, store

    said = commits.statements(repo, commit, since) if commit else []
    if not said and not store.path(repo).exists() and not snapshot.path(repo).exists():
        return
    with store.opened(repo) as db:
        new = store.add(db, said, known=project.known_secrets(repo)) if said else 0
        project.write(repo, db, commit, now, changed=changed)
        if new:
            project.write_others(repo, db, now)


def _note(repo: Repo, error: Exception) -> None:
    """Leave the failure where `ctxkit memory doctor` finds it."""
    from ctxkit.safety.paths import data_folder, write_whole
    from ctxkit.safety.secrets import redact

    try:
        write_whole(
            data_folder(repo.data_dir) / error_file(repo).name, redact(f'{type(error).__name__}: {error}')[:2000] + '\n'
        )
    except Exception:
        return  # nothing more can be done, and git must not notice
