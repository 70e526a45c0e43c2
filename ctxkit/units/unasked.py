"""The units without a request: what changed last. Uncommitted edits count as changed this minute."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ctxkit.repo import Change, Repo, WorkTree
from ctxkit.settings import Settings
from ctxkit.units import hot, stream
from ctxkit.units.moved import linked, moved, still_gone
from ctxkit.units.shown import Unit
from ctxkit.units.stream import REMOVED, StreamUnit

if TYPE_CHECKING:
    from ctxkit.slicing import Chunk

MAX_EDITED = 40
MAX_EDITED_UNITS = 60
# Whole files that `ctxkit init --agent` writes (agents/templates).
OURS = r'\.\w+/(?:commands?|rules|extensions|prompts)/(?:ctxkit[-./].*|(?:memory|context)\.md)'
# What it puts into AGENTS.md and its kin (agents/marked.py).
POINTER = r'(?ms)^(?:<!-- |# )ctxkit:begin .*?(?:^(?:<!-- |# )ctxkit:end\b[^\n]*(?:\n|\Z)|\Z)'


def select_unasked(
    repo: Repo, settings: Settings, tree: WorkTree, room: int, now: float, count: Callable[[str], int], paths_only: bool
) -> tuple[tuple[Unit, ...], int]:
    """(units that fit `room` tokens, how many were left out), hottest first. Indexes first if HEAD is not indexed."""
    prepared = hot.load(repo)
    if prepared is None or prepared.commit != tree.commit:
        from ctxkit.units.prepare import prepare

        prepared = prepare(repo, settings, tree.commit, now)
    units = list(prepared.units)
    if tree.changes:
        units = _with_edits(repo, settings, units, tree.changes, tree.commit, now)
    told = [unit for one in units if (unit := _without_pointer(one)) is not None]
    ordered = hot.order(told, now, settings.units.recent_minutes)
    shown, _, left = hot.select(ordered, room, count, settings.units.top_k, paths_only)
    return shown, left


def _without_pointer(unit: StreamUnit) -> StreamUnit | None:
    """The unit without the lines that ctxkit wrote into an instructions file; None if nothing else is in it."""
    if unit.path.startswith('.') and re.fullmatch(OURS, unit.path):
        return None
    if unit.kind not in ('section', 'text') or 'ctxkit:' not in unit.text:
        return unit
    text = re.sub(POINTER, '', unit.text)
    return unit._replace(text=text.rstrip()) if text.strip() else None


def _with_edits(
    repo: Repo, settings: Settings, units: Sequence[StreamUnit], changes: Sequence[Change], commit: str, now: float
) -> list[StreamUnit]:
    """The units as the work tree has them: those of edited files are taken from the edits, or go if they are gone."""
    from ctxkit.index.current import read_regular
    from ctxkit.index.scan import left_out
    from ctxkit.safety.secrets import env_values
    from ctxkit.slicing import readable
    from ctxkit.units.edited import chunks_of, committed_places, committed_source, edit_unit
    from ctxkit.units.removed import of_edits

    changed = {change.path for change in changes}
    alike = Counter(change.code == '??' for change in changes)
    edited: dict[str, list[tuple[Chunk, str]]] = {}
    sources: dict[str, bytes] = {}
    edits = [change for change in changes if not change.path.endswith('/') and not change.gone][:MAX_EDITED]
    # `git rm --cached` takes a file out of the index alone
    gone = [change.path for change in changes if change.gone and not (repo.root / change.path).is_file()][:MAX_EDITED]
    skip = left_out(repo, [change.path for change in edits], settings.slicing, edits=True)
    out = [unit for unit in units if unit.path not in changed]
    known = env_values(repo.root)
    places = committed_places(repo, commit, [*(change.path for change in edits), *gone])
    committed = {path: frozenset(place.digest for place in found) for path, found in places.items()}
    left = frozenset[str]().union(*(committed.get(path, ()) for path in gone))
    leaving = [unit for unit in units if unit.path in gone]
    # what a watcher saw being saved has its own time and count; else all edits are of now
    since = now - settings.units.keep_hours * 3600
    saved = stream.read(repo.ctx_dir / 'units.jsonl', since)
    seen = {(unit.path, unit.digest): unit for unit in saved if unit.event == 'edit'}
    for change in edits:
        source = read_regular(repo, change.path, settings.slicing.max_file_bytes)
        if source is None or change.path in skip:
            continue
        sources[change.path] = source = readable(source)
        chunks = list(chunks_of(change.path, source, settings.slicing.max_file_bytes))
        edited[change.path] = [(chunk, chunk.text(source)) for chunk, _ in chunks]
        here = frozenset(digest for _, digest in chunks)
        if change.path in committed:
            before, told_here = committed[change.path], [unit for unit in units if unit.path == change.path]
        else:  # it can have been moved here
            before, told_here = left, leaving
        standing = [unit for unit in told_here if unit.stands_in(here)]
        leaving = [unit for unit in leaving if unit not in standing]
        out += [moved(unit, chunks)._replace(path=change.path) for unit in standing]
        told = {part for unit in standing for part in unit.digest.split('-')}
        files = alike[change.code == '??']
        old = partial(committed_source, repo, commit, change.path)
        same: Counter[str] = Counter()
        for chunk, digest in chunks:
            nth = same[chunk.symbol]
            same[chunk.symbol] += 1
            if digest not in told and digest not in before and len(out) < len(units) + MAX_EDITED_UNITS:
                added = change.code == '??' and not before & here
                made = edit_unit(change.path, added, chunk, nth, digest, source, now, known, files=files, old=old)
                was = seen.get((change.path, digest))
                out.append(made._replace(time=was.time, edits_today=was.edits_today) if was else made)
    before_edits = {path: found for path, found in places.items() if path in edited or path in gone}
    after = {path: (chunks, sources[path]) for path, chunks in edited.items()}
    unread = [one.path for one in changes if not one.gone and not one.path.endswith('/') and one.path not in edited]
    broken = of_edits(repo, settings, commit, before_edits, after, unread, now, known)
    names = {chunk.symbol.rpartition('.')[2] for chunks in edited.values() for chunk, _ in chunks}
    out += [unit for unit in units if unit.path in changed and unit.change == REMOVED]
    told_now = {unit.id for unit in broken}
    out = [unit for unit in out if unit.id not in told_now and still_gone(unit, names)]
    return [linked(unit, changed, edited) for unit in (*out, *broken)]
