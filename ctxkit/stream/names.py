"""The names of all keys in Redis. Keys of one project share a hash tag, so that a cluster keeps them together."""

from __future__ import annotations

import hashlib

from ctxkit.index.record import FORMAT

# Workers do only jobs of their own format: while a new version is rolled out, each version uses its own queue.
_QUEUE = f'ctxkit:{{jobs-{FORMAT}}}'
JOBS = f'{_QUEUE}:queue'
JOBS_ASIDE = f'{_QUEUE}:aside'
JOBS_TRIES = f'{_QUEUE}:tries'
JOBS_QUEUED = f'{_QUEUE}:queued'  # the set of file contents in any queued job
WORKERS = 'workers'  # the consumer group of JOBS


def units(project: str) -> str:
    """The key of the project's stream."""
    return f'ctxkit:{{{project}}}:units'


def seen(project: str) -> str:
    """The key of the sorted set of what was published in the last day, so that nothing is published twice."""
    return f'ctxkit:{{{project}}}:seen'


def record(blob: str, path_hint: str) -> str:
    """The key of one file content's record, composed like the local index's keys."""
    return f'ctxkit:file:{FORMAT}:{_key(blob, path_hint)}'


def vectors(blob: str, path_hint: str, model: str) -> str:
    """The key of one file content's vectors for a model."""
    return f'ctxkit:vectors:{FORMAT}:{_short(model)}:{_key(blob, path_hint)}'


def queued(blob: str, path_hint: str, model: str) -> str:
    """The name of a file content in JOBS_QUEUED."""
    return f'{_key(blob, path_hint)}:{_short(model)}'


def _key(blob: str, path_hint: str) -> str:
    return f'{blob}:{_short(path_hint)}'


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()
