"""One HTTP request for JSON: a time limit for all of it, a size limit, no redirects, no scheme but http and https."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

from ctxkit import __version__
from ctxkit.errors import CtxError

MAX_BYTES = 1_000_000  # of an answer
LOOPBACK = ('localhost', '127.0.0.1', '::1')


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Treat a redirect like any other answer, because following it could carry the key to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Return None: do not follow."""
        return


def ask(url: str, timeout: float, headers: dict[str, str] | None = None, body: dict[str, Any] | None = None) -> Any:
    """The decoded JSON of the answer to a GET, or to a POST of `body`; all of it within `timeout` seconds.

    Raises CtxError with what went wrong: refused, too slow, an error status, too large, no JSON.
    """
    host = _host(url)
    data = None if body is None else json.dumps(body).encode('utf-8')
    sent = {
        'Accept': 'application/json',
        'User-Agent': f'ctxkit/{__version__}',
        **({'Content-Type': 'application/json'} if data else {}),
        **(headers or {}),
    }
    request = urllib.request.Request(url, data, sent)  # noqa: S310 (the scheme was checked)
    outcome: list[bytes | CtxError] = []
    # A socket's timeout starts anew with each byte; only a thread that can be left behind bounds the whole request.
    worker = threading.Thread(target=lambda: outcome.append(_outcome(request, timeout)), daemon=True)
    worker.start()
    worker.join(timeout)
    if not outcome:
        raise CtxError(f'{host} did not answer within {timeout:g} s')
    if isinstance(outcome[0], CtxError):
        raise outcome[0]
    try:
        return json.loads(outcome[0])
    except (ValueError, RecursionError) as error:
        raise CtxError(f'{host} did not answer in JSON') from error


def is_loopback(url: str) -> bool:
    """Whether `url` is on this machine."""
    return _host(url) in LOOPBACK


def _host(url: str) -> str:
    """The host of an http or https address. Raises CtxError if `url` is none."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ('http', 'https') and parts.hostname:
            return parts.hostname
    except ValueError:
        pass  # such as an open bracket
    raise CtxError(f'{url[:100]!r} is not an http address', 'correct it in your own settings')


def _outcome(request: urllib.request.Request, timeout: float) -> bytes | CtxError:
    host = _host(request.full_url)
    direct = [urllib.request.ProxyHandler({})] if host in LOOPBACK else []
    opener = urllib.request.build_opener(_NoRedirect, *direct)
    try:
        with opener.open(request, timeout=timeout) as response:
            return _body(response, time.monotonic() + timeout, host)
    except urllib.error.HTTPError as error:
        with error:
            return CtxError(f'{host} answered {error.code}{_error_message(error)}')
    except CtxError as error:
        return error
    except TimeoutError:
        return CtxError(f'{host} did not answer within {timeout:g} s')
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, 'reason', None) or error
        return CtxError(f'{host} cannot be reached ({str(reason)[:200]})')


def _body(response: HTTPResponse, deadline: float, host: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := response.read1(65_536):
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise CtxError(f'{host} answered more than {MAX_BYTES // 1_000_000} MB')
        if time.monotonic() > deadline:
            raise CtxError(f'{host} took too long to answer')
    return b''.join(parts)


def _error_message(error: urllib.error.HTTPError) -> str:
    """The message in an error's body, if it has one in the usual shape."""
    try:
        item = json.loads(error.read(10_000))
        message = item['error']['message'] if isinstance(item['error'], dict) else item['error']
        return f': {str(message)[:200]}'
    except (OSError, HTTPException, ValueError, RecursionError, LookupError, TypeError):
        return ''
