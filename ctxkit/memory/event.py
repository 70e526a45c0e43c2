"""What a git event does to memory: anchors are checked again, and statements in commit messages are added."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from ctxkit.repo import Repo
from ctxkit.settings import Settings

MINUTES_BETWEEN_STARTS = 10


def on_commit(
    repo: Repo, settings: Settings, commit: str, changed: AbstractSet[str], now: float, since: str = ''
) -> None:
    """Bring the memory of this work tree up to `commit`. Cheap, and never raises: it must not cost the context.

    `since` is the commit that the work tree had before: a pull, a rebase or two commits in a row bring several at once.
    Transcripts are read only if the person's `memories.enabled` is set, and then in a separate process.
    """
    try:
        _update(repo, commit, changed, since)
        if settings.memories.enabled:
            _start_reading(repo, now)
        error_file(repo).unlink(missing_ok=True)  # this event has made good for an earlier one's failure
    except Exception as error:
        _note(repo, error)


def _start_reading(repo: Repo, now: float) -> None:
    """Start `ctxkit memory start` as a separate process, unless one was started within the last minutes."""
    import os

    from ctxkit.repo import clean_environ
    from ctxkit.safety.children import command, start_detached
    from ctxkit.safety.paths import data_folder, write_whole

    stamp = data_folder(repo.data_dir) / 'memory.started'
    try:
        if 0 <= now - float(stamp.read_text('ascii')) < MINUTES_BETWEEN_STARTS * 60:
            return
    except (OSError, ValueError):
        pass
    write_whole(stamp, f'{now:.0f}\n')
    start_detached(command('ctxkit', 'memory', 'start'), repo.root, clean_environ(os.environ))


def error_file(repo: Repo) -> Path:
    """The file with the failure of the last event; it exists only if that failed."""
    return repo.data_dir / 'memory.error'


def _update(repo: Repo, commit: str, changed: AbstractSet[str], since: str) -> None:
    from ctxkit.memory import commits, project, snapshot, store

    said = commits.statements(repo, commit, since) if commit else []
    if not said and not store.path(repo).exists() and not snapshot.path(repo).exists():
        return
    with store.opened(repo) as db:
        new = store.add(db, said, known=project.known_secrets(repo)) if said else 0
        project.write(repo, db, commit, changed)
        if new:
            project.write_others(repo, db)


def _note(repo: Repo, error: Exception) -> None:
    """Write the failure where `ctxkit memory doctor` finds it."""
    from ctxkit.safety.paths import data_folder, write_whole
    from ctxkit.safety.secrets import redact

    try:
        write_whole(
            data_folder(repo.data_dir) / error_file(repo).name, redact(f'{type(error).__name__}: {error}')[:2000] + '\n'
        )
    except Exception:
        return  # nothing more can be done, and git must not notice
