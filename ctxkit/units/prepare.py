"""Make units: those of an event, and those kept ready for a render without a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from ctxkit.embedding import encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import fresh_manifest, open_corpus
from ctxkit.index.manifest import Manifest
from ctxkit.index.repair import repairing
from ctxkit.index.store import Store
from ctxkit.repo import Repo
from ctxkit.safety.secrets import env_values
from ctxkit.settings import Settings
from ctxkit.units import changed, history, hot, removed, stream
from ctxkit.units.score import MANY_FILES
from ctxkit.units.stream import StreamUnit
from ctxkit.units.unit import Event, Fresh, fold_of, make
from ctxkit.units.walk import Walk

MAX_UNITS = 60  # units that one event writes
MAX_PREPARED = 80  # units kept ready for a render without a request
ENOUGH = 5_000  # tokens of prepared units; a block has room for about as many
MAX_LINKED = 16  # prepared units with links: only the first units of a block show theirs


@repairing
def prepare(repo: Repo, settings: Settings, commit: str, now: float) -> hot.Prepared:
    """Index `commit` and keep units ready for a render without a request; writes nothing in the work tree."""
    encoder = encoder_for(settings.model.name)
    since = now - settings.units.keep_hours * 3600
    with Store(repo.data_dir) as store:
        manifest = fresh_manifest(repo, store, settings, commit, now, encoder)
        corpus = open_corpus(repo, store, manifest, encoder)
        units = stream.read(repo.ctx_dir / 'units.jsonl', since)
        edits = history.edits_today(repo, commit, now)
        prepared = hot.Prepared(commit, of_tree(corpus, units, Walk(corpus, commit, now), now, edits))
        hot.save(repo, prepared)
    return prepared


def of_event(corpus: Corpus, before: Manifest, event: Event, walk: Walk, edits: Counter[str]) -> list[StreamUnit]:
    """The units of what changed since `before`, the previous tree of this work tree; at most MAX_UNITS.

    Each names the commit that changed it: if the event brought several, the newest of the last twelve that did. What
    no commit new to this work tree made counts as brought by a checkout: after `git reset HEAD~1` that is everything.
    `edits` is how often each file was changed today.
    """
    if before.commit == event.commit:
        return []
    chunks = changed.chunks_between(corpus.repo, corpus.store, before, corpus.manifest, MAX_UNITS * 4)
    event = event._replace(files=len(changed.paths_between(before, corpus.manifest)))
    makers: dict[changed.ChangedChunk, Event] = {}
    newest = walk.pasts[0] if walk.pasts else None
    only_one_commit = newest is not None and newest.commit == event.commit and newest.parent == before.commit
    if not only_one_commit and event.name != 'post-checkout':
        written = history.written_since(corpus.repo, before.commit, event.commit) if chunks else None
        chunks, makers = _made_by(chunks, walk, event, written)
    old_blobs = {item.path: item.blob for item in before.files}

    def fresh(path: str) -> frozenset[str]:
        return changed.new_lines(corpus.blob(old_blobs[path]) if path in old_blobs else b'', corpus.source(path))

    return _units(corpus, chunks, event, edits, env_values(corpus.repo.root), MAX_UNITS, fresh, makers=makers)


def _made_by(
    chunks: Sequence[changed.ChangedChunk], walk: Walk, event: Event, written: frozenset[str] | None
) -> tuple[list[changed.ChangedChunk], dict[changed.ChangedChunk, Event]]:
    """The chunks, and for each the event of the commit that changed it last.

    If none of the last commits changed it, `event` itself, and the chunk's change is marked with UP_TO. What one commit
    added and a later one changed is 'changed'; so is what an amended commit had added. `written` are the commits new to
    this work tree, None if all are: what none of them made came by a checkout.
    """
    found: dict[tuple[str, int], Event] = {}
    for past in walk.pasts:
        made = event._replace(commit=past.commit, files=len(past.paths))
        for one in walk.chunks(past):
            found.setdefault((one.path, one.number), made)
    out, makers = [], {}
    for one in chunks:
        maker = last = found.get((one.path, one.number))
        if written is not None and (maker is None or maker.commit not in written):
            maker = event._replace(name='post-checkout')
        kept = one if maker else one._replace(change=one.change + hot.UP_TO)
        new = one.change == 'added'
        if last and (new or written is not None) and walk.began(last.commit, one) != new:
            kept = kept._replace(change='changed')
        out.append(kept)
        makers[kept] = maker or event
    return out, makers


def _units(
    corpus: Corpus,
    chunks: Sequence[changed.ChangedChunk],
    event: Event,
    edits: Counter[str],
    known: frozenset[str],
    limit: int,
    fresh: Fresh,
    linked: int = MAX_UNITS,
    makers: Mapping[changed.ChangedChunk, Event] | None = None,
) -> list[StreamUnit]:
    """The units of the best `limit` chunks, one for all chunks of a fold; the first `linked` units get links.

    `fresh` gives the changed lines of a file, `makers` the events of chunks that do not come from `event`.
    """
    numbered = []
    for one in chunks:
        where = corpus.file(one.path)
        if where is not None:
            chunk = corpus.numbers(*where)[one.number]
            numbered.append((chunk, one))
    places = {one: corpus.place(chunk) for chunk, one in numbered}
    chosen = {one for one, _ in changed.ranked(places.items(), limit)}
    out: dict[str, StreamUnit] = {}
    covered: set[int] = set()
    for chunk, one in numbered:
        if one in chosen and chunk not in covered:
            covered.update(fold_of(corpus, chunk))
            own = (makers or {}).get(one, event)
            unit = make(corpus, chunk, one.change, own, edits[one.path], known, len(out) < linked, fresh)
            out[unit.id] = unit
    return list(out.values())


def of_tree(
    corpus: Corpus, units: Sequence[StreamUnit], walk: Walk, now: float, edits: Counter[str]
) -> tuple[StreamUnit, ...]:
    """The units for a render without a request: those of the stream that stand in this tree, then the last commits'.

    Units of the stream are made again: since their event, lines or the file may have moved, what they touched may be
    gone, and the commit that they name may have been amended.
    What a sweep over many files changed only fills the room that is left. If the last commits changed little, as those
    of a bot do, older ones are looked at.
    """
    known = env_values(corpus.repo.root)
    kept: dict[str, StreamUnit] = {}
    ordered = hot.order([unit._replace(path=walk.now(unit.path)) for unit in units], now, 0)
    rewritten = walk.rewritten(units)

    def take(past: history.Past, sweeps: bool) -> None:
        chunks = walk.worked_on(past) if len(past.paths) > MANY_FILES and not sweeps else walk.chunks(past)
        event = Event('history', past.commit, past.time, len(past.paths) if sweeps else 1)
        room, linked = MAX_PREPARED - len(kept), max(MAX_LINKED - len(kept), 0)
        for unit in _units(corpus, chunks, event, edits, known, room, partial(walk.fresh, past), linked):
            kept.setdefault(unit.id, unit)

    # Half the room is kept for the last commit if the stream does not have it yet: its worker is busy, or no hook ran.
    in_stream = not walk.pasts or any(unit.commit == walk.pasts[0].commit for unit in units)
    most = MAX_PREPARED if in_stream else MAX_PREPARED // 2
    for sweeps in (False, True):
        for unit in ordered:
            if len(kept) >= most:
                break
            if hot.is_sweep(unit) == sweeps and (chunk := _standing(corpus, unit)) is not None:
                commit = unit.commit
                if commit in rewritten:
                    commit = walk.maker(unit.path, [corpus.locate(one)[2] for one in fold_of(corpus, chunk)])
                event = Event(unit.event, commit, unit.time, unit.files)
                made = make(corpus, chunk, unit.change, event, unit.edits_today, known, len(kept) < MAX_LINKED)
                if unit.cut and unit.digest == made.digest:  # the changed lines were known only when it was first cut
                    made = made._replace(text=unit.text, tokens=unit.tokens)
                kept.setdefault(made.id, made)
        for past in walk.pasts:
            if len(kept) < MAX_PREPARED and (not sweeps or len(past.paths) > MANY_FILES):
                take(past, sweeps)
    for past in walk.older() if sum(unit.tokens for unit in kept.values()) < ENOUGH else ():
        take(past, False)
        if len(kept) >= MAX_PREPARED or sum(unit.tokens for unit in kept.values()) >= ENOUGH:
            break
    pasts = [*walk.pasts, *history.merges(corpus.repo, corpus.manifest.commit, walk.pasts)]
    kept |= {unit.id: unit for unit in removed.of_history(corpus, pasts, edits, known, now)}
    return tuple(hot.order(list(kept.values()), now, 0)[:MAX_PREPARED])


def of_commits(
    corpus: Corpus, pasts: Sequence[history.Past], walk: Walk, now: float, edits: Counter[str]
) -> list[StreamUnit]:
    """The units of what some commits changed (newest first) and what they removed; at most MAX_PREPARED."""
    known = env_values(corpus.repo.root)
    kept: dict[str, StreamUnit] = {}
    for past in pasts:
        event = Event('history', past.commit, past.time, len(past.paths))
        room, linked = MAX_PREPARED - len(kept), max(MAX_LINKED - len(kept), 0)
        for unit in _units(corpus, walk.chunks(past), event, edits, known, room, partial(walk.fresh, past), linked):
            kept.setdefault(unit.id, unit)
        if len(kept) >= MAX_PREPARED:
            break
    return [*kept.values(), *removed.of_history(corpus, pasts, edits, known, now)]


def _standing(corpus: Corpus, unit: StreamUnit) -> int | None:
    """The chunk of this tree that a unit of the stream begins with; None if the unit's text has changed since."""
    chunks = corpus.in_file(unit.path)
    if not unit.stands_in(frozenset(place.digest for _, place in chunks)):
        return None
    first = unit.digest.partition('-')[0]
    same = [(chunk, place) for chunk, place in chunks if place.digest == first]
    return min(same, key=lambda one: abs(one[1].start_line - unit.start_line))[0]
