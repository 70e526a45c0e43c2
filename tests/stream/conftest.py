"""A real Redis for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers_stream import Server, available


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[Server]:
    """A fresh server; stopped by its process id."""
    if not available():
        pytest.skip('redis-server is not installed')
    folder = tmp_path / 'redis'
    folder.mkdir()
    server = Server(folder)
    yield server
    server.stop()
