"""Find the chunks that an event changed, by comparing the content of two versions of each file."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import NamedTuple

from ctxkit.index.manifest import Manifest, Tracked
from ctxkit.index.record import DEFAULT_MAX_BYTES, Place, innermost, is_bare_heading, load_places, make
from ctxkit.index.store import Store
from ctxkit.repo import Repo, blobs
from ctxkit.slicing import Chunk, readable
from ctxkit.slicing.chunk import line_ends
from ctxkit.units.score import kind_rank

WINDOWS = frozenset(('text', 'section', 'module'))  # kinds that are cut by length, not where a definition begins
MOST_GONE = 200  # removed files that are compared with a new one to find where it was moved from


class ChangedChunk(NamedTuple):
    """The chunk with index `number` in its file; `change` is 'added' or 'modified' for a comparison of versions."""

    path: str
    number: int
    change: str


def changed_chunks(path: str, old: Sequence[Place], new: Sequence[Place]) -> list[ChangedChunk]:
    """The chunks of `new` whose text `old` does not hold; text that only moved has not changed.

    A chunk without a name (imports, paragraphs) is 'modified' if `old` has a nameless chunk too.
    """
    digests = {place.digest for place in old}
    symbols = {place.symbol for place in old}
    return [
        ChangedChunk(path, number, 'modified' if place.symbol in symbols else 'added')
        for number, place in enumerate(new)
        if place.digest not in digests and not is_bare_heading(place)
    ]


def chunks_between(repo: Repo, store: Store, before: Manifest, after: Manifest, limit: int) -> list[ChangedChunk]:
    """What changed from manifest `before` to `after`, in path order; stops at the file that exceeds 4 x `limit` chunks.

    A file that was only moved has not changed. Of a file that was moved and edited, the chunks that are new count.
    """
    old = {item.path: item for item in before.files}
    paths_after = {item.path for item in after.files}
    gone = {item.blob: item for item in before.files if item.path not in paths_after}
    gone_places = cache(lambda: [load_places(store.places(item.file)) for item in list(gone.values())[:MOST_GONE]])
    out: list[ChangedChunk] = []
    windows: dict[str, tuple[str, str, list[Place]]] = {}  # path -> blobs before and after, places
    for item in after.files:
        previous = old.get(item.path)
        if previous is None and item.blob in gone:
            continue
        if previous is None or previous.file != item.file:
            places = load_places(store.places(item.file))
            earlier = _previous_places(repo, store, previous) if previous else _moved_from(places, gone_places())
            found = changed_chunks(item.path, earlier, places)
            if previous and sum(places[one.number].kind in WINDOWS for one in found) > 1:
                windows[item.path] = previous.blob, item.blob, places
            out += found
            if len(out) > 4 * limit:
                break
    return _without_windows(repo, out, windows)


def cut_anew(chunk: Place | Chunk, source: bytes, old: Callable[[], bytes]) -> bool:
    """Whether the text of a window stands in the `old` version and was only cut at other lines.

    A line inserted above moves the borders of every window below it.
    """
    return chunk.kind in WINDOWS and source[chunk.start_byte : chunk.end_byte].strip() in old()


def _without_windows(
    repo: Repo, found: list[ChangedChunk], windows: dict[str, tuple[str, str, list[Place]]]
) -> list[ChangedChunk]:
    """`found` without the chunks that were only cut anew; `windows` maps a path to (old blob, new blob, places)."""
    blob_of = {blob for before, after, _ in windows.values() for blob in (before, after)}
    sources = {blob: readable(content or b'') for blob, content in blobs(repo, sorted(blob_of))} if blob_of else {}
    out = []
    for one in found:
        before, after, places = windows.get(one.path, ('', '', []))
        if not before or not cut_anew(places[one.number], sources[after], partial(sources.__getitem__, before)):
            out.append(one)
    return out


def _moved_from(places: Sequence[Place], gone: Sequence[list[Place]]) -> list[Place]:
    """The places of the removed file that became this new one; [] unless at least half of them stand in it."""
    digests = {place.digest for place in places}

    def shared(old: list[Place]) -> int:
        return sum(place.digest in digests for place in old)

    best = max(gone, key=shared, default=[])
    return best if 2 * shared(best) >= len(best) else []


def chunks_at_lines(places: Sequence[Place], source: bytes, lines: Iterable[tuple[int, int]]) -> list[int]:
    """Numbers of the chunks whose own text or documentation the `lines` are in, without the chunks around those.

    An empty range (n + 1, n) is the place of deleted lines; if no chunk owns it, the innermost chunk around it counts.
    """
    ends = line_ends(source)
    own = []
    for number, place in enumerate(places):
        for start, end in (*place.ranges, (place.doc_start, place.doc_end)):
            if start < end:
                own.append((bisect_right(ends, start) + 1, bisect_right(ends, end - 1) + 1, number))
    out: list[int] = []
    for first, last in lines:
        found = list(dict.fromkeys(number for begin, stop, number in own if begin <= last and stop >= first))
        around = {places[number].parent for number in found}
        named = [number for number in found if places[number].kind != 'module' and number not in around]
        out += named or found[:1] or (innermost(places, first, last) if first > last else [])
    return out


def new_lines(old: bytes, new: bytes) -> frozenset[str]:
    """The lines of `new` that `old` does not hold, stripped; if lines were only removed, those around the first gap.

    Empty if there is no old version: then everything is new.
    """
    if not old:
        return frozenset()
    before, after = ([line.strip() for line in text.decode('utf-8', 'replace').split('\n')] for text in (old, new))
    found = frozenset(after) - set(before)
    if found:
        return found
    place = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(after))
    return frozenset(after[max(place - 1, 0) : place + 1])


def lines_at(source: bytes, ranges: Iterable[tuple[int, int]]) -> frozenset[str]:
    """The lines of `source` in `ranges`, stripped; an empty range (n + 1, n) gives lines n and n + 1."""
    lines = [line.strip() for line in source.decode('utf-8', 'replace').split('\n')]
    return frozenset(line for first, last in ranges for line in lines[max(min(first, last) - 1, 0) : max(first, last)])


def _previous_places(repo: Repo, store: Store, previous: Tracked) -> list[Place]:
    """The places of a file's previous version; it is sliced again if the index was deleted meanwhile."""
    stored = store.places(previous.file)
    if not stored:
        content = dict(blobs(repo, [previous.blob]))[previous.blob]
        stored = make(previous.path, content, DEFAULT_MAX_BYTES).record.places if content else b''
    return load_places(stored)


def paths_between(before: Manifest, after: Manifest) -> set[str]:
    """Paths that were added, changed or removed from manifest `before` to `after`."""
    old = {(item.path, item.file) for item in before.files}
    new = {(item.path, item.file) for item in after.files}
    return {path for path, _ in old ^ new}


def ranked(chunks: Iterable[tuple[ChangedChunk, Place]], limit: int) -> list[tuple[ChangedChunk, Place]]:
    """The first `limit` chunks: functions, classes, the rest; each file in turn, so that a large one hides no other."""
    order = sorted(chunks, key=lambda pair: (kind_rank(pair[1].kind, pair[0].path), pair[0].path, pair[1].start_line))
    turns: Counter[tuple[int, str]] = Counter()
    numbered = []
    for pair in order:
        of_file = kind_rank(pair[1].kind, pair[0].path), pair[0].path
        numbered.append((of_file[0], turns[of_file], pair))
        turns[of_file] += 1
    return [pair for _, _, pair in sorted(numbered, key=lambda item: item[:2])][:limit]
