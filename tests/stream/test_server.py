"""What listens at stream.url and is no Redis, and addresses that the library cannot use: an error in one line."""

from __future__ import annotations

import socketserver
import threading
from dataclasses import replace

import pytest

from ctxkit.errors import CtxError
from ctxkit.settings import StreamSettings
from ctxkit.stream.server import connected

pytest.importorskip('redis')


class Web(socketserver.BaseRequestHandler):
    """Answers as a web server does."""

    def handle(self):
        self.request.recv(1000)
        self.request.sendall(b'HTTP/1.1 400 Bad Request\r\n\r\n')


@pytest.mark.parametrize(('end', 'said'), [('', 'does not answer like Redis'), ('?colour=red', 'stream.url: .*colour')])
def test_what_is_no_redis_is_named(end, said):
    with socketserver.ThreadingTCPServer(('127.0.0.1', 0), Web) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = replace(StreamSettings(), url=f'redis://127.0.0.1:{server.server_address[1]}/0{end}')
        with pytest.raises(CtxError, match=said), connected(settings):
            pass
        server.shutdown()
