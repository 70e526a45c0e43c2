"""Workers killed one after the other, and the server restarted among it: every job is done in the end."""

from __future__ import annotations

import random
import time

import pytest
from helpers_stream import PATIENCE, Server, settings_for, start_worker

from ctxkit import repo as plumbing
from ctxkit.embedding import encoder_for
from ctxkit.index.record import path_hint
from ctxkit.index.store import Key
from ctxkit.repo import find
from ctxkit.stream import failures, jobs, queue, server, shared

SECONDS = 10


@pytest.mark.slow
def test_a_kill_every_second_and_a_restart_lose_nothing_and_blame_no_file(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=1.0)
    body = ''.join(f'def f{at}(value):\n    """Step {at}."""\n    return value + {at}\n\n\n' for at in range(120))
    repo = find(git_repo({f'src/m{number}.py': f'# {number}\n{body}' for number in range(900)}))
    commit = plumbing.resolve(repo)
    keys = [Key(entry.blob, path_hint(entry.path, 1_000_000)) for entry in plumbing.tree(repo, commit)]
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        for job in jobs.of_tree(client, repo, settings, commit, ''):
            assert queue.submit(client, job, 100) > 0

    def start():
        return start_worker(repo.root, redis_server, CTXKIT_STREAM_LEASE_SECONDS='1.0')

    workers = [start() for _ in range(3)]
    dice = random.Random(7)
    for second in range(SECONDS):
        time.sleep(1)
        victim = dice.randrange(3)
        workers[victim].kill()
        workers[victim].wait()
        workers[victim] = start()
        if second == SECONDS // 2:
            redis_server.stop()
            redis_server.start()
    for one in workers:
        assert one.wait(10 * PATIENCE) == 0
    with server.connected(settings.stream) as client:
        assert queue.state(client)[:2] == (0, 0)
        assert failures.aside(client) == []
        assert shared.absent(client, keys, encoder_for('bundled').model_id) == []
