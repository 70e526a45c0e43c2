"""What the Action publishes, against a local bare remote: only what changed, nothing from a fork, never in a loop."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers_action import Runner, commit

pytestmark = pytest.mark.skipif(shutil.which('bash') is None, reason='the steps of the action run in bash')


def test_the_same_commit_is_published_once(runner: Runner) -> None:
    first = Path(runner.run()['context-path']).read_bytes()
    again = runner.run()
    assert Path(again['context-path']).read_bytes() == first
    assert again['changed'] == 'false' and runner.uploaded == []


def test_the_branch_of_its_own_gets_only_what_changed(runner: Runner, git: Callable[..., str]) -> None:
    runner.run(publish='branch')
    remote = runner.workspace.parent / 'remote.git'
    first = git(remote, 'rev-parse', 'ctxkit-context').strip()
    assert git(remote, 'ls-tree', '--name-only', 'ctxkit-context').split() == ['context.xml']
    assert git(remote, 'merge-base', 'main', 'ctxkit-context', check=False) == ''
    runner.run(publish='branch')
    assert git(remote, 'rev-parse', 'ctxkit-context').strip() == first
    commit(runner, git, 'shop/order.py', 'def place(order):\n    return order\n')
    runner.run(publish='branch')
    assert git(remote, 'rev-parse', 'ctxkit-context~1').strip() == first
    assert 'place' in git(remote, 'show', 'ctxkit-context:context.xml')


def test_a_commit_keeps_all_else_and_does_not_start_itself_again(runner: Runner, git: Callable[..., str]) -> None:
    commit(runner, git, '.github/workflows/ci.yml', 'on: push\n')
    runner.run(publish='commit')
    remote = runner.workspace.parent / 'remote.git'
    assert git(remote, 'diff', '--name-only', 'main~1', 'main').split() == ['.github/context.xml']
    assert '[skip ci]' in git(remote, 'log', '-1', '--format=%s', 'main')
    git(runner.workspace, 'pull', '-q', 'origin', 'main')
    before = git(remote, 'rev-parse', 'main')
    runner.run(publish='commit')
    assert git(remote, 'rev-parse', 'main') == before


def test_a_shallow_clone_knows_the_commit_of_its_own(runner: Runner, git: Callable[..., str]) -> None:
    runner.run(publish='commit')
    remote = runner.workspace.parent / 'remote.git'
    before = git(remote, 'rev-parse', 'main')
    shutil.rmtree(runner.workspace)
    git(remote, 'clone', '-q', '--depth=1', remote.as_uri(), str(runner.workspace))
    runner.event_name = 'schedule'
    outputs = runner.run(publish='commit')
    assert git(remote, 'rev-parse', 'main') == before
    assert 'path=".github/context.xml"' not in Path(outputs['context-path']).read_text()  # nor tells it of itself


def test_another_branch_that_is_checked_out_never_gets_into_the_one_that_ran(
    runner: Runner,
    git: Callable[..., str],
) -> None:
    git(runner.workspace, 'checkout', '-qb', 'develop')
    git(runner.workspace, 'commit', '-q', '--allow-empty', '-m', 'not yet')
    remote = runner.workspace.parent / 'remote.git'
    before = git(remote, 'for-each-ref')
    runner.event_name = 'schedule'
    with pytest.raises(AssertionError):
        runner.run(publish='commit')
    assert 'not the last commit of main' in runner.said
    assert git(remote, 'for-each-ref') == before


@pytest.mark.parametrize('way', ['branch', 'commit', 'artifact'])
@pytest.mark.parametrize('head', [{'full_name': 'stranger/shop'}, None])
def test_nothing_is_published_from_a_fork(runner: Runner, git: Callable[..., str], way: str, head: Any) -> None:
    runner.event_name, runner.ref_name = 'pull_request_target', 'main'
    runner.event['pull_request'] = {'head': {'repo': head}, 'base': {'repo': {'full_name': 'me/shop'}}}
    before = git(runner.workspace.parent / 'remote.git', 'for-each-ref')
    outputs = runner.run(publish=way)
    assert outputs['changed'] == 'true' and runner.uploaded == []
    assert git(runner.workspace.parent / 'remote.git', 'for-each-ref') == before
    assert 'Nothing is published' in runner.summary


@pytest.mark.parametrize(
    'event',
    ['', '{', '[]', '[' * 100_000, '{"repository": "me/shop", "pull_request": {"head": "x"}}', '{"pull_request": {}}'],
)
def test_nothing_is_published_where_a_pull_request_does_not_say_whose_it_is(runner: Runner, event: str) -> None:
    runner.event_name, runner.event = 'pull_request', event
    assert runner.run()['changed'] == 'true' and runner.uploaded == []
    runner.event_name = 'workflow_run'
    runner.run()
    assert runner.uploaded == []


@pytest.mark.parametrize('event', ['', '[' * 100_000, '{"repository": ["me/shop"]}', '{"pull_request": null}'])
def test_a_push_needs_no_event_file(runner: Runner, event: str) -> None:
    runner.event = event
    runner.run()
    assert len(runner.uploaded) == 1


def test_a_pull_request_of_the_repository_itself_gives_an_artifact_and_no_push(
    runner: Runner,
    git: Callable[..., str],
) -> None:
    runner.event_name, runner.ref_name = 'pull_request', '7/merge'
    here = {'repo': {'full_name': 'me/shop'}}
    runner.event['pull_request'] = {'head': here, 'base': here}
    runner.run(publish='artifact')
    assert len(runner.uploaded) == 1
    before = git(runner.workspace.parent / 'remote.git', 'for-each-ref')
    runner.run(publish='branch')
    assert git(runner.workspace.parent / 'remote.git', 'for-each-ref') == before


def test_its_own_branch_never_starts_it(runner: Runner) -> None:
    runner.ref_name = 'ctxkit-context'
    runner.run()
    assert runner.uploaded == []
