"""A worker: takes slicing jobs of many repositories and puts the results into the shared store."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.errors import CtxError
from ctxkit.repo import Repo, blobs
from ctxkit.settings import Settings
from ctxkit.stream import failures, queue, server, shared
from ctxkit.stream.clones import Clones
from ctxkit.stream.failures import TRIES
from ctxkit.stream.jobs import Job

if TYPE_CHECKING:
    from redis import Redis

    from ctxkit.index.build import Plan
    from ctxkit.index.store import Key

BLOCK_SECONDS = 1.0
GROUP = 8  # files made at once; a worker that dies loses no more

Notify = Callable[[str], None]


class Done(NamedTuple):
    """What a worker did: jobs, file contents made, contents that existed already, files set aside."""

    jobs: int = 0
    made: int = 0
    already_stored: int = 0
    aside: int = 0

    def plus(self, other: Done) -> Done:
        """The sum of both."""
        return Done(*(mine + its for mine, its in zip(self, other, strict=True)))


PATIENCE_SECONDS = 60.0  # long enough for the server to restart, even if the worker is to end by itself


def work(
    settings: Settings,
    roots: Sequence[Path],
    *,
    stop: Callable[[], bool],
    idle_seconds: float | None = None,
    patience: float = PATIENCE_SECONDS,
    notify: Notify = lambda _: None,
) -> Done:
    """Do jobs until `stop()` is true, or the queue was empty for `idle_seconds`.

    A lost server is waited for, and `notify` is called with a line that says so. With `idle_seconds`, it raises the
    server's error after `patience` seconds without it. Raises CtxError for that and for settings that cannot work.
    """
    me = f'{socket.gethostname()}-{os.getpid()}'
    clones = Clones(roots, settings)
    lease = settings.stream.lease_seconds
    block = min(BLOCK_SECONDS, lease / 2)
    # If many workers looked for dead ones before each job, the server would be busy with that alone.
    claimed_at = -lease
    total, in_vain, idle_since = Done(), 0, time.monotonic()
    seen = time.monotonic()  # when the server last answered
    while not stop():
        try:
            with server.connected(settings.stream, block=BLOCK_SECONDS) as client:
                queue.open_queue(client)
                while not stop():
                    in_vain, seen = 0, time.monotonic()
                    claim = time.monotonic() - claimed_at > lease / 4
                    job = queue.take(client, me, lease, block, claim)
                    claimed_at = time.monotonic() if claim else claimed_at
                    if job is not None:
                        total = total.plus(_Attempt(client, settings, job, me, stop).run(clones))
                        idle_since = time.monotonic()
                    elif queue.state(client).jobs:
                        idle_since = time.monotonic()  # a worker has it, or it waits to be tried again
                    elif idle_seconds is not None and time.monotonic() - idle_since >= idle_seconds:
                        break
                queue.forget(client, me)
                return total
        except server.Away as error:
            if idle_seconds is not None and time.monotonic() - seen > patience:
                raise
            if not in_vain:
                notify(f'{error.format_message()}; waiting for it')
            server.back_off(in_vain)
            in_vain += 1
    return total


class _Attempt:
    """One worker's attempt at one job."""

    def __init__(self, client: Redis, settings: Settings, job: Job, me: str, stop: Callable[[], bool]) -> None:
        self._client, self._settings, self._job, self._me, self._stop = client, settings, job, me, stop
        self._sign = time.monotonic()
        self._aside = self._made = 0
        self._retry = False

    def run(self, clones: Clones) -> Done:
        """Make what is missing; finish the job, or leave it to be tried again after the lease."""
        from ctxkit.embedding import encoder_for
        from ctxkit.index.build import Plan
        from ctxkit.index.record import path_hint
        from ctxkit.index.store import Key

        job = self._job
        paths = {Key(blob, path_hint(path, job.max_bytes)): path for blob, path in job.files}
        try:
            repo = clones.find(job.folder, job.project)
            model = encoder_for(job.model).model_id
            if model != job.model_id:
                raise CtxError(f'this worker has a different model ({model}) with the name {job.model}')
        except CtxError as error:
            return self._hopeless(paths, error.format_message())
        left = shared.absent(self._client, list(paths), model)
        plan = Plan(repo, job.model, job.max_bytes, 0)
        already_stored = len(paths) - len(left)
        at = single = 0
        while at < len(left) and not self._stop():
            tries = failures.try_file(self._client, job, left[at].blob)
            # The first try is in groups, which is fast. If a worker died within a group, its files are tried one by
            # one, and the file that it had reached, which may have killed it, in a separate process.
            single = GROUP if tries > 1 else single
            group = left[at : at + (1 if single > 0 else GROUP)]
            single -= 1
            self._make(plan, repo, group, paths, model, tries)
            at += len(group)
            self._live()
        if self._retry or at < len(left):
            # A failure may pass, so the job waits for its lease; a stop is no failure, so another may have it at once.
            queue.release(self._client, self._me, job, 0 if self._retry else self._settings.stream.lease_seconds + 1)
            return Done(0, self._made, already_stored, self._aside)
        queue.finish(self._client, job)
        return Done(1, self._made, already_stored, self._aside)

    def _make(
        self, plan: Plan, repo: Repo, group: Sequence[Key], paths: dict[Key, str], model: str, tries: int
    ) -> None:
        """Make contents and give them to the store. `tries` is how often the first was tried, including this time."""
        from ctxkit.embedding import encoder_for
        from ctxkit.index.build import make_group
        from ctxkit.stream.alone import make_alone

        contents = [content for _, content in blobs(repo, [key.blob for key in group])]
        try:
            if None in contents:
                raise CtxError('its content is not in the clone')
            items = [(key, paths[key], content or b'') for key, content in zip(group, contents, strict=True)]
            if tries == 1:
                made = make_group(plan, items)
            else:
                size = encoder_for(plan.model).dimension
                made = [make_alone(*items[0], plan.model, plan.max_bytes, size, self._live)]
        except Exception as error:  # whatever a file does to the slicer, the worker goes on
            if len(group) > 1:
                for key in group:
                    self._make(plan, repo, [key], paths, model, tries)
                return
            said = error.format_message() if isinstance(error, CtxError) else f'{type(error).__name__}: {error}'
            failures.failed(self._client, self._job, group[0].blob, said)
            if tries >= TRIES:
                self._give_up(group[0], paths, tries)
            else:
                self._retry = True
            return
        self._made += shared.give(self._client, made, model, self._settings.stream.shared_days)

    def _give_up(self, key: Key, paths: dict[Key, str], tries: int) -> None:
        failures.set_aside(self._client, self._job, key.blob, paths[key], tries, time.time())
        self._aside += 1

    def _hopeless(self, paths: dict[Key, str], reason: str) -> Done:
        """Count a try for the job's first file, which stands for all, because nothing of the job can be done here."""
        first = next(iter(paths))
        tries = failures.try_file(self._client, self._job, first.blob)
        failures.failed(self._client, self._job, first.blob, reason)
        if tries < TRIES:
            queue.release(self._client, self._me, self._job, 0)
            return Done()
        self._give_up(first, paths, tries)
        queue.finish(self._client, self._job)
        return Done(1, 0, 0, len(paths))

    def _live(self) -> None:
        if time.monotonic() - self._sign > self._settings.stream.lease_seconds / 4:
            self._sign = time.monotonic()
            queue.alive(self._client, self._me, self._job)
