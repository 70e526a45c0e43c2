"""Jobs are done by whoever lives, each once in effect, and a file that nobody can do is set aside."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest
from helpers_stream import LEASE, PATIENCE, Server, settings_for, start_worker

from ctxkit import config
from ctxkit import repo as plumbing
from ctxkit.embedding import encoder_for
from ctxkit.errors import CtxError
from ctxkit.index.build import make_group
from ctxkit.index.record import hint
from ctxkit.index.store import Key, Store
from ctxkit.repo import find
from ctxkit.stream import failures, jobs, names, queue, server, shared
from ctxkit.stream.jobs import Job
from ctxkit.stream.worker import work

MODEL = encoder_for('bundled').model_id
FILES = {
    f'src/m{number}.py': f'def f{number}(x):\n    """Number {number}."""\n    return x + {number}\n'
    for number in range(60)
}


def tree(repo):
    commit = plumbing.resolve(repo)
    return commit, [Key(entry.blob, hint(entry.path, 1_000_000)) for entry in plumbing.tree(repo, commit)]


def submit_all(repo, settings) -> int:
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        made = list(jobs.of_tree(client, repo, settings, plumbing.resolve(repo), ''))
        assert all(queue.submit(client, job, settings.stream.max_jobs) >= 0 for job in made)
    return len(made)


def missing(repo, settings) -> list[Key]:
    with server.connected(settings.stream) as client:
        return shared.absent(client, tree(repo)[1], encoder_for('bundled').model_id)


def until_idle(settings, root: Path, idle: float = 0.0):
    return work(settings, [root], stop=lambda: False, idle_seconds=idle)


def test_a_worker_puts_what_a_tree_needs_into_the_shared_store(git_repo, redis_server: Server):
    settings = settings_for(redis_server)
    repo = find(git_repo(FILES))
    assert submit_all(repo, settings) == 2
    done = until_idle(settings, repo.root)
    assert (done.jobs, done.made) == (2, 60)
    assert missing(repo, settings) == []
    assert submit_all(repo, settings) == 0  # a file that any clone has seen is never sliced again


def test_an_update_with_the_shared_store_slices_only_what_is_new(git, git_repo, tmp_path, redis_server: Server):
    settings = settings_for(redis_server)
    origin = find(git_repo(FILES))
    submit_all(origin, settings)
    until_idle(settings, origin.root)
    git(tmp_path, 'clone', '-q', '--depth=1', f'file://{origin.root}', 'ci')
    ci = find(tmp_path / 'ci')
    (ci.root / 'new.py').write_text('def fresh():\n    return 1\n')
    git(ci.root, 'add', 'new.py')
    git(ci.root, 'commit', '-qm', 'new')
    done = shared.exchange(ci, settings, plumbing.resolve(ci), time.time())
    assert done == shared.Exchange(taken=60, sliced=1, given=1, problem='')
    assert shared.exchange(origin, settings, plumbing.resolve(origin), time.time()).sliced == 0


def test_what_comes_from_the_store_is_what_would_have_been_made_here(git, git_repo, tmp_path, redis_server: Server):
    settings = settings_for(redis_server)
    first = find(git_repo(FILES))
    shared.exchange(first, settings, plumbing.resolve(first), time.time())
    git(tmp_path, 'clone', '-q', str(first.root), 'second')
    second = find(tmp_path / 'second')
    assert shared.exchange(second, settings, plumbing.resolve(second), time.time()).taken == 60
    model = encoder_for('bundled').model_id
    with Store(first.data_dir) as one, Store(second.data_dir) as two:
        for key in tree(first)[1]:
            assert one.content(key, model) == two.content(key, model) is not None


def test_a_value_that_does_not_hold_together_is_not_taken(git_repo):
    from ctxkit.index.build import Content, Plan

    repo = find(git_repo({'a.py': FILES['src/m1.py']}))
    content = make_group(
        Plan(repo, 'bundled', 1_000_000, 0), [(Key('0' * 40, 'a.py'), 'a.py', b'def f():\n    pass\n')]
    )[0]
    dimension = encoder_for('bundled').dimension
    record, vectors = shared.encode(content)
    assert shared.decode(content.key, record, vectors, dimension) == content
    assert shared.decode(content.key, record[:-9], vectors, dimension) is None
    assert shared.decode(content.key, vectors, record, dimension) is None
    assert shared.decode(content.key, record, None, dimension) is None
    for wrong in (
        content._replace(chunks=content.chunks + 1),
        content._replace(vectors=content.vectors[:-1]),
        content._replace(folds='[[0, 99]]'),
        content._replace(folds='5'),
    ):
        assert isinstance(wrong, Content)
        assert shared.decode(content.key, *shared.encode(wrong), dimension) is None


def test_update_goes_on_without_the_store_when_it_is_away(git_repo, redis_server: Server):
    settings = settings_for(redis_server)
    repo = find(git_repo({'a.py': 'def f():\n    pass\n'}))
    redis_server.stop()
    done = shared.exchange(repo, settings, plumbing.resolve(repo), time.time())
    assert done.sliced == 1
    assert 'does not answer' in done.problem


def wait_for(what) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, 'it did not happen'
        time.sleep(0.05)


def test_the_job_of_a_killed_worker_is_done_by_another(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    with server.connected(settings.stream) as client:  # taken, then nothing more is heard of it
        assert queue.take(client, 'killed', 1, 1) is not None
    done = until_idle(settings, repo.root)
    assert (done.jobs, done.made) == (2, 60)
    with server.connected(settings.stream) as client:
        assert queue.stand(client)[:2] == (0, 0)


def test_a_worker_killed_at_every_turn_loses_no_job(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    victim = start_worker(repo.root, redis_server)
    wait_for(lambda: len(missing(repo, settings)) < 60)
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
        assert queue.stand(client).jobs == 0
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
        assert queue.stand(client).jobs == 0
    assert (one.path, one.tries, one.reason) == (deadly, 3, 'the slicer ended with exit code 9')
    assert missing(repo, settings) == [key for key in tree(repo)[1] if key.hint == deadly]


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


def job_of(repo, *files: tuple[str, str]) -> Job:
    return Job('', str(repo.root), '', plumbing.resolve(repo), 'bundled', MODEL, 1_000_000, files)


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
        assert queue.stand(client).jobs == 2
    until_idle(settings, repo.root)
    with server.connected(settings.stream) as client:  # what is done, or set aside, can be asked for again
        assert queue.submit(client, job_of(repo, same, new), 9) == 2


def test_a_worker_opens_nothing_outside_its_roots(git_repo, tmp_path, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    secret = find(git_repo({'a.py': 'x = 1\n'}, name='secret'))
    inside = tmp_path / 'inside'
    inside.mkdir()
    submit_all(secret, settings)
    done = until_idle(settings, inside)
    assert done.made == 0
    with server.connected(settings.stream) as client:
        assert 'no clone of' in failures.aside(client)[0].reason


@pytest.mark.parametrize('bare', [False, True])
def test_a_clone_in_another_folder_is_found_by_identity(git, git_repo, tmp_path, bare, redis_server: Server):
    from ctxkit.stream.identity import project

    settings = settings_for(redis_server)
    origin = find(git_repo({'a.py': FILES['src/m1.py']}))
    mirrors = tmp_path / 'mirrors' / 'team'
    mirrors.mkdir(parents=True)
    git(mirrors, 'clone', '-q', *(['--bare'] if bare else []), str(origin.root), 'work.git')
    name = project(origin, settings)
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        (job,) = jobs.of_tree(client, origin, settings, plumbing.resolve(origin), name)
        queue.submit(client, job, 10)
    assert until_idle(settings, tmp_path / 'mirrors').made == 1


def test_nothing_is_lost_when_the_server_restarts_in_mid_run(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo(FILES))
    submit_all(repo, settings)
    worker = start_worker(repo.root, redis_server)
    wait_for(lambda: len(missing(repo, settings)) < 60)
    redis_server.stop()
    time.sleep(0.3)
    redis_server.start()
    assert worker.wait(PATIENCE) == 0
    until_idle(settings, repo.root)
    assert missing(repo, settings) == []


def test_a_worker_with_another_model_does_not_fill_the_store_with_its_vectors(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo({'a.py': FILES['src/m1.py']}))
    (entry,) = plumbing.tree(repo, plumbing.resolve(repo))
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        queue.submit(client, replace(job_of(repo, (entry.blob, 'a.py')), model_id='another'), 9)
    assert until_idle(settings, repo.root).made == 0
    with server.connected(settings.stream) as client:
        assert 'another model' in failures.aside(client)[0].reason


def test_work_that_is_to_end_by_itself_does_not_wait_for_ever_for_a_server():
    settings = replace(config.Settings(), stream=replace(config.Settings().stream, url='redis://127.0.0.1:9/0'))
    with pytest.raises(CtxError):
        work(settings, [Path.cwd()], stop=lambda: False, idle_seconds=0.0, patience=0.1)
