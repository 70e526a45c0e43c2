"""What the tests of the stream share: a real Redis on a free port of this machine, with a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ctxkit.settings import Settings, StreamSettings
from ctxkit.stream import feed
from ctxkit.stream.feed import Entry
from ctxkit.units.stream import StreamUnit

if TYPE_CHECKING:
    from redis import Redis

PATIENCE = 90.0
LEASE = 0.3  # seconds after which a silent worker is taken for dead


class Server:
    """A redis-server process; `restart` keeps port and folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = options
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f'redis://127.0.0.1:{self.port}/0'

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                'redis-server',
                '--port',
                str(self.port),
                '--bind',
                '127.0.0.1',
                '--dir',
                str(self.folder),
                '--save',
                '',
                '--appendonly',
                'yes',
                '--daemonize',
                'no',
                *self.options,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:  # it ends where somebody took its port
            try:
                with socket.create_connection(('127.0.0.1', self.port), 1) as link:
                    link.sendall(b'PING\r\n')
                    if link.recv(64).startswith((b'+PONG', b'-NOAUTH')):  # while it reads its file, it says -LOADING
                        return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError('redis-server did not start')

    def stop(self, how: int = signal.SIGTERM) -> None:
        if self.process is not None:
            os.kill(self.process.pid, how)
            self.process.wait(PATIENCE)
            self.process = None


def available() -> bool:
    """Whether the real server is installed."""
    return shutil.which('redis-server') is not None


def settings_for(server: Server, **stream: object) -> Settings:
    """Settings that name the server, and wait for it as long as a busy machine may need."""
    return Settings(stream=StreamSettings(**{'url': server.url, 'wait_seconds': 5.0, **stream}))


def unit(number: int, *, commit: str = 'c' * 40, when: float | None = None, text: str = 'x = 1') -> StreamUnit:
    """A unit that differs from those of other numbers."""
    mark, moment = f'{number:016x}', time.time() if when is None else when
    place = f'src/a{number}.py', f'f{number}', 'function', 1, 2
    return StreamUnit(mark, moment, 'post-commit', commit, *place, 'added', mark, 1, 5, f'def f{number}()', text)


def everything(client: Redis, name: str) -> list[Entry]:
    """All entries that a project's stream holds, oldest first."""
    return feed.newer(client, name, '0-0', 10_000)


def until(what: Callable[[], object]) -> None:
    """Wait for something to be true."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, 'it did not happen'
        time.sleep(0.02)


def start_worker(root: Path, redis_server: Server, **more: str) -> subprocess.Popen[bytes]:
    """A worker process that ends when the queue is empty; `more` are environment variables."""
    environ = {**os.environ, 'CTXKIT_STREAM_URL': redis_server.url, 'CTXKIT_STREAM_LEASE_SECONDS': str(LEASE), **more}
    return subprocess.Popen(
        [sys.executable, '-m', 'ctxkit', 'worker', '--root', str(root), '--until-idle', '0'],
        cwd=root, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
