"""Event to updated `.ctx/`: the whole story on one page.

scan     which blobs does the commit's tree hold that the index has not        index.current, index.scan
slice    those files into chunks; embed and fold them; store by content        index.build
compare  with the tree that this work tree had before: what changed            units.changed
link     what changed to what it touches, as units                             units.unit
stream   units.jsonl gets the new units, old ones leave                        units.stream
render   context.xml anew                                                      render
report   status.json says what was done and what was skipped                   here
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ctxkit import repo as git
from ctxkit.config import Settings
from ctxkit.index import corpus as corpora
from ctxkit.index import manifest as manifests
from ctxkit.index.build import Built, Progress, encoder_for
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import bring_up, fresh_manifest
from ctxkit.index.manifest import Manifest
from ctxkit.index.record import Place
from ctxkit.index.store import Store, mending
from ctxkit.metrics import journal
from ctxkit.repo import Repo
from ctxkit.safety.paths import real_folder, write_whole
from ctxkit.units import changed, history, hot, stream
from ctxkit.units.stream import StreamUnit
from ctxkit.units.unit import Event, fold_of, make

MAX_UNITS = 60  # units that one event writes
MAX_PREPARED = 80  # units kept ready for a render without a request
MAX_SKIPPED = 500  # skipped files that status.json lists
GITIGNORE = '*\n!config.yaml\n'


@dataclass(frozen=True)
class Update:
    """What an update did. `changed` says whether context.xml got other bytes."""

    event: str
    commit: str
    branch: str
    time: float
    files: int
    chunks: int
    sliced_files: int
    embedded_chunks: int
    units: int
    seconds: float
    changed: bool
    skipped: tuple[tuple[str, str], ...]


@mending
def update(
    repo: Repo,
    settings: Settings,
    *,
    commit: str = '',
    now: float,
    event: str = 'update',
    progress: Progress | None = None,
) -> Update:
    """Bring index, stream, prepared units, context.xml and status.json up to `commit` (HEAD if '').

    Raises CtxError for what a person can mend; what was there before stays whole then.
    """
    from ctxkit.render import build as render

    began = time.perf_counter()
    folder = real_folder(repo.ctx_dir)
    ignore = folder / '.gitignore'
    if not ignore.exists():
        write_whole(ignore, GITIGNORE)
    commit = commit or git.resolve(repo)
    before = manifests.load_told(repo)
    encoder = encoder_for(settings.model.name)
    with Store(repo.data_dir) as store:
        manifest, built = bring_up(repo, store, settings, commit, now, encoder, progress)
        corpus = corpora.open_corpus(repo, store, manifest, {}, frozenset(), encoder.model_id, encoder.dimension)
        new = _event_units(corpus, before, Event(event, commit, now), now) if before else []
        since = now - settings.units.keep_hours * 3600
        units = stream.extend(folder / 'units.jsonl', repo.data_dir / 'units.lock', new, since)
        hot.save(repo, hot.Prepared(commit, _prepare(corpus, units, commit, now)))
        manifests.save_told(repo, manifest)
    _remember(repo, settings, commit, before, manifest, now)
    if settings.stream.url:
        from ctxkit.stream.publish import publish

        publish(repo, settings, new, now)
    written = write_whole(folder / 'context.xml', render(repo, settings, now=now).to_xml())
    done = Update(
        event,
        commit,
        git.branch(repo),
        now,
        len(manifest.files),
        sum(item.chunks for item in manifest.files),
        built.sliced_files,
        built.embedded_chunks,
        len(new),
        round(time.perf_counter() - began, 3),
        written,
        manifest.skipped,
    )
    _report(folder, done)
    journal.note(repo.data_dir, 'update', now, **_figures(done, built))
    return done


def _figures(done: Update, built: Built) -> dict[str, object]:
    """What the journal keeps of an update."""
    kept = {name: value for name, value in asdict(done).items() if name not in ('time', 'changed', 'skipped')}
    return {**kept, 'skipped': len(done.skipped), 'slice_seconds': round(built.seconds, 4)}


@mending
def prepare(repo: Repo, settings: Settings, commit: str, now: float) -> hot.Prepared:
    """Index `commit` and keep units ready for a render without a request; writes nothing in the work tree."""
    encoder = encoder_for(settings.model.name)
    since = now - settings.units.keep_hours * 3600
    with Store(repo.data_dir) as store:
        manifest = fresh_manifest(repo, store, settings, commit, now, encoder)
        corpus = corpora.open_corpus(repo, store, manifest, {}, frozenset(), encoder.model_id, encoder.dimension)
        prepared = hot.Prepared(commit, _prepare(corpus, stream.read(repo.ctx_dir / 'units.jsonl', since), commit, now))
        hot.save(repo, prepared)
    return prepared


def _event_units(corpus: Corpus, before: Manifest, event: Event, now: float) -> list[StreamUnit]:
    """The units of what changed since the tree that this work tree had before."""
    if before.commit == event.commit:
        return []
    chunks = changed.between(corpus.repo, corpus.store, before, corpus.manifest, MAX_UNITS * 4)
    return _units(corpus, chunks, event, history.edits_today(corpus.repo, event.commit, now), MAX_UNITS)


def _units(
    corpus: Corpus,
    chunks: Sequence[changed.ChangedChunk],
    event: Event,
    edits: Counter[str],
    limit: int,
) -> list[StreamUnit]:
    from ctxkit.safety.secrets import env_values

    numbered = []
    for one in chunks:
        where = corpus.file(one.path)
        if where is not None:
            chunk = corpus.numbers(*where)[one.number]
            numbered.append((chunk, one))
    places = {one: corpus.place(chunk) for chunk, one in numbered}
    chosen = {one for one, _ in changed.ranked(places.items(), limit)}
    known = env_values(corpus.repo.root)
    out: dict[str, StreamUnit] = {}
    told: set[int] = set()
    corpus.sources([one.path for _, one in numbered if one in chosen])
    for chunk, one in numbered:
        if one in chosen and chunk not in told:
            told.update(fold_of(corpus, chunk))
            unit = make(corpus, chunk, one.change, event, edits[one.path], known)
            out[unit.id] = unit
    return list(out.values())


def _prepare(corpus: Corpus, units: Sequence[StreamUnit], commit: str, now: float) -> tuple[StreamUnit, ...]:
    """The stream's units that stand in this tree, then what the last commits changed: without a request."""
    digests: dict[str, frozenset[str]] = {}

    def stands(unit: StreamUnit) -> bool:
        if unit.path not in digests:
            where = corpus.file(unit.path)
            digests[unit.path] = (
                frozenset(place.digest for place in corpus.file_places(*where)) if where else frozenset()
            )
        return unit.stands_in(digests[unit.path])

    kept = {unit.id: unit for unit in units if stands(unit)}
    if commit and len(kept) < MAX_PREPARED:
        edits = history.edits_today(corpus.repo, commit, now)
        for past in history.recent(corpus.repo, commit):
            if len(kept) >= MAX_PREPARED:
                break
            chunks = _changed_in(corpus, past)
            for unit in _units(
                corpus, chunks, Event('history', past.commit, past.time), edits, MAX_PREPARED - len(kept)
            ):
                kept.setdefault(unit.id, unit)
    ordered = hot.order(list(kept.values()), now, 0)
    return tuple(ordered[:MAX_PREPARED])


def _changed_in(corpus: Corpus, past: history.Past) -> list[changed.ChangedChunk]:
    """The chunks of the current tree that a past commit left as they are now, by the lines that it touched."""
    out = []
    for path, lines in history.touched_lines(corpus.repo, past).items():
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


def _remember(
    repo: Repo, settings: Settings, commit: str, before: Manifest | None, after: Manifest, now: float
) -> None:
    """Let the memory look at the event: commit messages, and anchors whose code changed. It never fails an update."""
    from ctxkit.memory.event import on_commit

    on_commit(repo, settings, commit, changed.paths_between(before, after) if before else set(), now)


def _report(folder: Path, done: Update) -> None:
    data = asdict(done)
    data['skipped'] = [{'path': path, 'reason': reason} for path, reason in done.skipped[:MAX_SKIPPED]]
    data['skipped_files'] = len(done.skipped)
    write_whole(folder / 'status.json', json.dumps(data, indent=1) + '\n')
