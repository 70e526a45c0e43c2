"""Convert a unit to the fields of a stream entry, and back. Every value is text; paths keep invalid UTF-8."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from ctxkit.safety.secrets import redact
from ctxkit.units.stream import SCHEMA, StreamUnit, from_dict

NUMBERS = ('time', 'start_line', 'end_line', 'edits_today', 'tokens', 'schema', 'files')
NAMES = StreamUnit._fields


def cleaned(unit: StreamUnit, known: frozenset[str]) -> StreamUnit:
    """The unit without secrets: every text in it passes the filter once more before it leaves this machine."""
    related = tuple(
        one._replace(path=redact(one.path, known), symbol=redact(one.symbol, known), text=redact(one.text, known))
        for one in unit.related
    )
    return unit._replace(
        path=redact(unit.path, known),
        symbol=redact(unit.symbol, known),
        signature=redact(unit.signature, known),
        text=redact(unit.text, known),
        related=related,
    )


def identity(unit: StreamUnit) -> str:
    """The same for everyone who publishes this unit, so that ten clones that pull one commit publish its units once.

    A saved file is an event of only one clone, so its time is part of the identity.
    """
    moment = unit.commit or repr(unit.time)
    data = f'{unit.id}\0{unit.digest}\0{moment}'.encode('utf-8', 'surrogateescape')
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def to_fields(unit: StreamUnit) -> list[bytes]:
    """The unit as [name, value, name, value, …]; `schema` comes first."""
    data = unit.to_dict()
    data['related'] = json.dumps(data['related'], ensure_ascii=True, separators=(',', ':'))
    out = []
    for name in ('schema', *(name for name in NAMES if name != 'schema')):
        out += [name.encode(), str(data[name]).encode('utf-8', 'surrogateescape')]
    return out


def from_fields(raw: Mapping[bytes, bytes]) -> StreamUnit | None:
    """The unit of an entry; None if it has another schema or is broken. Unknown fields are ignored."""
    data = {name.decode('utf-8', 'replace'): value.decode('utf-8', 'surrogateescape') for name, value in raw.items()}
    if data.get('schema') != str(SCHEMA):
        return None
    try:
        values: dict[str, object] = {name: data[name] for name in NAMES}
        for name in NUMBERS:
            values[name] = float(data[name]) if name == 'time' else int(data[name])
        values['related'] = json.loads(data['related'])
        return from_dict(values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def flat(units: Iterable[StreamUnit]) -> list[bytes | str | int]:
    """The arguments of the publishing script: for each unit its identity, the number of its fields, and the fields."""
    out: list[bytes | str | int] = []
    for unit in units:
        values = to_fields(unit)
        out += [identity(unit), len(values), *values]
    return out
