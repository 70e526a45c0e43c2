"""Workers fill the shared store, and an update takes from it what it would have made."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from helpers_jobs import FILES, job_of, missing, submit_all, tree, until_idle
from helpers_stream import LEASE, Server, settings_for

from ctxkit import config
from ctxkit import repo as plumbing
from ctxkit.embedding import encoder_for
from ctxkit.errors import CtxError
from ctxkit.index.build import make_group
from ctxkit.index.store import Key, Store
from ctxkit.repo import find
from ctxkit.stream import failures, jobs, queue, server, shared
from ctxkit.stream.worker import work


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
    assert done == shared.Exchange(taken=60, sliced=1, problem='')
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
        content._replace(alike='[[0, 99]]'),
        content._replace(alike='5'),
        content._replace(alike='[[]]'),
        content._replace(alike='["00"]'),
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


def test_a_worker_with_another_model_does_not_fill_the_store_with_its_vectors(git_repo, redis_server: Server):
    settings = settings_for(redis_server, lease_seconds=LEASE)
    repo = find(git_repo({'a.py': FILES['src/m1.py']}))
    (entry,) = plumbing.tree(repo, plumbing.resolve(repo))
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        queue.submit(client, replace(job_of(repo, (entry.blob, 'a.py')), model_id='another'), 9)
    assert until_idle(settings, repo.root).made == 0
    with server.connected(settings.stream) as client:
        assert 'a different model' in failures.aside(client)[0].reason


def test_work_that_is_to_end_by_itself_does_not_wait_for_ever_for_a_server():
    settings = replace(config.Settings(), stream=replace(config.Settings().stream, url='redis://127.0.0.1:9/0'))
    with pytest.raises(CtxError):
        work(settings, [Path.cwd()], stop=lambda: False, idle_seconds=0.0, patience=0.1)
