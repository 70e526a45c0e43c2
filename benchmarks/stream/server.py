"""A Redis of its own for a benchmark: a free port of this machine, a temporary folder, stopped by its process id."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Server:
    """A redis-server with an append-only file, as docs/deploy.md sets one up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.url = f'redis://127.0.0.1:{self.port}/0'
        self.start()

    def start(self) -> None:
        options = ['--port', str(self.port), '--bind', '127.0.0.1', '--dir', str(self.folder), '--save', '']
        self.process = subprocess.Popen(
            ['redis-server', *options, '--appendonly', 'yes'],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(1000):
            try:
                socket.create_connection(('127.0.0.1', self.port), 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit('redis-server did not start; is it installed?')

    def stop(self) -> None:
        os.kill(self.process.pid, signal.SIGTERM)
        self.process.wait(60)


@contextmanager
def running() -> Iterator[Server]:
    """A fresh server for the time of the block."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            yield server
        finally:
            server.stop()
