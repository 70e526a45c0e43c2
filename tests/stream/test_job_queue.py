"""Jobs are done by whoever lives, each once in effect: bounded, given back, taken over."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

from helpers_jobs import FILES, job_of, missing, submit_all, until_idle
from helpers_stream import LEASE, PATIENCE, Server, settings_for, start_worker, until

from ctxkit import repo as plumbing
from ctxkit.repo import find
from ctxkit.stream import queue, server
from ctxkit.stream.worker import work


def test_the_job_of_a_killed_worker_is_done_by_another(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    with server.connected(settings.stream) as client:  # taken, then nothing more is heard of it
        assert queue.take(client, 'killed', 1, 1) is not None
    done = until_idle(settings, repo.root)
    assert (done.jobs, done.made) == (2, 60)
    with server.connected(settings.stream) as client:
        assert queue.state(client)[:2] == (0, 0)


def test_a_worker_killed_at_every_turn_loses_no_job(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    victim = start_worker(repo.root, redis_server)
    until(lambda: len(missing(repo, settings)) < 60)
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    assert until_idle(settings, repo.root).aside == 0
    assert missing(repo, settings) == []


def test_a_worker_told_to_stop_gives_its_job_back(git_repo, redis_server: Server):
    settings = settings_for(redis_server)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    turns = iter([False] * 5)
    work(settings, [repo.root], stop=lambda: next(turns, True))
    assert until_idle(settings, repo.root).jobs == 2  # at once, not after the lease
    assert missing(repo, settings) == []


def test_a_worker_outlasts_the_queue_that_it_waits_for(redis_server: Server):
    settings = settings_for(redis_server)
    with (
        server.connected(settings.stream, block=PATIENCE) as client,
        server.connected(settings.stream) as other,
        ThreadPoolExecutor() as pool,
    ):
        queue.open_queue(client)
        waiting = pool.submit(queue.take, client, 'w', LEASE, PATIENCE)
        until(lambda: other.info('clients')['blocked_clients'] == 1)
        other.flushdb()
        assert waiting.result(PATIENCE) is None
        assert queue.state(client).workers == 0  # there is a queue again


def test_the_queue_is_bounded(git_repo, redis_server: Server):
    settings = settings_for(redis_server)
    repo = find(git_repo({'a.py': 'x = 1\n'}))
    with server.connected(settings.stream) as client:
        taken = [queue.submit(client, job_of(repo, (str(number) * 40, 'a.py')), 2) for number in range(3)]
    assert taken == [1, 1, -1]


def test_a_content_is_in_one_job_however_many_trees_hold_it(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo({'a.py': FILES['src/m1.py']}))
    (entry,) = plumbing.tree(repo, plumbing.resolve(repo))
    same, new = (entry.blob, 'a.py'), ('1' * 40, 'new.py')
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        assert [queue.submit(client, job_of(repo, *files), 9) for files in ([same], [same, new], [same])] == [1, 1, 0]
        assert queue.state(client).jobs == 2
    until_idle(settings, repo.root)
    with server.connected(settings.stream) as client:  # what is done, or set aside, can be asked for again
        assert queue.submit(client, job_of(repo, same, new), 9) == 2


def test_nothing_is_lost_when_the_server_restarts_in_mid_run(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    worker = start_worker(repo.root, redis_server)
    until(lambda: len(missing(repo, settings)) < 60)
    redis_server.stop()
    time.sleep(0.3)
    redis_server.start()
    assert worker.wait(PATIENCE) == 0
    until_idle(settings, repo.root)
    assert missing(repo, settings) == []
