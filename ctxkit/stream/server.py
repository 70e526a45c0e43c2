"""The connection to Redis; address, TLS and password come only from the person's own settings."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ctxkit import config
from ctxkit.errors import CtxError
from ctxkit.settings import StreamSettings

if TYPE_CHECKING:
    from redis import Redis

PATIENCE = 5.0
BACK_OFF = (0.2, 0.5, 1.0, 2.0, 5.0)


class Away(CtxError):
    """The server cannot be reached now; the work can be done later."""


@contextmanager
def connected(settings: StreamSettings, wait: float = PATIENCE, block: float = 0.0) -> Iterator[Redis]:
    """Open a connection that gives up after `wait` seconds without an answer, `block` seconds later for blocking reads.

    Raises CtxError if no address is set or the `redis` extra is missing, and Away for every failure to connect, on
    entry and while the body uses the connection.
    """
    client, errors = _client(settings, wait, block)
    try:
        with _one_line_errors(settings, errors):
            try:
                client.ping()
            except TypeError as error:  # for an option after a `?` in the address
                raise CtxError(
                    f'stream.url: {error}', 'remove the parts that the Redis library does not know'
                ) from error
            yield client
    finally:
        client.close()


def reachable(settings: StreamSettings) -> bool:
    """Whether something listens at the address; takes `stream.wait_seconds` at most and does not import the library."""
    parts = urlsplit(settings.url)
    if parts.scheme == 'unix' or not parts.hostname:
        return True
    try:
        socket.create_connection((parts.hostname, parts.port or 6379), settings.wait_seconds).close()
    except (OSError, ValueError):
        return False
    return True


def back_off(failures: int) -> None:
    """Wait before trying a lost server again after `failures` failed tries: from 0.2 s up to 5 s."""
    time.sleep(BACK_OFF[min(failures, len(BACK_OFF) - 1)])


def shown(settings: StreamSettings) -> str:
    """The address for display, without name and password."""
    parts = urlsplit(settings.url)
    return f'{parts.scheme}://{parts.hostname or parts.path}{f":{parts.port}" if parts.port else ""}'


def _client(settings: StreamSettings, wait: float, block: float) -> tuple[Redis, Any]:
    if not settings.url:
        raise CtxError('stream.url is not set', 'name a Redis server in your own settings (docs/scale.md)')
    try:
        import redis
        from redis import exceptions
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as error:
        raise CtxError(f'the Redis library cannot be loaded ({error})', 'pip install redis') from error
    options: dict[str, Any] = {
        'socket_connect_timeout': wait,
        'socket_timeout': wait + block,
        'health_check_interval': 30,
        'client_name': 'ctxkit',
        'retry': Retry(NoBackoff(), 0),  # a command that is silently sent twice could act twice
    }
    if settings.username:
        options['username'] = settings.username
    if settings.password_variable:
        options['password'] = config.environment().get(settings.password_variable, '')
    if settings.ca_file and settings.url.startswith('rediss:'):
        options['ssl_ca_certs'] = settings.ca_file
    try:
        return redis.Redis.from_url(settings.url, **options), exceptions
    except ValueError as error:
        raise CtxError('stream.url is not a Redis address', 'write it as redis://host:6379/0 or rediss://…') from error


@contextmanager
def _one_line_errors(settings: StreamSettings, errors: Any) -> Iterator[None]:
    """Turn failures of the library into one-line errors, without a password that the address may contain."""
    try:
        yield
    except errors.AuthenticationError as error:
        raise CtxError(f'{shown(settings)} refuses the password', 'see stream.password_variable') from error
    except (errors.ConnectionError, errors.TimeoutError) as error:
        if 'CERTIFICATE_VERIFY_FAILED' in str(error):
            raise CtxError(f'the certificate of {shown(settings)} is not trusted', 'see stream.ca_file') from error
        raise Away(
            f'{shown(settings)} does not answer ({type(error).__name__})', 'check that the server is running'
        ) from error
    except errors.OutOfMemoryError as error:
        raise Away(f'{shown(settings)} is full', 'raise its maxmemory, or lower stream.shared_days') from error
    except errors.ResponseError as error:
        raise CtxError(f'{shown(settings)}: {str(error)[:200]}', 'Redis 6.2 or later is needed') from error
    except errors.RedisError as error:
        raise CtxError(
            f'{shown(settings)} does not answer like Redis ({type(error).__name__})', 'see stream.url'
        ) from error
