"""The rows of the four tables, made from what a repository keeps: units, events, renders, feedback.

docs/warehouse.md describes the columns of `schemas`. Texts have passed the secret filter, and conversations are named
by a hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from ctxkit.feedback import log as feedback
from ctxkit.metrics import journal
from ctxkit.repo import Repo
from ctxkit.settings import Settings
from ctxkit.units import stream

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar('T')
TABLES = ('units', 'events', 'renders', 'feedback')
Row = dict[str, Any]


def schemas() -> dict[str, pa.Schema]:
    """Table -> schema. New columns are added at the end; the meaning of a column never changes."""
    import pyarrow as pa

    text, number, when = pa.string(), pa.int32(), pa.timestamp('us', tz='UTC')
    common = [('row_id', text), ('project', text), ('time', when)]
    related = pa.struct(
        [('relation', text), ('resolved', pa.bool_()), ('hops', number), ('path', text), ('start_line', number),
         ('end_line', number), ('symbol', text), ('text', text)]
    )  # fmt: skip
    units = [
        ('unit_id', text), ('event', text), ('commit', text), ('path', text), ('symbol', text), ('kind', text),
        ('start_line', number), ('end_line', number), ('change', text), ('digest', text), ('edits_today', number),
        ('tokens', number), ('signature', text), ('text', text), ('related', pa.list_(related)), ('files', number),
    ]  # fmt: skip
    events = [
        ('kind', text), ('event', text), ('commit', text), ('branch', text), ('files', number), ('chunks', number),
        ('sliced_files', number), ('embedded_chunks', number), ('units', number), ('skipped', number),
        ('seconds', pa.float64()), ('slice_seconds', pa.float64()),
    ]  # fmt: skip
    renders = [
        ('kind', text), ('conversation', text), ('agent', text), ('group', text), ('asked', pa.bool_()),
        ('budget', number), ('tokens', number), ('left_out', number), ('units', number), ('seconds', pa.float64()),
        ('stepped_down', pa.bool_()), ('sections', pa.map_(text, number)),
    ]  # fmt: skip
    answers = [
        ('kind', text), ('conversation', text), ('agent', text), ('group', text), ('names', number),
        ('invented', number), ('unable', pa.bool_()),
    ]  # fmt: skip
    rows = zip(TABLES, (units, events, renders, answers), strict=True)
    return {name: pa.schema([*common, *columns]) for name, columns in rows}


def rows(repo: Repo, settings: Settings, project: str, now: float) -> dict[str, list[Row]]:
    """Table -> the rows whose sources the repository still has, oldest first."""
    journalled = list(journal.records(repo.data_dir))
    noted = list(feedback.everything(repo))
    made = {
        'units': _units(repo, settings, now),
        'events': (_event(one) for one in journalled if one.get('kind') in ('update', 'hook')),
        'renders': [
            *(_render(one) for one in journalled if one.get('kind') == 'render'),
            *(_shown(one) for one in noted if one.get('kind') == 'shown'),
        ],
        'feedback': (_answer(one) for one in noted if one.get('kind') in ('prompt', 'answer')),
    }
    return {name: sorted(_keyed(found, project), key=lambda row: float(row['time'])) for name, found in made.items()}


def _keyed(found: Iterable[Row], project: str) -> Iterator[Row]:
    """Rows with an identity: a hash of their whole content, so that the same row is recognized."""
    for row in found:
        said = json.dumps([project, row], sort_keys=True, ensure_ascii=True, default=str)
        yield {'row_id': hashlib.blake2b(said.encode(), digest_size=12).hexdigest(), 'project': project, **row}


def _units(repo: Repo, settings: Settings, now: float) -> Iterator[Row]:
    from ctxkit.safety.secrets import env_values
    from ctxkit.stream.entry import cleaned

    known = env_values(repo.root)
    for unit in stream.read(repo.ctx_dir / 'units.jsonl', now - settings.units.keep_hours * 3600):
        data = cleaned(unit, known).to_dict()
        data['unit_id'] = data.pop('id')
        del data['schema']
        yield _storable(data)


def _event(one: Row) -> Row:
    names = ('event', 'commit', 'branch', 'files', 'chunks', 'sliced_files', 'embedded_chunks', 'units', 'skipped')
    return _storable({**_given(one, 'kind', 'time', 'seconds', 'slice_seconds'), **_given(one, *names)})


def _render(one: Row) -> Row:
    data = _given(one, 'kind', 'time', 'asked', 'budget', 'left_out', 'units', 'seconds')
    sections = one.get('sections')
    data['sections'] = sorted(sections.items()) if isinstance(sections, dict) else []
    return _storable({**data, 'tokens': one.get('used')})


def _shown(one: Row) -> Row:
    data = _given(one, 'kind', 'time', 'agent', 'group', 'tokens')
    return _storable({**data, 'conversation': _hashed(one), 'stepped_down': bool(one.get('down'))})


def _answer(one: Row) -> Row:
    data = _given(one, 'kind', 'time', 'agent', 'group', 'names', 'invented')
    unable = bool(one.get('phrase')) if one.get('kind') == 'answer' else None
    return _storable({**data, 'conversation': _hashed(one), 'unable': unable})


def _given(one: Row, *names: str) -> Row:
    return {name: one.get(name) for name in names}


def _hashed(one: Row) -> str:
    """A hash that stands for a conversation's id, good only for joining."""
    session = str(one.get('session') or '')
    return hashlib.blake2b(session.encode('utf-8', 'replace'), digest_size=8).hexdigest() if session else ''


def _storable(value: T) -> T:
    """`value` with all text as valid UTF-8: other bytes, as in a path, are written as escapes."""
    made: Any = value
    if isinstance(value, str):
        made = value.encode('utf-8', 'backslashreplace').decode()
    elif isinstance(value, dict):
        made = {name: _storable(one) for name, one in value.items()}
    elif isinstance(value, (list, tuple)):
        made = type(value)(_storable(one) for one in value)
    kept: T = made
    return kept
