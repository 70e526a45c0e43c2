"""Slicing jobs: a bounded queue in Redis that workers take from, each job until somebody has done it.

A job names a repository, a commit and some of its files. Who took it shows signs of life; after `stream.lease_seconds`
without one, another worker claims it. Tries are counted for the file at which a worker was. From the second on, the
file is made by a process of its own: so a file that kills is told from a worker that was killed, and is set aside after
three tries with the reason, while the rest of its job goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.stream.names import JOBS, JOBS_ASIDE, JOBS_QUEUED, JOBS_TRIES, WORKERS, queued

if TYPE_CHECKING:
    from redis import Redis

SCHEMA = '1'
BATCH_FILES = 48
TRIES = 3
KEPT_ASIDE = 10_000

# KEYS: queue, queued contents. ARGV: longest length, number of fields, the fields, then for each file the name of its
# content and its JSON. Only contents that no job is about yet are taken. -1: the queue is full, else how many it took.
SUBMIT = """
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[1]) then return -1 end
local n = tonumber(ARGV[2])
local files = {}
for i = 3 + n, #ARGV, 2 do
  if redis.call('SADD', KEYS[2], ARGV[i]) == 1 then files[#files + 1] = ARGV[i + 1] end
end
if #files > 0 then
  redis.call('XADD', KEYS[1], '*', 'files', '[' .. table.concat(files, ',') .. ']', unpack(ARGV, 3, 2 + n))
end
return #files
"""


@dataclass(frozen=True)
class Job:
    """Files to slice: `files` are (blob, path). `folder` is the clone, `project` its identity ('' if unknown).

    `model` is a model's name, `model_id` what it must be: two workers may have different models under one name.
    """

    id: str
    folder: str
    project: str
    commit: str
    model: str
    model_id: str
    max_bytes: int
    files: tuple[tuple[str, str], ...]


class Aside(NamedTuple):
    """A file that no worker could do: after how many tries it was set aside, when (epoch seconds), and why."""

    folder: str
    commit: str
    blob: str
    path: str
    tries: int
    time: float
    reason: str


class Queue(NamedTuple):
    """How many jobs wait or are in work, how many of them are in work, workers seen, files set aside."""

    jobs: int
    taken: int
    workers: int
    aside: int


def of_tree(client: Redis, repo: Repo, settings: Settings, commit: str, project: str) -> Iterator[Job]:
    """The jobs for what the shared store lacks of a commit's tree; their ids are given by the queue."""
    from ctxkit.embedding import encoder_for
    from ctxkit.index.record import hint
    from ctxkit.index.scan import scan
    from ctxkit.index.store import Key
    from ctxkit.stream.shared import absent

    entries, _ = scan(repo, commit, settings.slicing)
    limit = settings.slicing.max_file_bytes
    paths = {Key(entry.blob, hint(entry.path, limit)): entry.path for entry in entries}
    model = settings.model.name
    model_id = encoder_for(model).model_id
    lacking = absent(client, list(paths), model_id)
    for start in range(0, len(lacking), BATCH_FILES):
        files = tuple((key.blob, paths[key]) for key in lacking[start : start + BATCH_FILES])
        yield Job('', str(repo.root), project, commit, model, model_id, limit, files)


def open_queue(client: Redis) -> None:
    """Make the queue and its group of workers if they are missing."""
    from redis.exceptions import ResponseError

    try:
        client.xgroup_create(JOBS, WORKERS, id='0', mkstream=True)
    except ResponseError as error:
        if 'BUSYGROUP' not in str(error):
            raise


def submit(client: Redis, job: Job, max_jobs: int) -> int:
    """Put a job into the queue; returns how many of its files no other job was about, which are those it is now about.

    -1 where `max_jobs` wait already: the submitter has to come again later.
    """
    fields = {
        'schema': SCHEMA, 'folder': job.folder, 'project': job.project, 'commit': job.commit, 'model': job.model,
        'model_id': job.model_id,         'max_bytes': str(job.max_bytes),
    }  # fmt: skip
    flat = [part.encode('utf-8', 'surrogateescape') for pair in fields.items() for part in pair]
    texts = (json.dumps(file, ensure_ascii=True, separators=(',', ':')) for file in job.files)
    files = [part for name, text in zip(_queued(job), texts, strict=True) for part in (name, text)]
    keys = [JOBS, JOBS_QUEUED]
    return int(client.register_script(SUBMIT)(keys=keys, args=[max_jobs, len(flat), *flat, *files]))


def take(client: Redis, worker: str, lease_seconds: float, block_seconds: float, claim: bool = True) -> Job | None:
    """The next job; None if there is none. With `claim`, one that a dead worker left comes before a new one."""
    from redis.exceptions import ResponseError

    from ctxkit.stream.feed import claimed

    try:
        rows = claimed(client, JOBS, WORKERS, worker, 1, lease_seconds) if claim else []
        if not rows:
            block = max(1, int(block_seconds * 1000))
            rows = _rows(client.xreadgroup(WORKERS, worker, {JOBS: '>'}, count=1, block=block))
    except ResponseError as error:
        if 'NOGROUP' not in str(error):
            raise
        open_queue(client)
        return None
    for key, fields in rows:
        job = _job(key.decode(), fields or {})
        if job is not None:
            return job
        _drop(client, key.decode())
    return None


def alive(client: Redis, worker: str, job: Job) -> None:
    """Show a sign of life for a job in work."""
    client.xclaim(JOBS, WORKERS, worker, 0, [job.id], justid=True)


def release(client: Redis, worker: str, job: Job, idle_seconds: float) -> None:
    """Give a job back as if its worker had been silent for `idle_seconds`: another takes it once its lease is over."""
    client.xclaim(JOBS, WORKERS, worker, 0, [job.id], idle=int(idle_seconds * 1000), justid=True)


def finish(client: Redis, job: Job) -> None:
    """The job is done: it leaves the queue with all that is known of its tries."""
    ask = client.pipeline(transaction=True)
    ask.xack(JOBS, WORKERS, job.id)
    ask.xdel(JOBS, job.id)
    ask.srem(JOBS_QUEUED, *_queued(job))
    ask.hdel(JOBS_TRIES, *(field for blob, _ in job.files for field in _fields(job, blob)))
    ask.execute()


def try_file(client: Redis, job: Job, blob: str) -> int:
    """Count a try of a file, before it begins; returns which one it is, 1 for the first."""
    return int(client.hincrby(JOBS_TRIES, _fields(job, blob)[0], 1))


def failed(client: Redis, job: Job, blob: str, reason: str) -> None:
    """Remember why a try failed."""
    client.hset(JOBS_TRIES, _fields(job, blob)[1], reason[:500])


def set_aside(client: Redis, job: Job, blob: str, path: str, tries: int, now: float) -> None:
    """Put a file aside with the reason of its last failure."""
    why: Any = client.hget(JOBS_TRIES, _fields(job, blob)[1])
    reason = why.decode('utf-8', 'replace') if why else ''
    fields: dict[Any, Any] = {
        'folder': job.folder, 'commit': job.commit, 'blob': blob, 'path': path.encode('utf-8', 'surrogateescape'),
        'tries': tries, 'time': repr(now), 'reason': reason,
    }  # fmt: skip
    client.xadd(JOBS_ASIDE, fields, maxlen=KEPT_ASIDE, approximate=True)


def aside(client: Redis, limit: int = 100) -> list[Aside]:
    """The files that were set aside last, newest first."""
    found: Any = client.xrevrange(JOBS_ASIDE, count=limit)
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


def queue(client: Redis) -> Queue:
    """How the queue stands."""
    groups: Any = client.xinfo_groups(JOBS) if client.exists(JOBS) else []
    mine = [one for one in groups if one['name'] == WORKERS.encode()]
    taken, workers = (mine[0]['pending'], mine[0]['consumers']) if mine else (0, 0)
    return Queue(int(client.xlen(JOBS)), taken, workers, int(client.xlen(JOBS_ASIDE)))


def forget(client: Redis, worker: str) -> None:
    """Take a worker that ends out of the group, if it holds no job."""
    left: Any = client.xpending_range(JOBS, WORKERS, '-', '+', 1, consumername=worker)
    if not left:
        client.xgroup_delconsumer(JOBS, WORKERS, worker)


def _queued(job: Job) -> list[str]:
    """The names of the job's file contents in the set of those that are queued."""
    from ctxkit.index.record import hint

    return [queued(blob, hint(path, job.max_bytes), job.model_id) for blob, path in job.files]


def _fields(job: Job, blob: str) -> tuple[str, str]:
    """The names under which tries of a file and the last reason are kept."""
    return f'{job.id}:{blob}', f'{job.id}:{blob}:why'


def _drop(client: Redis, key: str) -> None:
    """A job that cannot be read by this version, or by none: it would come back for ever."""
    client.xadd(JOBS_ASIDE, {'folder': '', 'commit': '', 'blob': '', 'path': '', 'tries': 1, 'time': '0',
                             'reason': f'job {key} is of another schema'}, maxlen=KEPT_ASIDE)  # fmt: skip
    client.xack(JOBS, WORKERS, key)
    client.xdel(JOBS, key)


def _job(key: str, raw: dict[bytes, bytes]) -> Job | None:
    said = {name.decode('utf-8', 'replace'): value.decode('utf-8', 'surrogateescape') for name, value in raw.items()}
    if said.get('schema') != SCHEMA:
        return None
    try:
        files = tuple((str(blob), str(path)) for blob, path in json.loads(said['files']))
        limit, model_id = int(said['max_bytes']), said['model_id']
        return Job(key, said['folder'], said['project'], said['commit'], said['model'], model_id, limit, files)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _rows(found: Any) -> list[Any]:
    """The entries of a reply of XREADGROUP for one key; the newer protocol wraps them once more."""
    if not found:
        return []
    pairs: Iterable[Any] = found.items() if isinstance(found, dict) else found
    rows = [row for _, part in pairs for row in part]
    return list(rows[0] if rows and isinstance(rows[0][0], (list, tuple)) else rows)
