"""The shared store: what the index keeps of file contents that any clone has sliced, in Redis, under the same keys.

Records and vectors are strings that live for `stream.shared_days` after they were last requested. The server's
`maxmemory` with `maxmemory-policy volatile-lru` bounds them: it drops only keys that expire, never a job.
Data from the store is checked before it goes into an index, since many may write there.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.errors import CtxError
from ctxkit.index.record import Record, path_hint
from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.stream import names, server

if TYPE_CHECKING:
    from redis import Redis

    from ctxkit.index.build import Content
    from ctxkit.index.store import Key

BATCH = 100
MAX_BYTES = 200_000_000  # of one unpacked record; more cannot be a record
PARTS = ('places', 'references', 'postings', 'columns')


class Exchange(NamedTuple):
    """How many file contents were taken from the shared store and sliced here; `problem` says why the store could not
    be used to the end ('' if it could)."""

    taken: int
    sliced: int
    problem: str


def exchange(repo: Repo, settings: Settings, commit: str, now: float) -> Exchange:
    """Take from the shared store what the index lacks of a commit's tree, slice the rest, give the store what it lacks.

    An absent store costs a few seconds and is reported in the result. Raises CtxError if none is configured.
    """
    from ctxkit.embedding import encoder_for
    from ctxkit.index.build import build
    from ctxkit.index.scan import scan
    from ctxkit.index.store import Key, Store

    if not settings.stream.url:
        raise CtxError('stream.url is not set', 'the shared store is in Redis; name a server in your own settings')
    entries, _ = scan(repo, commit, settings.slicing) if commit else ([], [])
    encoder = encoder_for(settings.model.name)
    model, day = encoder.model_id, int(now // 86400)
    limit = settings.slicing.max_file_bytes
    paths = {Key(entry.blob, path_hint(entry.path, limit)): entry for entry in entries}
    taken = sliced = 0
    problem = ''
    with Store(repo.data_dir) as store:
        rows, vectored = store.known(paths), store.with_vectors(model)
        lacking = [key for key in paths if key not in rows or (rows[key].chunks and rows[key].id not in vectored)]
        try:
            with server.connected(settings.stream) as client:
                for found in fetch(client, lacking, model, encoder.dimension, settings.stream.shared_days):
                    store.add(model, found, day)
                    taken += len(found)
        except server.Away as error:
            problem = error.format_message()
        if lacking:
            built = build(
                repo, store, [paths[key] for key in lacking], model=settings.model.name, model_id=model,
                max_bytes=settings.slicing.max_file_bytes, now=now,
            )  # fmt: skip
            sliced = built.sliced_files
        if not problem:
            try:
                with server.connected(settings.stream) as client:
                    _give(client, store, absent(client, list(paths), model), model, settings)
            except server.Away as error:
                problem = error.format_message()
    return Exchange(taken, sliced, problem)


def fetch(client: Redis, keys: Sequence[Key], model: str, dimension: int, days: int) -> Iterator[list[Content]]:
    """The store's contents for `keys`, in batches; requesting a content keeps it for another `days` days."""
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        ask = client.pipeline(transaction=False)
        for key in part:
            for name in _names(key, model):
                ask.getex(name, ex=days * 86400)
        said: list[Any] = ask.execute()
        found = [decode(key, said[2 * at], said[2 * at + 1], dimension) for at, key in enumerate(part)]
        yield [one for one in found if one is not None]


def absent(client: Redis, keys: Sequence[Key], model: str) -> list[Key]:
    """Those of the keys that the store does not hold completely."""
    out = []
    for start in range(0, len(keys), BATCH * 5):
        part = keys[start : start + BATCH * 5]
        ask = client.pipeline(transaction=False)
        for key in part:
            ask.exists(*_names(key, model))
        out += [key for key, count in zip(part, ask.execute(), strict=True) if count < 2]
    return out


def give(client: Redis, contents: Iterable[Content], model: str, days: int) -> int:
    """Put contents into the store; return how many. Writing one twice changes nothing."""
    ask = client.pipeline(transaction=False)
    count = 0
    for one in contents:
        for name, value in zip(_names(one.key, model), encode(one), strict=True):
            ask.set(name, value, ex=days * 86400)
        count += 1
    ask.execute()
    return count


def encode(content: Content) -> tuple[bytes, bytes]:
    """(record, vectors) as the store holds them: a JSON line that describes what follows, then the parts, deflated."""
    record = content.record
    parts = [getattr(record, part) for part in PARTS]
    head = {'language': record.language, 'skipped': record.skipped, 'broken': record.broken, 'chunks': content.chunks}
    vectors = json.dumps({'alike': content.alike}).encode() + b'\n' + content.vectors
    lengths = json.dumps({**head, 'lengths': [len(part) for part in parts]}).encode()
    return zlib.compress(lengths + b'\n' + b''.join(parts), 1), zlib.compress(vectors, 1)


def decode(key: Key, record: bytes | None, vectors: bytes | None, dimension: int) -> Content | None:
    """The content in two values of the store; None if one is missing or invalid."""
    from ctxkit.index.build import Content

    if record is None or vectors is None:
        return None
    try:
        head, data = _unpack(record)
        side, rows = _unpack(vectors)
        at, parts = 0, []
        for length in head['lengths']:
            parts.append(data[at : at + length])
            at += length
        made = Record(str(head['language']), str(head['skipped']), int(head['broken']), *parts)
        content = Content(key, made, int(head['chunks']), rows, str(side['alike']))
        return content if at == len(data) and _sound(content, dimension) else None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, zlib.error):
        return None


def _give(client: Redis, store: Any, keys: Sequence[Key], model: str, settings: Settings) -> None:
    from ctxkit.index.build import Content

    for start in range(0, len(keys), BATCH):
        stored = [(key, store.content(key, model)) for key in keys[start : start + BATCH]]
        contents = [Content(key, *row) for key, row in stored if row is not None]
        give(client, contents, model, settings.stream.shared_days)


def _names(key: Key, model: str) -> tuple[str, str]:
    return names.record(*key), names.vectors(*key, model)


def _unpack(value: bytes) -> tuple[dict[str, Any], bytes]:
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(value, MAX_BYTES)
    if unpacker.unconsumed_tail:
        raise ValueError('too large')
    head, _, rest = data.partition(b'\n')
    said = json.loads(head)
    if not isinstance(said, dict):
        raise TypeError('no object')
    return said, rest


def _sound(content: Content, dimension: int) -> bool:
    """Whether the parts of a content are consistent, so that a search over it cannot go out of bounds."""
    import numpy as np

    from ctxkit.index.record import KIND_CODES, REFERS, column_type, load_places, posting_type

    count, record = content.chunks, content.record
    places = load_places(record.places)
    references, runs = json.loads(record.references), json.loads(content.alike)
    postings = np.frombuffer(record.postings, posting_type())
    columns = np.frombuffer(record.columns, column_type())
    return (
        len(places) == len(references) == len(columns) == count
        and all(int(kind) < len(KIND_CODES) for kind in columns['kind'])
        and all(place.kind in KIND_CODES for place in places)
        and (not len(postings) or int(postings['field'].max()) <= REFERS)
        and len(content.vectors) == count * dimension
        and (not len(postings) or int(postings['chunk'].max()) < count)
        and all(isinstance(run, list) and run and set(run) <= set(range(count)) for run in runs)
        and all(0 <= place.start_byte <= place.end_byte and -1 <= place.parent < count for place in places)
    )
