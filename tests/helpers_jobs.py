"""Slicing jobs for the tests of the queue and its workers."""

from __future__ import annotations

from pathlib import Path

from ctxkit import repo as plumbing
from ctxkit.embedding import encoder_for
from ctxkit.index.record import path_hint
from ctxkit.index.store import Key
from ctxkit.stream import jobs, queue, server, shared
from ctxkit.stream.jobs import Job
from ctxkit.stream.worker import work

MODEL = encoder_for('bundled').model_id
FILES = {
    f'src/m{number}.py': f'def f{number}(x):\n    """Number {number}."""\n    return x + {number}\n'
    for number in range(60)
}


def tree(repo):
    """(commit, the keys of its files in the index)."""
    commit = plumbing.resolve(repo)
    return commit, [Key(entry.blob, path_hint(entry.path, 1_000_000)) for entry in plumbing.tree(repo, commit)]


def submit_all(repo, settings) -> int:
    """Queue what the shared store lacks of HEAD; returns the number of jobs."""
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        made = list(jobs.of_tree(client, repo, settings, plumbing.resolve(repo), ''))
        assert all(queue.submit(client, job, settings.stream.max_jobs) >= 0 for job in made)
    return len(made)


def missing(repo, settings) -> list[Key]:
    """What the shared store still lacks of HEAD."""
    with server.connected(settings.stream) as client:
        return shared.absent(client, tree(repo)[1], encoder_for('bundled').model_id)


def until_idle(settings, root: Path, idle: float = 0.0):
    """A worker that ends once the queue is empty."""
    return work(settings, [root], stop=lambda: False, idle_seconds=idle)


def job_of(repo, *files: tuple[str, str]) -> Job:
    """A job about these (blob, path)."""
    return Job('', str(repo.root), '', plumbing.resolve(repo), 'bundled', MODEL, 1_000_000, files)
