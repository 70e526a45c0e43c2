"""Read a project's stream: in a consumer group, where each unit goes to one reader, or simply from an id on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.stream import groups, names
from ctxkit.stream.entry import from_fields
from ctxkit.units.stream import StreamUnit

if TYPE_CHECKING:
    from redis import Redis


class Entry(NamedTuple):
    """An entry of the stream: its id there and the unit, which is None for a schema unknown to this version."""

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
    """Create the consumer group if it is missing; a new group begins with the oldest unit that is kept."""
    groups.make(client, names.units(name), group)


def take(
    client: Redis, name: str, group: str, reader: str, count: int, lease_seconds: float, block_seconds: float = 0.0
) -> list[Entry]:
    """Up to `count` entries for this reader: first a dead reader's, then new ones, waited for up to `block_seconds`.

    Join the group first, and pass each entry to `done` after use. A group that vanished with its stream, because
    nothing was published for a day, is created again.
    """
    block = _milliseconds(block_seconds)
    return _entries(groups.take(client, names.units(name), group, reader, count, lease_seconds, block, True))


def done(client: Redis, name: str, group: str, ids: Sequence[str]) -> None:
    """Acknowledge entries: the group never sees them again."""
    if ids:
        client.xack(names.units(name), group, *ids)


def newer(client: Redis, name: str, after: str, count: int, block_seconds: float = 0.0) -> list[Entry]:
    """Up to `count` entries after id `after`, oldest first, without a group; waits for one if `block_seconds`."""
    reply = client.xread({names.units(name): after}, count=count, block=_milliseconds(block_seconds))
    return _entries(groups.entries(reply))


def info(client: Redis, name: str) -> Info:
    """What the stream holds, and how far its groups have read."""
    from redis.exceptions import ResponseError

    key = names.units(name)
    try:
        said: Any = client.xinfo_stream(key)
        known: Any = client.xinfo_groups(key)
    except ResponseError as error:
        if 'no such key' not in str(error):
            raise
        return Info(key, 0, '', '', ())
    ends = [said[end][0].decode() if said[end] else '' for end in ('first-entry', 'last-entry')]
    rows = [Group(one['name'].decode('utf-8', 'replace'), one['consumers'], one['pending'], _lag(one)) for one in known]
    return Info(key, said['length'], ends[0], ends[1], tuple(rows))


def _lag(group: Any) -> int:
    lag = group.get('lag')
    return int(lag) if lag is not None else -1


def _milliseconds(block_seconds: float) -> int | None:
    return max(1, int(block_seconds * 1000)) if block_seconds else None


def _entries(rows: list[Any]) -> list[Entry]:
    # an entry that was trimmed meanwhile has no fields
    return [Entry(key.decode(), from_fields(fields)) for key, fields in rows if key and fields]
