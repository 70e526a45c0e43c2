"""Publish the outbox to the project's stream: in order, and once.

The server runs one script for each chunk of units: it adds what the last day has not seen yet and trims the stream, all
at once. So nothing is published twice, neither by a publisher that died after the server acted nor by ten clones that
pulled one commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety import lock
from ctxkit.settings import Settings
from ctxkit.stream import entry, names, outbox, server
from ctxkit.stream.identity import project
from ctxkit.units.stream import StreamUnit, read

if TYPE_CHECKING:
    from redis import Redis

CHUNK = 200  # units that one script adds, so that the server is never held for long

# KEYS: stream, seen. ARGV: hours to keep in ms, longest length, then for each unit: identity, number of fields, fields.
SCRIPT = """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local oldest = now - tonumber(ARGV[1])
local i, added = 3, 0
while i <= #ARGV do
  local n = tonumber(ARGV[i + 1])
  if redis.call('ZADD', KEYS[2], 'NX', now, ARGV[i]) == 1 then
    redis.call('XADD', KEYS[1], '*', unpack(ARGV, i + 2, i + 1 + n))
    added = added + 1
  end
  i = i + 2 + n
end
redis.call('XTRIM', KEYS[1], 'MINID', oldest)
redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. oldest)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return added
"""


class Published(NamedTuple):
    """How many units were added to the stream, how many events still wait, and why ('' for none)."""

    units: int
    waiting: int
    problem: str


def publish(repo: Repo, settings: Settings, units: Sequence[StreamUnit], now: float) -> None:
    """Send an event's units to the stream if the person has one; what cannot be sent now is sent with a later event.

    Never fails, and waits for an absent server no longer than `stream.wait_seconds`. If the secret filter fails,
    nothing is kept or sent.
    """
    if not settings.stream.url or not units:
        return
    try:
        note(repo, units)
        if server.reachable(settings.stream):
            flush(repo, settings, now, settings.stream.wait_seconds)
    except Exception as error:  # publishing must not fail an update: the log says what happened
        from ctxkit import log

        log.append(repo.common_dir, 'error', f'stream: {type(error).__name__}: {error}', now)


def note(repo: Repo, units: Sequence[StreamUnit]) -> None:
    """Filter the units and keep them in the outbox."""
    from ctxkit.safety.secrets import env_values

    known = env_values(repo.root)
    outbox.add(repo, [entry.cleaned(unit, known) for unit in units])


def flush(repo: Repo, settings: Settings, now: float, wait: float = server.PATIENCE) -> Published:
    """Send what waits, oldest first. What the server has is removed from the outbox; after a failure the rest stays."""
    sent = 0
    problem = ''
    while not problem and outbox.pending(repo):
        with lock.held(repo.data_dir / 'outbox.lock') as mine:
            if not mine:
                break  # the lock's holder looks again before it ends
            try:
                sent += _send(repo, settings, now, wait)
            except CtxError as error:
                problem = error.format_message()
    return Published(sent, len(outbox.pending(repo)), problem)


def _send(repo: Repo, settings: Settings, now: float, wait: float) -> int:
    name = project(repo, settings)
    since = now - settings.units.keep_hours * 3600
    sent = 0
    with server.connected(settings.stream, wait) as client:
        for file in outbox.pending(repo):
            sent += add(client, name, read(file, since), settings)
            file.unlink(missing_ok=True)
    return sent


def add(client: Redis, name: str, units: Sequence[StreamUnit], settings: Settings) -> int:
    """Add cleaned units to the stream of project `name`; return how many were new."""
    run = client.register_script(SCRIPT)
    keys = [names.units(name), names.seen(name)]
    bounds = [settings.units.keep_hours * 3_600_000, settings.stream.max_length]
    added = 0
    for start in range(0, len(units), CHUNK):
        added += int(run(keys=keys, args=[*bounds, *entry.flat(units[start : start + CHUNK])]))
    return added
