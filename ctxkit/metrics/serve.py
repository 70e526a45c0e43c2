"""Serve the metrics over HTTP, only on this machine unless the person says otherwise."""

from __future__ import annotations

from typing import Any

from ctxkit.errors import CtxError
from ctxkit.metrics.collect import Collector
from ctxkit.repo import Repo
from ctxkit.settings import Settings

DEFAULT = '127.0.0.1:9465'


def listen(repo: Repo, settings: Settings, address: str, clock: Any) -> tuple[Any, str]:
    """Start a server on `host:port` that answers in its own thread; return it and its address. Port 0 takes a free one.

    `server.shutdown()` and `server.server_close()` end it. Raises CtxError for an address that cannot be listened on.
    """
    from prometheus_client import CollectorRegistry, start_http_server

    host, _, port = address.rpartition(':')
    if not port.isdecimal():
        raise CtxError(f'{address} is not an address to listen on', f'write it as HOST:PORT, like {DEFAULT}')
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Collector(repo, settings, clock))
    try:
        server, _ = start_http_server(int(port), host.strip('[]') or '127.0.0.1', registry)
    except (OSError, OverflowError, ValueError) as error:  # ValueError for an invalid host name
        raise CtxError(f'{address} cannot be used ({error})', 'choose another port') from error
    return server, f'{host or "127.0.0.1"}:{server.server_port}'
