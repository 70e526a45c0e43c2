"""Files that a worker could not do: tries counted, the reason of the last one kept, set aside after TRIES of them.

Tries are counted for the file at which a worker was. From the second on, the file is made by a process of its own: so a
file that kills is told from a worker that was killed, and the rest of its job goes on.
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
    """A file that no worker could do: after how many tries it was set aside, when (epoch seconds), and why."""

    folder: str
    commit: str
    blob: str
    path: str
    tries: int
    time: float
    reason: str


def try_file(client: Redis, job: Job, blob: str) -> int:
    """Count a try of a file, before it begins; returns which one it is, 1 for the first."""
    return int(client.hincrby(JOBS_TRIES, fields_of(job, blob)[0], 1))


def failed(client: Redis, job: Job, blob: str, reason: str) -> None:
    """Remember why a try failed."""
    client.hset(JOBS_TRIES, fields_of(job, blob)[1], reason[:500])


def set_aside(client: Redis, job: Job, blob: str, path: str, tries: int, now: float) -> None:
    """Put a file aside with the reason of its last failure."""
    why: Any = client.hget(JOBS_TRIES, fields_of(job, blob)[1])
    reason = why.decode('utf-8', 'replace') if why else ''
    fields: dict[Any, Any] = {
        'folder': job.folder, 'commit': job.commit, 'blob': blob, 'path': path.encode('utf-8', 'surrogateescape'),
        'tries': tries, 'time': repr(now), 'reason': reason,
    }  # fmt: skip
    client.xadd(JOBS_ASIDE, fields, maxlen=KEPT_ASIDE, approximate=True)


def aside(client: Redis) -> list[Aside]:
    """The files that were set aside last, newest first."""
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
    """The names in JOBS_TRIES of the number of tries of a file, and of the last reason."""
    return f'{job.id}:{blob}', f'{job.id}:{blob}:why'


def set_job_aside(client: Redis, key: str, reason: str) -> None:
    """Note that a whole job, which nothing could be read of, was put aside."""
    client.xadd(JOBS_ASIDE, {'folder': '', 'commit': '', 'blob': '', 'path': '', 'tries': 1, 'time': '0',
                             'reason': reason}, maxlen=KEPT_ASIDE)  # fmt: skip
