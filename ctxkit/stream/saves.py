"""Turn a saved file into units: what differs from its earlier content, within a second and without the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from ctxkit.repo import Change, Repo
from ctxkit.settings import Settings
from ctxkit.units import edits, stream
from ctxkit.units.stream import StreamUnit

MAX_UNITS = 60  # units written for saves at one moment
MAX_REMEMBERED = 2000  # files whose last saved state is kept in memory


class Saves:
    """Compares each save with the one before and with the commit."""

    def __init__(self, repo: Repo, settings: Settings) -> None:
        self._repo, self._settings = repo, settings
        # path -> content hash -> symbol: in the commit, and at the last save
        self._base: dict[str, dict[str, str]] = {}
        self._last: dict[str, dict[str, str]] = {}

    def forget(self) -> None:
        """Start anew, because the commit has changed: later saves are compared with the new one."""
        self._base.clear()
        self._last.clear()

    def process(self, changes: Sequence[Change], commit: str, now: float, gone: Sequence[str] = ()) -> list[StreamUnit]:
        """The units of files that were saved at `now`; when this returns, they are in the stream and counted.

        Code of a path in `gone` that a new file holds was only moved, and makes no unit.
        """
        from ctxkit.index.current import read_regular
        from ctxkit.index.scan import left_out
        from ctxkit.safety.secrets import env_values
        from ctxkit.units.edited import committed_source

        limit = self._settings.slicing.max_file_bytes
        paths = [change.path for change in changes]
        skip = left_out(self._repo, paths, self._settings.slicing, edits=True)
        known = env_values(self._repo.root)
        first = [path for path in paths if path not in self._last]
        if first:
            committed = self._committed(commit, [*first, *gone])
            left = {digest: symbol for path in gone for digest, symbol in committed.get(path, {}).items()}
            self._base |= {path: committed.get(path, left) for path in first}
            self._last |= {path: found for path, found in self._streamed_edits(now).items() if path in first}
        counts = edits.today(self._repo, now)
        units: dict[str, StreamUnit] = {}
        saved = []
        for change in changes:
            source = None if change.path in skip else read_regular(self._repo, change.path, limit)
            if source is None:
                self._last.pop(change.path, None)
                continue
            # Some editors empty a file before they write it: the commit's code is not new even if it was gone for a
            # moment.
            before = self._base.get(change.path, {}) | self._last.get(change.path, {})
            old = cache(partial(committed_source, self._repo, commit, change.path))
            new = self._compare(change, source, before, now, known, counts[change.path] + 1, old)
            if new:
                saved.append(change.path)
                units |= {unit.id: unit for unit in new}
        chosen = list(units.values())[:MAX_UNITS]
        if chosen:
            edits.note(self._repo, saved, now)
            guard = self._repo.data_dir / 'units.lock'
            stream.extend(self._repo.ctx_dir / 'units.jsonl', guard, chosen, now, self._settings.units.keep_hours)
        return chosen

    def _compare(
        self,
        change: Change,
        source: bytes,
        before: dict[str, str],
        now: float,
        known: frozenset[str],
        count: int,
        old: Callable[[], bytes],
    ) -> list[StreamUnit]:
        from ctxkit.index.record import is_bare_heading
        from ctxkit.slicing import readable
        from ctxkit.units.changed import cut_anew
        from ctxkit.units.edited import chunks_of, edit_unit, numbered

        source = readable(source)
        symbols = set(before.values()) - {''}
        current: dict[str, str] = {}
        out = []
        for chunk, digest, nth in numbered(chunks_of(change.path, source, self._settings.slicing.max_file_bytes)):
            current[digest] = chunk.symbol
            if digest not in before and not is_bare_heading(chunk) and not (before and cut_anew(chunk, source, old)):
                added = bool(chunk.symbol) and chunk.symbol not in symbols
                out.append(edit_unit(change.path, added, chunk, nth, digest, source, now, known, old=old, edits=count))
        self._last.pop(change.path, None)
        self._last[change.path] = current
        while len(self._last) > MAX_REMEMBERED:
            oldest = next(iter(self._last))
            self._base.pop(oldest, None)
            del self._last[oldest]
        return out

    def _streamed_edits(self, now: float) -> dict[str, dict[str, str]]:
        """Path -> content hash -> symbol of the edits in the stream, which a watcher that starts must not repeat."""
        out: dict[str, dict[str, str]] = {}
        for unit in stream.read(self._repo.ctx_dir / 'units.jsonl', now - self._settings.units.keep_hours * 3600):
            if unit.event == 'edit':
                out.setdefault(unit.path, {})[unit.digest] = unit.symbol
        return out

    def _committed(self, commit: str, paths: Sequence[str]) -> dict[str, dict[str, str]]:
        """Path -> content hash -> symbol of the commit's chunks, sliced anew, so that no index is needed."""
        from ctxkit.repo import blobs, tree
        from ctxkit.slicing import readable
        from ctxkit.units.edited import chunks_of

        found = tree(self._repo, commit, paths) if commit and paths else []
        out = {}
        for entry, (_, content) in zip(found, blobs(self._repo, [entry.blob for entry in found]), strict=True):
            limit = self._settings.slicing.max_file_bytes
            if content is not None and len(content) <= limit:
                sliced = chunks_of(entry.path, readable(content), limit)
                out[entry.path] = {digest: chunk.symbol for chunk, digest in sliced}
        return out
