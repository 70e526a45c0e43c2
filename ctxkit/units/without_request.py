"""The units without a request: what changed last. Uncommitted edits count as changed this minute."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial

from ctxkit.index.repair import repairing
from ctxkit.repo import Change, Repo, WorkTree
from ctxkit.settings import Settings
from ctxkit.units import hot, stream
from ctxkit.units.moved import linked, moved, still_gone
from ctxkit.units.shown import Unit
from ctxkit.units.stream import REMOVED, StreamUnit

MAX_EDITED_UNITS = 60
# Whole files that `ctxkit init --agent` writes (agents/templates).
OURS = r'\.\w+/(?:commands?|rules|extensions|prompts)/(?:ctxkit[-./].*|(?:memory|context)\.md)'
# A file of settings that holds what it writes and nothing else (and what agents note there of their own accord).
OUR_SETTINGS = (
    r'(?:[\s{}\[\],]|"\w+":\s*(?=[{\[])|"(?:version|timeout\w*)":\s*\d+|"\$\w+":\s*(?:"[^"]*"|\d+)'
    r'|"type":\s*"command"|"matcher":\s*"[\w|]*"|(?:"command":\s*)?"(?:ctxkit [^"\\]*|\.ctx/context\.xml)")+'
)
# What it puts into AGENTS.md and its kin (agents/marked.py).
POINTER = r'(?ms)^(?:<!-- |# )ctxkit:begin .*?(?:^(?:<!-- |# )ctxkit:end\b[^\n]*(?:\n|\Z)|\Z)'


@repairing
def select_without_request(
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


def is_ours(path: str) -> bool:
    """Whether a path is of a whole file that ctxkit writes for an agent: it is nobody's code here."""
    return path.startswith('.') and re.fullmatch(OURS, path) is not None


def _without_pointer(unit: StreamUnit) -> StreamUnit | None:
    """The unit without the lines that ctxkit wrote into an instructions file; None if nothing else is in it, or in a
    file of settings."""
    if is_ours(unit.path) or '"' in unit.text and 'ctx' in unit.text and re.fullmatch(OUR_SETTINGS, unit.text):
        return None
    if unit.kind not in ('section', 'text') or 'ctxkit:' not in unit.text:
        return unit
    text = re.sub(POINTER, '', unit.text)
    return unit._replace(text=text.rstrip()) if text.strip() else None


def _with_edits(
    repo: Repo, settings: Settings, units: Sequence[StreamUnit], changes: Sequence[Change], commit: str, now: float
) -> list[StreamUnit]:
    """The units as the work tree has them: those of edited files are taken from the edits, or go if they are gone."""
    from ctxkit.safety.secrets import env_values
    from ctxkit.units.changed import WINDOWS, cut_anew
    from ctxkit.units.edited import committed_source, edit_unit, names_made, numbered, read_edits
    from ctxkit.units.headings import bare
    from ctxkit.units.removed import of_edits

    changed = {change.path for change in changes}
    alike = Counter(change.code == '??' for change in changes)
    untracked = {change.path for change in changes if change.code == '??'}
    new = untracked.union(change.path for change in changes if 'A' in change.code)
    edits, unread = read_edits(repo, settings, commit, changes)
    gone = [edit for edit in edits if edit.source is None]
    out = [unit for unit in units if unit.path not in changed]
    known = env_values(repo.root)
    left = frozenset(place.digest for edit in gone for place in edit.before or ())
    leaving = [unit for unit in units if any(unit.path == edit.path for edit in gone)]
    # what a watcher saw being saved has its own time and count; else all edits are of now
    since = now - settings.units.keep_hours * 3600
    saved = stream.read(repo.ctx_dir / 'units.jsonl', since)
    seen = {(unit.path, unit.digest): unit for unit in saved if unit.event == 'edit'}
    for edit in edits:
        if edit.source is None:
            continue
        here = frozenset(digest for _, digest in edit.chunks)
        if edit.before is not None:
            before = frozenset(place.digest for place in edit.before)
            told_here = [unit for unit in units if unit.path == edit.path]
        else:  # it can have been moved here
            before, told_here = left, leaving
        standing = [unit for unit in told_here if unit.stands_in(here)]
        leaving = [unit for unit in leaving if unit not in standing]
        out += [moved(unit, edit.chunks)._replace(path=edit.path) for unit in standing]
        told = {part for unit in standing for part in unit.digest.split('-')}
        arrived = edit.path in new and not before & here
        names_before = {place.symbol for place in edit.before or ()}
        files = alike[edit.path in untracked]
        old = cache(partial(committed_source, repo, commit, edit.path))
        windows = sum(chunk.kind in WINDOWS and digest not in before for chunk, digest in edit.chunks)
        for chunk, digest, nth in numbered(edit.chunks):
            if digest in told or digest in before or bare(chunk):
                continue
            if edit.before is not None and windows > 1 and cut_anew(chunk, edit.source, old):
                continue
            if len(out) < len(units) + MAX_EDITED_UNITS:
                added = arrived or edit.before is not None and chunk.symbol != '' and chunk.symbol not in names_before
                made = edit_unit(edit.path, added, chunk, nth, digest, edit.source, now, known, files=files, old=old)
                was = seen.get((edit.path, digest))
                out.append(made._replace(time=was.time, edits_today=was.edits_today) if was else made)
    broken = of_edits(repo, settings, commit, edits, unread, now, known)
    names = names_made(edits)
    out += [unit for unit in units if unit.path in changed and unit.change == REMOVED]
    told_now = {unit.id for unit in broken}
    out = [unit for unit in out if unit.id not in told_now and still_gone(unit, names)]
    by_path = {edit.path: edit for edit in edits}
    return [linked(unit, changed, by_path) for unit in (*out, *broken)]
