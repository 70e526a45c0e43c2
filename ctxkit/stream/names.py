"""The names of all keys in Redis. Keys of one project share a hash tag, so that a cluster holds them together."""

from __future__ import annotations

import hashlib

JOBS = 'ctxkit:{jobs}:queue'
JOBS_ASIDE = 'ctxkit:{jobs}:aside'
JOBS_TRIES = 'ctxkit:{jobs}:tries'
JOBS_QUEUED = 'ctxkit:{jobs}:queued'  # the set of file contents that some job in the queue is about
WORKERS = 'workers'  # the consumer group of JOBS


def units(project: str) -> str:
    """The project's stream."""
    return f'ctxkit:{{{project}}}:units'


def seen(project: str) -> str:
    """The sorted set of what was published in the last day, so that nothing is published twice."""
    return f'ctxkit:{{{project}}}:seen'


def record(format_: int, blob: str, hint: str) -> str:
    """The record of one file content, as the local index keys it."""
    return f'ctxkit:file:{format_}:{_key(blob, hint)}'


def vectors(format_: int, blob: str, hint: str, model: str) -> str:
    """The vectors and folds of one file content for a model."""
    return f'ctxkit:vectors:{format_}:{_short(model)}:{_key(blob, hint)}'


def queued(blob: str, hint: str, model: str) -> str:
    """A file content in JOBS_QUEUED."""
    return f'{_key(blob, hint)}:{_short(model)}'


def _key(blob: str, hint: str) -> str:
    return f'{blob}:{_short(hint)}'


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()
