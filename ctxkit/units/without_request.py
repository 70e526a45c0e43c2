"""Select the units without a request: what changed last. Uncommitted edits count as changed now."""

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
# Settings that hold only what `ctxkit init --agent` writes, and what agents add to them by themselves.
OUR_SETTINGS = (
    r'(?:[\s{}\[\],]|"\w+":\s*(?=[{\[])|"(?:version|timeout\w*)":\s*\d+|"\$\w+":\s*(?:"[^"]*"|\d+)'
    r'|"type":\s*"command"|"matcher":\s*"[\w|]*"|(?:"command":\s*)?"(?:ctxkit [^"\\]*|\.ctx/context\.xml)"'
    r'|… \d+ lines …)+'
)
# The lines that it puts into AGENTS.md and its kin (agents/marked.py).
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
    units = as_edited(repo, settings, prepared.units, tree, now)
    return shown_of(units, settings, room, now, count, paths_only)


def as_edited(
    repo: Repo, settings: Settings, units: Sequence[StreamUnit], tree: WorkTree, now: float
) -> Sequence[StreamUnit]:
    """The units of a commit as the work tree has them, with those of its uncommitted edits."""
    return _with_edits(repo, settings, units, tree.changes, tree.commit, now) if tree.changes else units


def shown_of(
    units: Sequence[StreamUnit],
    settings: Settings,
    room: int,
    now: float,
    count: Callable[[str], int],
    paths_only: bool,
) -> tuple[tuple[Unit, ...], int]:
    """(those of the units that fit `room` tokens, how many were left out), hottest first."""
    shown_units = [unit for one in units if (unit := _without_pointer(one)) is not None]
    ordered = hot.order(shown_units, now, settings.units.recent_minutes)
    shown, _, left = hot.select(ordered, room, count, settings.units.top_k, paths_only)
    return shown, left


def is_ours(path: str) -> bool:
    """Whether `path` is a file that ctxkit itself writes for an agent, and so not code of this repository."""
    return path.startswith('.') and re.fullmatch(OURS, path) is not None


def _without_pointer(unit: StreamUnit) -> StreamUnit | None:
    """The unit without what ctxkit wrote for an agent into it; None if nothing else is in it.

    Lines between ctxkit's marks are taken out of instructions files; settings files are dropped whole or kept whole.
    """
    if is_ours(unit.path) or '"' in unit.text and 'ctx' in unit.text and re.fullmatch(OUR_SETTINGS, unit.text):
        return None
    if unit.kind not in ('section', 'text') or 'ctxkit:' not in unit.text:
        return unit
    text = re.sub(POINTER, '', unit.text)
    return unit._replace(text=text.rstrip()) if text.strip() else None


def _with_edits(
    repo: Repo, settings: Settings, units: Sequence[StreamUnit], changes: Sequence[Change], commit: str, now: float
) -> list[StreamUnit]:
    """The units as the work tree has them: those of edited files come from the edits, or go with a removed file."""
    from ctxkit.index.record import is_bare_heading
    from ctxkit.safety.secrets import env_values
    from ctxkit.units.changed import WINDOWS, cut_anew
    from ctxkit.units.edited import committed_source, edit_unit, names_made, numbered, read_edits
    from ctxkit.units.removed import of_edits

    changed = {change.path for change in changes}
    alike = Counter(change.code == '??' for change in changes)
    untracked = {change.path for change in changes if change.code == '??'}
    new = untracked.union(change.path for change in changes if 'A' in change.code)
    edits, unread = read_edits(repo, settings, commit, changes)
    gone = [edit for edit in edits if edit.source is None]
    out = [unit for unit in units if unit.path not in changed]
    known = env_values(repo.root)
    digests_gone = frozenset(place.digest for edit in gone for place in edit.before or ())
    leaving = [unit for unit in units if any(unit.path == edit.path for edit in gone)]
    # an edit that a watcher saw being saved keeps its time and count; any other counts as made now
    since = now - settings.units.keep_hours * 3600
    saved = stream.read(repo.ctx_dir / 'units.jsonl', since)
    seen = {(unit.path, unit.digest): unit for unit in saved if unit.event == 'edit'}
    for edit in edits:
        if edit.source is None:
            continue
        digests = frozenset(digest for _, digest in edit.chunks)
        if edit.before is not None:
            before = frozenset(place.digest for place in edit.before)
            units_before = [unit for unit in units if unit.path == edit.path]
        else:  # a new file can have been moved here
            before, units_before = digests_gone, leaving
        standing = [unit for unit in units_before if unit.stands_in(digests)]
        leaving = [unit for unit in leaving if unit not in standing]
        out += [moved(unit, edit.chunks)._replace(path=edit.path) for unit in standing]
        covered = {part for unit in standing for part in unit.digest.split('-')}
        arrived = edit.path in new and not before & digests
        names_before = {place.symbol for place in edit.before or ()}
        files = alike[edit.path in untracked]
        old = cache(partial(committed_source, repo, commit, edit.path))
        windows = sum(chunk.kind in WINDOWS and digest not in before for chunk, digest in edit.chunks)
        for chunk, digest, nth in numbered(edit.chunks):
            if digest in covered or digest in before or is_bare_heading(chunk):
                continue
            if edit.before is not None and windows > 1 and cut_anew(chunk, edit.source, old):
                continue
            if len(out) < len(units) + MAX_EDITED_UNITS:
                added = arrived or edit.before is not None and chunk.symbol != '' and chunk.symbol not in names_before
                made = edit_unit(edit.path, added, chunk, nth, digest, edit.source, now, known, files=files, old=old)
                saved_as = seen.get((edit.path, digest))
                out.append(made._replace(time=saved_as.time, edits_today=saved_as.edits_today) if saved_as else made)
    broken = of_edits(repo, settings, commit, edits, unread, now, known)
    names = names_made(edits)
    out += [unit for unit in units if unit.path in changed and unit.change == REMOVED]
    ids_now = {unit.id for unit in broken}
    out = [unit for unit in out if unit.id not in ids_now and still_gone(unit, names)]
    by_path = {edit.path: edit for edit in edits}
    return [linked(unit, changed, by_path) for unit in (*out, *broken)]
