"""The units without a request: what changed last. Uncommitted edits come first, since they are what is being done."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from ctxkit import tokens
from ctxkit.config import Settings
from ctxkit.render.block import Unit
from ctxkit.repo import Change, Repo, WorkTree
from ctxkit.safety.secrets import env_values, redact
from ctxkit.slicing import Chunk, slice_file
from ctxkit.units import hot
from ctxkit.units.stream import StreamUnit
from ctxkit.units.unit import MAX_TOKENS, SHORT_TOKENS, shortened

MAX_EDITED = 40
MAX_EDITED_UNITS = 60


def select_unasked(
    repo: Repo, settings: Settings, tree: WorkTree, room: int, now: float, count: Callable[[str], int], paths_only: bool
) -> tuple[tuple[Unit, ...], int]:
    """(units that fit `room` tokens, how many were left out), hottest first. Indexes first if HEAD is not indexed."""
    prepared = hot.load(repo)
    if prepared is None or prepared.commit != tree.commit:
        from ctxkit.pipeline import prepare

        prepared = prepare(repo, settings, tree.commit, now)
    units = list(prepared.units)
    if tree.changes:
        units = _with_edits(repo, settings, units, tree.changes, tree.commit, now)
    ordered = hot.order(units, now, settings.units.recent_minutes)
    shown, _, left = hot.select(ordered, room, count, settings.units.top_k, paths_only)
    return shown, left


def _with_edits(
    repo: Repo, settings: Settings, units: Sequence[StreamUnit], changes: Sequence[Change], commit: str, now: float
) -> list[StreamUnit]:
    """The units as the work tree has them: those of edited files are taken from the edits, or go if they are gone."""
    from ctxkit.index.current import read_regular
    from ctxkit.index.scan import left_out

    changed = {change.path for change in changes}
    edits = [change for change in changes if not change.path.endswith('/')][:MAX_EDITED]
    skip = left_out(repo, [change.path for change in edits], settings.slicing, edits=True)
    out = [unit for unit in units if unit.path not in changed]
    known = env_values(repo.root)
    committed = _committed_digests(repo, commit, [change.path for change in edits])
    for change in edits:
        source = read_regular(repo, change.path, settings.slicing.max_file_bytes)
        if source is None or change.path in skip:
            continue
        before = committed.get(change.path, frozenset())
        standing = {unit.digest: unit for unit in units if unit.path == change.path}
        for chunk, digest in _chunks(change.path, source, settings.slicing.max_file_bytes):
            if digest in standing:
                out.append(standing.pop(digest))
            elif digest not in before and len(out) < len(units) + MAX_EDITED_UNITS:
                out.append(_edit_unit(change, chunk, digest, source, now, known))
    return out


def _chunks(path: str, source: bytes, max_bytes: int) -> Iterator[tuple[Chunk, str]]:
    for chunk in slice_file(path, source, max_bytes).chunks:
        digest = hashlib.blake2b(digest_size=8)
        for start, end in chunk.spans or ((chunk.start_byte, chunk.end_byte),):
            digest.update(source[start:end])
        yield chunk, digest.hexdigest()


def _committed_digests(repo: Repo, commit: str, paths: Sequence[str]) -> dict[str, frozenset[str]]:
    """Path -> content hashes of the chunks that the commit holds there, from the index."""
    from ctxkit.index import manifest as manifests
    from ctxkit.index.record import load_places
    from ctxkit.index.store import Store

    manifest = manifests.load(repo)
    if manifest is None or manifest.commit != commit:
        return {}
    files = {item.path: item.file for item in manifest.files if item.path in set(paths)}
    with Store(repo.data_dir) as store:
        return {
            path: frozenset(place.digest for place in load_places(store.places(file) or b'[]'))
            for path, file in files.items()
        }


def _edit_unit(
    change: Change, chunk: Chunk, digest: str, source: bytes, now: float, known: frozenset[str]
) -> StreamUnit:
    text = redact(chunk.text(source), known)
    if tokens.count(text) > MAX_TOKENS:
        text = shortened(text, SHORT_TOKENS)
    identity = hashlib.blake2b(
        f'{change.path}\0{chunk.symbol or chunk.start_line}'.encode('utf-8', 'surrogateescape'), digest_size=8
    ).hexdigest()
    return StreamUnit(
        identity,
        now,
        'edit',
        '',
        change.path,
        chunk.symbol,
        chunk.kind,
        chunk.start_line,
        chunk.end_line,
        'added' if change.code == '??' else 'edited',
        digest,
        1,
        tokens.count(text),
        redact(chunk.signature(source), known),
        text,
    )
