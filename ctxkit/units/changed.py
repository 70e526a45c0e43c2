"""Which chunks an event changed: the records of two versions of a file, compared by content."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import NamedTuple

from ctxkit.index.manifest import Manifest, Tracked
from ctxkit.index.record import DEFAULT_MAX_BYTES, Place, innermost, load_places, make
from ctxkit.index.store import Store
from ctxkit.repo import Repo, blobs
from ctxkit.slicing import Chunk, readable
from ctxkit.slicing.chunk import line_ends
from ctxkit.units.headings import bare
from ctxkit.units.score import kind_rank

WINDOWS = frozenset(('text', 'section', 'module'))  # what is long is cut somewhere, and not where a definition begins
MOST_GONE = 200  # files that are looked at for where a moved one comes from


class ChangedChunk(NamedTuple):
    """A chunk of the new version that the old one does not have as it is. `change` is 'added' or 'modified'."""

    path: str
    number: int
    change: str


def compare(path: str, old: Sequence[Place], new: Sequence[Place]) -> list[ChangedChunk]:
    """The chunks of `new` whose text `old` does not hold; moved text has not changed.

    What has no name (imports, paragraphs) is modified where `old` has such a chunk too.
    """
    digests = {place.digest for place in old}
    symbols = {place.symbol for place in old}
    return [
        ChangedChunk(path, number, 'modified' if place.symbol in symbols else 'added')
        for number, place in enumerate(new)
        if place.digest not in digests and not bare(place)
    ]


def between(repo: Repo, store: Store, before: Manifest, after: Manifest, limit: int) -> list[ChangedChunk]:
    """What changed from one manifest to the next, in path order, at most a few times `limit` chunks.

    A file that was only moved has not changed; of one that was moved and changed, what the old file did not hold.
    """
    old = {item.path: item for item in before.files}
    there = {item.path for item in after.files}
    gone = {item.blob: item for item in before.files if item.path not in there}
    left = cache(lambda: [load_places(store.places(item.file)) for item in list(gone.values())[:MOST_GONE]])
    out: list[ChangedChunk] = []
    windows: dict[str, tuple[str, str, list[Place]]] = {}  # path -> blobs before and after, places
    for item in after.files:
        was = old.get(item.path)
        if was is None and item.blob in gone:
            continue
        if was is None or was.file != item.file:
            places = load_places(store.places(item.file))
            earlier = _earlier(repo, store, was) if was else _moved_from(places, left())
            found = compare(item.path, earlier, places)
            if was and sum(places[one.number].kind in WINDOWS for one in found) > 1:
                windows[item.path] = was.blob, item.blob, places
            out += found
            if len(out) > 4 * limit:
                break
    return _without_windows(repo, out, windows)


def cut_anew(chunk: Place | Chunk, source: bytes, old: Callable[[], bytes]) -> bool:
    """Whether a part of a long text or table only begins or ends elsewhere than in the `old` version, which holds all
    of it: a line that is put in above moves the borders of all that follow."""
    return chunk.kind in WINDOWS and source[chunk.start_byte : chunk.end_byte].strip() in old()


def _without_windows(
    repo: Repo, found: list[ChangedChunk], windows: dict[str, tuple[str, str, list[Place]]]
) -> list[ChangedChunk]:
    """Changed chunks without those that were only cut anew."""
    blob_of = {blob for before, after, _ in windows.values() for blob in (before, after)}
    sources = {blob: readable(content or b'') for blob, content in blobs(repo, sorted(blob_of))} if blob_of else {}
    out = []
    for one in found:
        before, after, places = windows.get(one.path, ('', '', []))
        if not before or not cut_anew(places[one.number], sources[after], partial(sources.__getitem__, before)):
            out.append(one)
    return out


def _moved_from(places: Sequence[Place], gone: Sequence[list[Place]]) -> list[Place]:
    """The places of the file that is gone and has become this new one: at least half of them stand in it."""
    here = {place.digest for place in places}

    def shared(old: list[Place]) -> int:
        return sum(place.digest in here for place in old)

    best = max(gone, key=shared, default=[])
    return best if 2 * shared(best) >= len(best) else []


def touched(places: Sequence[Place], source: bytes, lines: Iterable[tuple[int, int]]) -> list[int]:
    """The chunks, by number, of whose own text or documentation the lines are; inner ones without those around them.

    An empty range (n + 1, n) is the place of deleted lines; in no chunk's own text, it is of what is around it.
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
    """The lines of `new` that `old` does not hold, stripped; where lines only went, those around the first place.

    No line where there is no old version: then all is new.
    """
    if not old:
        return frozenset()
    was, now = ([line.strip() for line in text.decode('utf-8', 'replace').split('\n')] for text in (old, new))
    found = frozenset(now) - set(was)
    if found:
        return found
    place = next((at for at, (before, after) in enumerate(zip(was, now, strict=False)) if before != after), len(now))
    return frozenset(now[max(place - 1, 0) : place + 1])


def lines_at(source: bytes, ranges: Iterable[tuple[int, int]]) -> frozenset[str]:
    """The lines of line ranges, stripped; of an empty range (n + 1, n) the lines n and n + 1."""
    lines = [line.strip() for line in source.decode('utf-8', 'replace').split('\n')]
    return frozenset(line for first, last in ranges for line in lines[max(min(first, last) - 1, 0) : max(first, last)])


def _earlier(repo: Repo, store: Store, was: Tracked) -> list[Place]:
    """The places of a file as it was; sliced again where the index was deleted meanwhile."""
    stored = store.places(was.file)
    if not stored:
        content = dict(blobs(repo, [was.blob]))[was.blob]
        stored = make(was.path, content, DEFAULT_MAX_BYTES).record.places if content else b''
    return load_places(stored)


def paths_between(before: Manifest, after: Manifest) -> set[str]:
    """Paths that were added, changed or removed."""
    old = {(item.path, item.file) for item in before.files}
    new = {(item.path, item.file) for item in after.files}
    return {path for path, _ in old ^ new}


def ranked(chunks: Iterable[tuple[ChangedChunk, Place]], limit: int) -> list[tuple[ChangedChunk, Place]]:
    """Functions first, then classes, then the rest; each file in turn, so that a large one hides no other; `limit`."""
    order = sorted(chunks, key=lambda pair: (kind_rank(pair[1].kind, pair[0].path), pair[0].path, pair[1].start_line))
    turns: Counter[tuple[int, str]] = Counter()
    numbered = []
    for pair in order:
        of_file = kind_rank(pair[1].kind, pair[0].path), pair[0].path
        numbered.append((of_file[0], turns[of_file], pair))
        turns[of_file] += 1
    return [pair for _, _, pair in sorted(numbered, key=lambda item: item[:2])][:limit]
