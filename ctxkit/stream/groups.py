"""Consumer groups of Redis Streams, as units and jobs both use them: created if missing, read, replies unwrapped.

An entry that a reader took and did not acknowledge is claimed by another reader of the group once the first has been
silent for the lease.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redis import Redis


def make(client: Redis, key: str, group: str) -> None:
    """Create the group, and the stream, if they are missing; a new group begins with the oldest entry that is kept."""
    from redis.exceptions import ResponseError

    try:
        client.xgroup_create(key, group, id='0', mkstream=True)
    except ResponseError as error:
        if 'BUSYGROUP' not in str(error):
            raise


def take(
    client: Redis, key: str, group: str, reader: str, count: int, lease_seconds: float, block: int | None, claim: bool
) -> list[Any]:
    """Up to `count` entries for this reader: with `claim` first those that a silent reader left, then new ones, waited
    for up to `block` milliseconds. A group that is gone, with its stream or while we waited, is created again."""
    from redis.exceptions import ResponseError

    try:
        left = _claimed(client, key, group, reader, count, lease_seconds) if claim else []
        return left or entries(client.xreadgroup(group, reader, {key: '>'}, count=count, block=block))
    except ResponseError as error:
        if not str(error).startswith(('NOGROUP', 'UNBLOCKED')):
            raise
        make(client, key, group)
        return []


def _claimed(client: Redis, key: str, group: str, reader: str, count: int, lease_seconds: float) -> list[Any]:
    at: Any = b'0-0'
    while True:
        said: Any = client.xautoclaim(key, group, reader, int(lease_seconds * 1000), at, count=count)
        at, rows = said[0], said[1]
        if rows or at in (b'0-0', '0-0'):  # one call looks at ten times `count` entries at most
            return list(rows)


def entries(reply: Any) -> list[Any]:
    """The (id, fields) pairs for one key in a reply of XREAD or XREADGROUP; [] after a timeout. The newer protocol
    replies with a mapping, in which they are nested one level deeper, the older with pairs."""
    if not reply:
        return []
    pairs = reply.items() if isinstance(reply, dict) else reply
    rows = [row for _, part in pairs for row in part]
    return list(rows[0] if rows and rows[0] and isinstance(rows[0][0], (list, tuple)) else rows)
