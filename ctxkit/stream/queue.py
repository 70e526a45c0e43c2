"""The bounded queue in Redis where slicing jobs wait until a worker has done them.

A worker that took a job shows signs of life; after `stream.lease_seconds` without one, another worker claims the job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.stream import groups
from ctxkit.stream.failures import fields_of, set_job_aside
from ctxkit.stream.jobs import Job, parse, queued_names
from ctxkit.stream.names import JOBS, JOBS_ASIDE, JOBS_QUEUED, JOBS_TRIES, WORKERS

if TYPE_CHECKING:
    from redis import Redis

# KEYS: queue, queued contents. ARGV: maximum length, number of fields, the fields, then for each file the name of its
# content and its JSON. Only contents that are in no job yet are accepted. Returns how many, or -1 if the queue is full.
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


class Queue(NamedTuple):
    """The queue's state: jobs that wait or are in work, jobs in work, workers seen, files set aside."""

    jobs: int
    taken: int
    workers: int
    aside: int


def open_queue(client: Redis) -> None:
    """Create the queue and its group of workers if they are missing."""
    groups.make(client, JOBS, WORKERS)


def submit(client: Redis, job: Job, max_jobs: int) -> int:
    """Put a job into the queue with those of its files that are in no other job; return how many these are.

    -1 if `max_jobs` are in the queue already: the submitter has to come again later.
    """
    flat = [part.encode('utf-8', 'surrogateescape') for pair in job.fields().items() for part in pair]
    files = [part for pair in zip(queued_names(job), job.texts(), strict=True) for part in pair]
    keys = [JOBS, JOBS_QUEUED]
    return int(client.register_script(SUBMIT)(keys=keys, args=[max_jobs, len(flat), *flat, *files]))


def take(client: Redis, worker: str, lease_seconds: float, block_seconds: float, claim: bool = True) -> Job | None:
    """The next job; None if there is none. With `claim`, a job left by a dead worker comes before a new one."""
    block = max(1, int(block_seconds * 1000))
    for key, fields in groups.take(client, JOBS, WORKERS, worker, 1, lease_seconds, block, claim):
        job = parse(key.decode(), fields or {})
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
    """Remove a done job from the queue, with all that is recorded of its tries."""
    ask = client.pipeline(transaction=True)
    ask.xack(JOBS, WORKERS, job.id)
    ask.xdel(JOBS, job.id)
    ask.srem(JOBS_QUEUED, *queued_names(job))
    ask.hdel(JOBS_TRIES, *(field for blob, _ in job.files for field in fields_of(job, blob)))
    ask.execute()


def state(client: Redis) -> Queue:
    """The state of the queue."""
    known: Any = client.xinfo_groups(JOBS) if client.exists(JOBS) else []
    mine = [one for one in known if one['name'] == WORKERS.encode()]
    taken, workers = (mine[0]['pending'], mine[0]['consumers']) if mine else (0, 0)
    return Queue(int(client.xlen(JOBS)), taken, workers, int(client.xlen(JOBS_ASIDE)))


def forget(client: Redis, worker: str) -> None:
    """Remove a worker that ends from the group, if it holds no job."""
    left: Any = client.xpending_range(JOBS, WORKERS, '-', '+', 1, consumername=worker)
    if not left:
        client.xgroup_delconsumer(JOBS, WORKERS, worker)


def _drop(client: Redis, key: str) -> None:
    """Remove a job that this version cannot read: otherwise it would come back for ever."""
    set_job_aside(client, key, f'job {key} has another schema')
    client.xack(JOBS, WORKERS, key)
    client.xdel(JOBS, key)
