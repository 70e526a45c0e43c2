"""A local server in the place of a provider, what it may answer, and the settings that lead to it."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ctxkit.settings import WebSettings

NOW = 1_790_000_000.0
SEARXNG = {
    'query': 'django',
    'number_of_results': 2,
    'results': [
        {
            'url': 'https://www.djangoproject.com/',
            'title': 'Django',
            'content': 'Django 6.0 was <b>released</b>.',
            'engine': 'duckduckgo',
            'score': 2.0,
            'category': 'general',
        },
        {'url': 'https://example.org/', 'title': 'Other', 'content': 'Something else.', 'engine': 'bing'},
    ],
    'answers': ['6.0'],
    'corrections': [],
    'suggestions': ['django 6'],
    'infoboxes': [{'infobox': 'Django', 'content': 'A web framework.', 'urls': []}],
    'unresponsive_engines': [],
}


@contextmanager
def server(answer, status=200, delay=0.0, drip=0.0, headers=()):
    """A server that gives one answer and notes the requests: (method, path, headers, body)."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers.get('Content-Length') or 0)
            seen.append(
                (
                    self.command,
                    self.path,
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(length),
                )
            )
            time.sleep(delay)
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            try:
                self.send_response(status)
                self.send_header('Content-Length', str(len(body)))
                for name, value in headers:
                    self.send_header(name, value)
                self.end_headers()
                for byte in [body] if not drip else [body[n : n + 1] for n in range(len(body))]:
                    self.wfile.write(byte)
                    self.wfile.flush()
                    time.sleep(drip)
            except OSError:
                pass  # the client went away

        do_GET = do_POST

        def log_message(self, *args):
            pass

    running = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, kwargs={'poll_interval': 0.01})
    thread.start()
    try:
        yield f'http://127.0.0.1:{running.server_address[1]}', seen
    finally:
        running.shutdown()
        thread.join()
        running.server_close()


def gemini(url, **keys):
    return WebSettings(mode='on', provider='gemini', gemini_url=url, **{'timeout_seconds': 5.0, **keys})


def searxng(url, **keys):
    return WebSettings(mode='on', provider='searxng', searxng_url=url, **{'timeout_seconds': 5.0, **keys})
