"""Reading a project's stream: in a consumer group, where each unit goes to one reader, or simply from an id on.

A unit that a reader took and did not acknowledge is claimed by another reader of the group once the first has been
silent for `stream.lease_seconds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.stream import names
from ctxkit.stream.entry import from_fields
from ctxkit.units.stream import StreamUnit

if TYPE_CHECKING:
    from redis import Redis


class Entry(NamedTuple):
    """An entry of the stream: its id there, and the unit; None for a schema that this version does not know."""

    id: str
    unit: StreamUnit | None


class Group(NamedTuple):
    """A consumer group: readers, entries taken but not acknowledged, entries not yet taken (-1: unknown)."""

    name: str
    readers: int
    pending: int
    lag: int


class Info(NamedTuple):
    """A stream: its key, length, ids of the first and last entry ('' if empty), and its groups."""

    key: str
    length: int
    first: str
    last: str
    groups: tuple[Group, ...]


def join(client: Redis, name: str, group: str) -> None:
    """Make the consumer group if it is missing; a new group begins with the oldest unit that is kept."""
    from redis.exceptions import ResponseError

    try:
        client.xgroup_create(names.units(name), group, id='0', mkstream=True)
    except ResponseError as error:
        if 'BUSYGROUP' not in str(error):
            raise


def take(
    client: Redis, name: str, group: str, reader: str, count: int, lease_seconds: float, block_seconds: float = 0.0
) -> list[Entry]:
    """Up to `count` entries for this reader: those a dead reader left first, then new ones, waiting for them if asked.

    Each must be given to `done` when it has been used; join the group first. A group that went with a stream on which
    nothing was published for a day is made again.
    """
    from redis.exceptions import ResponseError

    key = names.units(name)
    block = max(1, int(block_seconds * 1000)) if block_seconds else None
    try:
        entries = _entries(claimed(client, key, group, reader, count, lease_seconds))
        if entries:
            return entries
        found: Any = client.xreadgroup(group, reader, {key: '>'}, count=count, block=block)
    except ResponseError as error:
        if not has_no_group(error):
            raise
        join(client, name, group)
        return []
    return _read(found)


def has_no_group(error: Exception) -> bool:
    """Whether a read failed since its stream, and the group with it, was gone (NOGROUP) or went while it waited."""
    return str(error).startswith(('NOGROUP', 'UNBLOCKED'))


def claimed(client: Redis, key: str, group: str, reader: str, count: int, lease_seconds: float) -> list[Any]:
    """Up to `count` entries that a reader took and left alone for longer than the lease; now they are ours."""
    at: Any = b'0-0'
    while True:
        said: Any = client.xautoclaim(key, group, reader, int(lease_seconds * 1000), at, count=count)
        at, rows = said[0], said[1]
        if rows or at in (b'0-0', '0-0'):  # one call looks at no more than ten times `count` entries
            return list(rows)


def done(client: Redis, name: str, group: str, ids: Sequence[str]) -> None:
    """Acknowledge entries: the group never sees them again."""
    if ids:
        client.xack(names.units(name), group, *ids)


def newer(client: Redis, name: str, after: str, count: int, block_seconds: float = 0.0) -> list[Entry]:
    """Up to `count` entries after id `after`, oldest first, without a group; waits for one if `block_seconds`."""
    block = max(1, int(block_seconds * 1000)) if block_seconds else None
    found: Any = client.xread({names.units(name): after}, count=count, block=block)
    return _read(found)


def info(client: Redis, name: str) -> Info:
    """What the stream holds and how far its groups are."""
    from redis.exceptions import ResponseError

    key = names.units(name)
    try:
        said: Any = client.xinfo_stream(key)
        groups: Any = client.xinfo_groups(key)
    except ResponseError as error:
        if 'no such key' not in str(error):
            raise
        return Info(key, 0, '', '', ())
    ends = [said[end][0].decode() if said[end] else '' for end in ('first-entry', 'last-entry')]
    rows = [
        Group(one['name'].decode('utf-8', 'replace'), one['consumers'], one['pending'], _lag(one)) for one in groups
    ]
    return Info(key, said['length'], ends[0], ends[1], tuple(rows))


def _lag(group: Any) -> int:
    lag = group.get('lag')
    return int(lag) if lag is not None else -1


def _read(found: Any) -> list[Entry]:
    """The reply of XREAD and XREADGROUP: a mapping in the newer protocol, else pairs; None after a wait in vain."""
    if not found:
        return []
    pairs = found.items() if isinstance(found, dict) else found
    out: list[Entry] = []
    for _, rows in pairs:
        for row in rows:
            # the newer protocol wraps the entries of a key once more
            out += _entries(row if row and isinstance(row[0], (list, tuple)) else [row])
    return out


def _entries(rows: Any) -> list[Entry]:
    # an entry that was trimmed meanwhile comes without fields
    return [Entry(key.decode(), from_fields(fields)) for key, fields in rows if key and fields]
