"""What docs/deploy.md tells people to install holds: units verify, files parse, the Redis user can do all."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from helpers_stream import Server, available, everything, unit

from ctxkit import repo as plumbing
from ctxkit.repo import find
from ctxkit.settings import Settings, StreamSettings
from ctxkit.stream import failures, feed, jobs, publish, queue, server, shared
from ctxkit.stream.identity import project
from ctxkit.stream.worker import work

DOCS = Path(__file__).parents[2] / 'docs'


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf'(?ms)^```{language}\n(.*?)^```', (DOCS / 'deploy.md').read_text('utf-8'))


@pytest.mark.skipif(shutil.which('systemd-analyze') is None, reason='systemd is not installed')
def test_systemd_accepts_the_unit(tmp_path):
    (tmp_path / 'ctxkit-watch@.service').write_text(blocks('ini')[0])
    done = subprocess.run(
        ['systemd-analyze', 'verify', '--user', '--man=no', str(tmp_path / 'ctxkit-watch@tmp.service')],
        env={'XDG_RUNTIME_DIR': str(tmp_path), 'PATH': '/usr/bin:/bin', 'HOME': str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 'ctxkit' not in done.stderr, done.stderr


def test_launchd_can_read_the_property_list():
    told = plistlib.loads(blocks('xml')[0].encode())
    assert told['ProgramArguments'][1:] == ['watch', '--quiet']
    assert told['KeepAlive'] == {'SuccessfulExit': False}


def test_the_container_does_not_run_as_root():
    lines = (DOCS / 'Containerfile').read_text('utf-8').splitlines()
    steps = [line.split()[0] for line in lines if line and not line.startswith((' ', '#', '&'))]
    user = next(line for line in lines if line.startswith('USER '))
    assert int(user.split()[1].split(':')[0]) > 0
    assert steps.index('USER') < steps.index('ENTRYPOINT')
    assert 'RUN' not in steps[steps.index('USER') :]
    for line in lines:
        if line.startswith('COPY '):
            assert all((DOCS.parent / source).exists() for source in line.split()[1:-1])


@pytest.mark.skipif(not available(), reason='redis-server is not installed')
def test_the_redis_settings_and_its_user_are_enough_for_all_that_ctxkit_does(git_repo, tmp_path, monkeypatch):
    options, acl = blocks('text')
    folder = tmp_path / 'redis'
    folder.mkdir()
    (folder / 'users.acl').write_text('user default off\n' + acl)
    flat = [part for line in options.splitlines() for part in (f'--{line.split()[0]}', *line.split()[1:])]
    redis = Server(folder, *flat, '--aclfile', str(folder / 'users.acl'))
    monkeypatch.setenv('TEAM_REDIS', 'change-me')
    stream = StreamSettings(url=redis.url, username='ctxkit', password_variable='TEAM_REDIS', lease_seconds=0.3)
    settings = Settings(stream=stream)
    repo = find(git_repo({'a.py': 'def f():\n    pass\n', 'b.py': 'def g():\n    pass\n'}))
    commit, name = plumbing.resolve(repo), project(repo, settings)
    try:
        publish.note(repo, [unit(1)])
        assert publish.flush(repo, settings, time.time()) == (1, 0, '')
        with server.connected(stream) as client:
            feed.join(client, name, 'g')
            (one,) = feed.take(client, name, 'g', 'r', 5, 30)
            feed.done(client, name, 'g', [one.id])
            assert [found.id for found in everything(client, name)] == [one.id]
            assert feed.info(client, name).groups[0].lag == 0
            queue.open_queue(client)
            for job in jobs.of_tree(client, repo, settings, commit, name):
                queue.submit(client, job, 10)
            queue.submit(client, jobs.Job('', '/nowhere', '', commit, 'bundled', 'x', 1, (('1' * 40, 'c.py'),)), 10)
        done = work(settings, [repo.root], stop=lambda: False, idle_seconds=0)
        assert (done.made, done.aside) == (2, 1)
        assert shared.exchange(repo, settings, commit, time.time()).taken == 2
        with server.connected(stream) as client:
            assert queue.state(client).aside == 1
            assert len(failures.aside(client)) == 1
            with pytest.raises(Exception, match='permission|no permissions'):
                client.flushall()
    finally:
        redis.stop()


def test_every_command_in_the_pages_exists():
    import click

    from ctxkit.cli import cli

    for page in ('live', 'deploy', 'metrics', 'scale', 'warehouse'):
        text = (DOCS / f'{page}.md').read_text('utf-8')
        for words in re.findall(r'(?m)(?:^    |`)ctxkit ([a-z][^`\n]*)', text):
            command: click.Command | None = cli
            context = click.Context(cli)
            for word in words.split():
                if not isinstance(command, click.Group) or word.startswith('-'):
                    break
                inner = command.get_command(context, word)
                if inner is None:
                    assert command.name == 'worker', f'{page}.md: ctxkit {words}'
                    break
                command = inner
            options = {name for one in command.params for name in one.opts} if command else set()
            for option in re.findall(r'(?<!\S)(--[a-z-]+|-[a-z])(?!\S)', words):
                assert option in options, f'{page}.md: ctxkit {words}'
