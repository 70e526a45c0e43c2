"""A file that nobody can do is set aside after three tries, and the rest of its job is done."""

from __future__ import annotations

import os

from helpers_jobs import FILES, MODEL, missing, submit_all, tree, until_idle
from helpers_stream import LEASE, PATIENCE, Server, settings_for, start_worker

from ctxkit.repo import find
from ctxkit.stream import failures, names, queue, server
from ctxkit.stream.jobs import Job


def test_a_file_that_fails_is_set_aside_after_three_tries_and_the_rest_is_done(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo({'a.py': FILES['src/m1.py'], 'b.py': FILES['src/m2.py']}))
    commit, keys = tree(repo)
    files = (('1' * 40, 'gone.py'), (keys[0].blob, 'a.py'), (keys[1].blob, 'b.py'))
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        queue.submit(client, Job('', str(repo.root), '', commit, 'bundled', MODEL, 1_000_000, files), 10)
    done = until_idle(settings, repo.root)
    assert (done.jobs, done.made, done.aside) == (1, 2, 1)
    with server.connected(settings.stream) as client:
        (one,) = failures.aside(client)
        assert queue.state(client).jobs == 0
        assert client.exists(names.JOBS_TRIES) == 0
    assert (one.path, one.tries, one.reason) == ('gone.py', 3, 'its content is not in the clone')


def test_a_file_that_kills_its_worker_is_found_and_set_aside(git_repo, tmp_path, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    deadly = sorted(FILES)[20]
    (tmp_path / 'sitecustomize.py').write_text(  # in every Python below: slicing this file ends the process at once
        'import os\nfrom ctxkit.index import record\nmake = record.make\n'
        f'record.make = lambda path, *rest: os._exit(9) if path == {deadly!r} else make(path, *rest)\n'
    )
    ends = []
    while not ends or ends[-1]:
        environ = {'PYTHONPATH': os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])}
        ends.append(start_worker(repo.root, redis_server, **environ).wait(PATIENCE))
        assert len(ends) < 5
    assert ends == [9, 9, 0]  # a worker with a group of files, and one with this file alone; then no more
    with server.connected(settings.stream) as client:
        (one,) = failures.aside(client)
        assert queue.state(client).jobs == 0
    assert (one.path, one.tries, one.reason) == (deadly, 3, 'the slicer ended with exit code 9')
    assert missing(repo, settings) == [key for key in tree(repo)[1] if key.path_hint == deadly]


def test_a_file_at_which_workers_were_killed_three_times_is_not_blamed(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo({'a.py': FILES['src/m1.py']}))
    submit_all(repo, settings)
    for number in range(4):  # taken, begun, and nothing more is heard
        with server.connected(settings.stream) as client:
            job = None
            while job is None:
                job = queue.take(client, f'killed-{number}', LEASE, 0.1)
            failures.try_file(client, job, job.files[0][0])
    done = until_idle(settings, repo.root)
    assert (done.jobs, done.made, done.aside) == (1, 1, 0)
    assert missing(repo, settings) == []
