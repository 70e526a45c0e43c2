"""Files that a worker could not do: tries are counted, the last reason is kept, and after TRIES the file is set aside.

A try is counted for the file that the worker has reached. From the second try on, the file is made in a separate
process: this distinguishes a file that kills the process from a worker that was killed, and the rest of its job goes
on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.stream.jobs import Job
from ctxkit.stream.names import JOBS_ASIDE, JOBS_TRIES

if TYPE_CHECKING:
    from redis import Redis

TRIES = 3
KEPT_ASIDE = 10_000
LISTED = 100


class Aside(NamedTuple):
    """A file that no worker could do: the tries before it was set aside, when (epoch seconds), and why."""

    folder: str
    commit: str
    blob: str
    path: str
    tries: int
    time: float
    reason: str


def try_file(client: Redis, job: Job, blob: str) -> int:
    """Count a try of a file before it begins; return its number, 1 for the first."""
    return int(client.hincrby(JOBS_TRIES, fields_of(job, blob)[0], 1))


def failed(client: Redis, job: Job, blob: str, reason: str) -> None:
    """Record why a try failed."""
    client.hset(JOBS_TRIES, fields_of(job, blob)[1], reason[:500])


def set_aside(client: Redis, job: Job, blob: str, path: str, tries: int, now: float) -> None:
    """Set a file aside with the reason of its last failure."""
    why: Any = client.hget(JOBS_TRIES, fields_of(job, blob)[1])
    reason = why.decode('utf-8', 'replace') if why else ''
    fields: dict[Any, Any] = {
        'folder': job.folder, 'commit': job.commit, 'blob': blob, 'path': path.encode('utf-8', 'surrogateescape'),
        'tries': tries, 'time': repr(now), 'reason': reason,
    }  # fmt: skip
    client.xadd(JOBS_ASIDE, fields, maxlen=KEPT_ASIDE, approximate=True)


def aside(client: Redis) -> list[Aside]:
    """The files that were last set aside, newest first."""
    found: Any = client.xrevrange(JOBS_ASIDE, count=LISTED)
    out = []
    for _, raw in found:
        said = {name.decode(): value.decode('utf-8', 'surrogateescape') for name, value in raw.items()}
        out.append(
            Aside(
                said['folder'],
                said['commit'],
                said['blob'],
                said['path'],
                int(said['tries']),
                float(said['time']),
                said['reason'],
            )  # fmt: skip
        )
    return out


def fields_of(job: Job, blob: str) -> tuple[str, str]:
    """The fields of JOBS_TRIES with a file's number of tries, and with the last reason."""
    return f'{job.id}:{blob}', f'{job.id}:{blob}:why'


def set_job_aside(client: Redis, key: str, reason: str) -> None:
    """Set a whole job aside that could not be read at all."""
    client.xadd(JOBS_ASIDE, {'folder': '', 'commit': '', 'blob': '', 'path': '', 'tries': 1, 'time': '0',
                             'reason': reason}, maxlen=KEPT_ASIDE)  # fmt: skip
