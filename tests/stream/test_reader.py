"""`ctxkit stream tail --follow` goes on where it was when the server comes back."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from helpers_stream import PATIENCE, Server, settings_for, unit

from ctxkit.repo import find
from ctxkit.stream import names, publish, reader, server
from ctxkit.stream.identity import project

PROJECT = 'p:0'


def add(settings, name: str, *numbers: int) -> None:
    with server.connected(settings.stream) as client:
        publish.add(client, name, [unit(number) for number in numbers], settings)


class Tail:
    """`ctxkit stream tail --follow --json` and what it printed."""

    def __init__(self, root, url: str, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'ctxkit', 'stream', 'tail', '--follow', '--json', *options],
            cwd=root, env={**os.environ, 'CTXKIT_STREAM_URL': url}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=lambda: [self._lines.put(line) for line in self.process.stdout])
        self._thread.start()

    def next(self) -> str:
        return json.loads(self._lines.get(timeout=PATIENCE))['symbol']

    def interrupt(self) -> tuple[int, float, list[str]]:
        """The exit code, the seconds that it took, and the lines on standard error."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        took = time.monotonic() - began
        self._thread.join()
        assert self._lines.empty()
        said = self.process.stderr.read().splitlines()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, took, said


@pytest.fixture
def root(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    git(root, 'remote', 'add', 'origin', 'https://example.invalid/a/b.git')
    return root


@pytest.mark.skipif(os.name == 'nt', reason='signals of POSIX')
@pytest.mark.parametrize('options', [(), ('--group', 'g')], ids=['alone', 'in a group'])
def test_a_restart_is_waited_for_with_one_line_and_nothing_is_printed_twice(root, redis_server: Server, options):
    settings = settings_for(redis_server)
    name = project(find(root), settings)
    add(settings, name, 0)
    tail = Tail(root, redis_server.url, *options)
    assert tail.next() == 'f0'
    redis_server.stop()
    time.sleep(1)  # several tries in vain
    redis_server.start()
    add(settings, name, 1, 2)
    assert [tail.next(), tail.next()] == ['f1', 'f2']
    redis_server.stop()
    time.sleep(0.5)
    code, took, said = tail.interrupt()  # while it waits for the server
    redis_server.start()
    assert code == 130 and took < PATIENCE / 2
    lines = [line for line in said if line]
    assert len(lines) == 2 and all(line.endswith('; waiting for it') for line in lines)
    if options:
        with server.connected(settings.stream) as client:
            assert client.xpending(names.units(name), 'g')['pending'] == 0


def test_a_server_that_is_not_there_at_the_beginning_is_an_error(root, redis_server: Server):
    redis_server.stop()
    tail = Tail(root, redis_server.url)
    assert tail.process.wait(PATIENCE) == 1
    assert 'does not answer' in tail.process.stderr.read()
    tail.interrupt()
    redis_server.start()


def test_reading_without_following_fails_with_the_server(redis_server: Server):
    settings = settings_for(redis_server)
    add(settings, PROJECT, *range(reader.MOST + 1))  # more than one question
    entries = reader.read(settings, PROJECT)
    assert next(entries).unit.symbol == 'f0'
    redis_server.stop()
    with pytest.raises(server.Away):
        list(entries)
    redis_server.start()


@pytest.mark.parametrize('group', ['', 'g'])
@pytest.mark.parametrize('count', [1, 2, 150, None])
def test_so_many_are_read_and_acknowledged_as_were_asked_for(redis_server: Server, group, count):
    settings = settings_for(redis_server)
    add(settings, PROJECT, *range(230))

    def read(**options: bool) -> Iterator[str]:
        return (one.unit.symbol for one in reader.read(settings, PROJECT, group, 'r', count=count, **options))

    wanted = 230 if count is None else count
    assert list(read()) == [f'f{number}' for number in range(wanted)]
    again = list(reader.read(settings, PROJECT, group, 'other', follow=False))
    assert len(again) == (230 - wanted if group else 230)
