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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import IO

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
    """`ctxkit stream tail --follow --json`, what it prints and what it says on standard error."""

    def __init__(self, root, url: str, *options: str) -> None:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs with `&`
        try:
            self.process = subprocess.Popen(
                [sys.executable, '-m', 'ctxkit', 'stream', 'tail', '--follow', '--json', *options],
                cwd=root, env={**os.environ, 'CTXKIT_STREAM_URL': url}, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        finally:
            signal.signal(signal.SIGINT, before)
        self._printed, self._said = Lines(self.process.stdout), Lines(self.process.stderr)

    def next(self) -> str:
        return json.loads(self._printed.next())['symbol']

    def said(self) -> str:
        """The next line on standard error."""
        return self._said.next()

    def interrupt(self) -> tuple[int, list[str]]:
        """The exit code, and the lines that were not asked for yet."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE), [*self._printed.rest(), *self._said.rest()]

    def close(self) -> None:
        """End the process, whatever became of it: a thread that reads on would keep pytest from ending."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self._printed.rest()
        self._said.rest()


class Lines:
    """The lines that a process writes, as they come."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._read: queue.Queue[str | None] = queue.Queue()
        self._thread = threading.Thread(target=self._follow)
        self._thread.start()

    def _follow(self) -> None:
        with self._stream:
            for line in self._stream:
                self._read.put(line.rstrip('\n'))
        self._read.put(None)

    def next(self) -> str:
        line = self._read.get(timeout=PATIENCE)
        assert line is not None, 'it ended'
        return line

    def rest(self) -> list[str]:
        """What was not asked for, once the process has ended."""
        self._thread.join()
        left = []
        while not self._read.empty():
            left.append(self._read.get())
        return [line for line in left if line]


@pytest.fixture
def start() -> Iterator[Callable[..., Tail]]:
    """Start a `Tail`, which is ended with the test."""
    with ExitStack() as stack:
        yield lambda *args: stack.enter_context(closing(Tail(*args)))


@pytest.fixture
def root(git_repo, git):
    root = git_repo({'a.py': 'x = 1\n'})
    git(root, 'remote', 'add', 'origin', 'https://example.invalid/a/b.git')
    return root


@pytest.mark.skipif(os.name == 'nt', reason='signals of POSIX')
@pytest.mark.parametrize('options', [(), ('--group', 'g')], ids=['alone', 'in a group'])
def test_a_restart_is_waited_for_with_one_line_and_nothing_is_printed_twice(
    root, redis_server: Server, start: Callable[..., Tail], options
):
    settings = settings_for(redis_server)
    name = project(find(root), settings)
    add(settings, name, 0)
    tail = start(root, redis_server.url, *options)
    assert tail.next() == 'f0'
    redis_server.stop()
    assert tail.said().endswith('; waiting for it')
    time.sleep(1)  # several tries in vain
    redis_server.start()
    add(settings, name, 1, 2)
    assert [tail.next(), tail.next()] == ['f1', 'f2']
    redis_server.stop()
    assert tail.said().endswith('; waiting for it')
    assert tail.interrupt() == (130, [])  # while it waits for the server
    redis_server.start()
    if options:
        with server.connected(settings.stream) as client:
            assert client.xpending(names.units(name), 'g')['pending'] == 0


def test_a_server_that_is_not_there_at_the_beginning_is_an_error(
    root, redis_server: Server, start: Callable[..., Tail]
):
    redis_server.stop()
    tail = start(root, redis_server.url)
    assert tail.process.wait(PATIENCE) == 1
    assert 'does not answer' in tail.said()


def test_reading_without_following_fails_with_the_server(redis_server: Server):
    settings = settings_for(redis_server)
    add(settings, PROJECT, *range(reader.MOST + 1))  # more than one question
    entries = reader.read(settings, PROJECT)
    assert next(entries).unit.symbol == 'f0'
    redis_server.stop()
    with pytest.raises(server.Away):
        list(entries)


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
