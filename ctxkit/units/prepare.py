"""Which units there are: those that an event makes, and those kept ready for a render without a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ctxkit.config import Settings
from ctxkit.embedding import encoder_for
from ctxkit.index import corpus as corpora
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import fresh_manifest
from ctxkit.index.manifest import Manifest
from ctxkit.index.record import Place
from ctxkit.index.store import Store, mending
from ctxkit.repo import Repo
from ctxkit.safety.secrets import env_values
from ctxkit.units import changed, history, hot, stream
from ctxkit.units.stream import StreamUnit
from ctxkit.units.unit import Event, fold_of, make

MAX_UNITS = 60  # units that one event writes
MAX_PREPARED = 80  # units kept ready for a render without a request
MAX_LINKED = 16  # of those, units that know what they touch: only the first of a block show it


@mending
def prepare(repo: Repo, settings: Settings, commit: str, now: float) -> hot.Prepared:
    """Index `commit` and keep units ready for a render without a request; writes nothing in the work tree."""
    encoder = encoder_for(settings.model.name)
    since = now - settings.units.keep_hours * 3600
    with Store(repo.data_dir) as store:
        manifest = fresh_manifest(repo, store, settings, commit, now, encoder)
        corpus = corpora.open_corpus(repo, store, manifest, {}, frozenset(), encoder.model_id, encoder.dimension)
        units = stream.read(repo.ctx_dir / 'units.jsonl', since)
        edits = history.edits_today(repo, commit, now)
        prepared = hot.Prepared(commit, of_tree(corpus, units, commit, now, edits))
        hot.save(repo, prepared)
    return prepared


def of_event(corpus: Corpus, before: Manifest, event: Event, edits: Counter[str]) -> list[StreamUnit]:
    """The units of what changed since the tree that this work tree had before; at most MAX_UNITS.

    `edits` is how often each file was changed today.
    """
    if before.commit == event.commit:
        return []
    chunks = changed.between(corpus.repo, corpus.store, before, corpus.manifest, MAX_UNITS * 4)
    return _units(corpus, chunks, event, edits, env_values(corpus.repo.root), MAX_UNITS)


def _units(
    corpus: Corpus,
    chunks: Sequence[changed.ChangedChunk],
    event: Event,
    edits: Counter[str],
    known: frozenset[str],
    limit: int,
    linked: int = MAX_UNITS,
) -> list[StreamUnit]:
    """A unit of each of the best `limit` chunks, the first `linked` with what they touch; one for all of a fold."""
    numbered = []
    for one in chunks:
        where = corpus.file(one.path)
        if where is not None:
            chunk = corpus.numbers(*where)[one.number]
            numbered.append((chunk, one))
    places = {one: corpus.place(chunk) for chunk, one in numbered}
    chosen = {one for one, _ in changed.ranked(places.items(), limit)}
    out: dict[str, StreamUnit] = {}
    told: set[int] = set()
    for chunk, one in numbered:
        if one in chosen and chunk not in told:
            told.update(fold_of(corpus, chunk))
            unit = make(corpus, chunk, one.change, event, edits[one.path], known, len(out) < linked)
            out[unit.id] = unit
    return list(out.values())


def of_tree(
    corpus: Corpus, units: Sequence[StreamUnit], commit: str, now: float, edits: Counter[str]
) -> tuple[StreamUnit, ...]:
    """The stream's units that stand in this tree, then what the last commits changed: without a request.

    Those of the stream are made anew: since their event, lines may have moved, and what they touched may be gone.
    """
    known = env_values(corpus.repo.root)
    kept: dict[str, StreamUnit] = {}
    for unit in hot.order(units, now, 0):
        if len(kept) < MAX_PREPARED and (chunk := _standing(corpus, unit)) is not None:
            event = Event(unit.event, unit.commit, unit.time)
            made = make(corpus, chunk, unit.change, event, unit.edits_today, known, len(kept) < MAX_LINKED)
            kept.setdefault(made.id, made)
    if commit and len(kept) < MAX_PREPARED:
        blobs = {item.path: item.blob for item in corpus.manifest.files}
        for past in history.recent(corpus.repo, commit):
            if len(kept) >= MAX_PREPARED:
                break
            chunks = _changed_in(corpus, past, commit, blobs)
            event = Event('history', past.commit, past.time)
            room, linked = MAX_PREPARED - len(kept), max(MAX_LINKED - len(kept), 0)
            for unit in _units(corpus, chunks, event, edits, known, room, linked):
                kept.setdefault(unit.id, unit)
    ordered = hot.order(list(kept.values()), now, 0)
    return tuple(ordered[:MAX_PREPARED])


def _standing(corpus: Corpus, unit: StreamUnit) -> int | None:
    """The chunk of this tree that a unit of the stream begins with; None where the tree does not hold it as it was."""
    where = corpus.file(unit.path)
    places = corpus.file_places(*where) if where else []
    if where is None or not unit.stands_in(frozenset(place.digest for place in places)):
        return None
    first = unit.digest.partition('-')[0]
    same = [number for number, place in enumerate(places) if place.digest == first]
    nearest = min(same, key=lambda number: abs(places[number].start_line - unit.start_line))
    return corpus.numbers(*where)[nearest]


def _changed_in(
    corpus: Corpus, past: history.Past, commit: str, blobs: Mapping[str, str]
) -> list[changed.ChangedChunk]:
    """The chunks of the current tree in which lines stand as a past commit left them."""
    out = []
    for path, lines in history.touched_lines(corpus.repo, past, commit, blobs).items():
        where = corpus.file(path)
        if where is None:
            continue
        places = corpus.file_places(*where)
        for first, last in lines:
            out += [changed.ChangedChunk(path, number, 'changed') for number in _innermost(places, first, last)]
    return list(dict.fromkeys(out))


def _innermost(places: Sequence[Place], first: int, last: int) -> list[int]:
    """The chunks that lines touch: the definitions without those around them; what is left of the module if none is."""
    inside = [n for n, place in enumerate(places) if place.start_line <= last and place.end_line >= first]
    around = {places[number].parent for number in inside}
    named = [number for number in inside if places[number].kind != 'module' and number not in around]
    return named or inside[:1]
