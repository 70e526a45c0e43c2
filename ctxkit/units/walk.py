"""The last commits of a tree's history, and the chunks of the tree that each of them changed last."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import is_bare_heading
from ctxkit.units import changed, history, hunks
from ctxkit.units.score import MANY_FILES
from ctxkit.units.stream import StreamUnit

FURTHEST = 48  # commits from HEAD that are looked at if the last ones changed little
LARGEST_SWEEP = 500  # files; a larger sweep is not searched for what was worked on
SOME_FILES = 200  # files looked at of a larger one, such as a shallow clone's only commit: 6,000 took 3 s an event
MOST_PLACES = 50_000  # chunks in the files of a commit that are looked at: those of 250 generated files took 1.3 GB
# A sweep changes at most FEW_LINES in most files; those with TIMES_MORE times as many, up to FEW_FILES, were worked on.
FEW_LINES = 3
FEW_FILES = 5
TIMES_MORE = 3


class Walk:
    """The last commits, newest first, with the chunks of the tree in which lines of each commit still stand.

    Each commit is looked at once, when it is first needed.
    """

    def __init__(self, corpus: Corpus, commit: str, now: float, asked: Sequence[history.Past] = ()) -> None:
        """`asked` are commits to look at that need not be among the last ones."""
        self._corpus, self._commit, self._now, self._asked = corpus, commit, now, asked
        self._older: list[history.Past] = []  # the portion of commits that `older` found last
        self._lines: dict[str, dict[str, list[tuple[int, int]]]] = {}
        self._chunks: dict[str, list[changed.ChangedChunk]] = {}
        self._named: dict[str, list[int]] = {}  # path -> the lines that name its chunks

    @cached_property
    def pasts(self) -> list[history.Past]:
        """The last commits, newest first; none on an unborn branch."""
        return history.recent(self._corpus.repo, self._commit, self._now) if self._commit else []

    def older(self) -> Iterator[history.Past]:
        """The commits before `pasts`, looked up in portions, up to FURTHEST in all."""
        repo, size = self._corpus.repo, history.SEED_COMMITS
        for skip in range(size, FURTHEST, size) if len(self.pasts) == size else ():
            found = self._older = history.recent(repo, self._commit, self._now, skip)
            yield from found
            if len(found) < size:
                return

    @cached_property
    def _blobs(self) -> dict[str, str]:
        return {item.path: item.blob for item in self._corpus.manifest.files}

    @cached_property
    def _moved(self) -> dict[str, str]:
        return history.moved(self._corpus.repo, self._commit) if self._commit else {}

    def now(self, path: str) -> str:
        """The path in this tree of a file that the last commits moved; the same where none of them did."""
        return path if path in self._blobs else self._moved.get(path, path)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return {item.path: item.chunks for item in self._corpus.manifest.files}

    def chunks(self, past: history.Past) -> list[changed.ChangedChunk]:
        """The chunks in which lines of that commit stand; of an even sample of its files if it has very many."""
        if past.commit not in self._lines:
            self._look_at(past)
        if past.commit not in self._chunks:
            self._chunks[past.commit] = _changed_at(self._corpus, self._lines[past.commit])
        return self._chunks[past.commit]

    def _look_at(self, past: history.Past) -> None:
        """Ask git for the lines of a commit; for a small one, in one call with the small ones after it."""
        looked_up, some = [past], tuple[str, ...]()
        if self._is_small(past):
            portion = next(each for each in (self._asked, self.pasts, self._older) if past in each)
            portion = portion[portion.index(past) :][: history.SEED_COMMITS]  # later ones may not be needed
            looked_up = [one for one in portion if one.commit not in self._lines and self._is_small(one)]
        elif (step := self._step(past)) > 1:
            some = tuple(past.paths[::step])
        self._lines |= hunks.touched_lines(self._corpus.repo, looked_up, self._commit, self._blobs, some, self.now)

    def _is_small(self, past: history.Past) -> bool:
        return len(past.paths) <= MANY_FILES and self._step(past) == 1

    def _step(self, past: history.Past) -> int:
        """n, if only every n-th file of a commit is looked at; 1 for all."""
        count, places = len(past.paths), sum(self._sizes.get(path, 0) for path in past.paths)
        return max(-(-count // SOME_FILES) if count > LARGEST_SWEEP else 1, -(-places // MOST_PLACES), 1)

    def worked_on(self, past: history.Past) -> list[changed.ChangedChunk]:
        """The chunks of the few files of a sweep that were worked on: many lines changed, while most files have few."""
        if len(past.paths) > LARGEST_SWEEP:
            return []
        self.chunks(past)
        lines = self._lines[past.commit]
        sizes = {path: sum(map(_size, ranges)) for path, ranges in lines.items()}
        typical = sorted(sizes.values())[len(sizes) // 2] if sizes else 0
        outliers = {path for path, size in sizes.items() if size >= max(FEW_LINES, typical) * TIMES_MORE}
        if typical > FEW_LINES or len(outliers) > FEW_FILES:
            return []
        return _changed_at(
            self._corpus, {path: [one for one in lines[path] if _size(one) > typical] for path in sorted(outliers)}
        )

    def began(self, commit: str, one: changed.ChangedChunk) -> bool:
        """Whether `commit` wrote the line that names a chunk; `chunks` must have been called for it before."""
        if one.path not in self._named:
            self._named[one.path] = [place.line for _, place in self._corpus.in_file(one.path)]
        line = self._named[one.path][one.number]
        return any(first <= line <= last for first, last in self._lines[commit].get(one.path, ()))

    def maker(self, path: str, numbers: Collection[int]) -> str:
        """The newest of the last commits that changed one of the chunks `numbers` of `path`; '' if none of them did."""
        made = ((past.commit, self.chunks(past)) for past in self.pasts)
        return next(
            (id for id, chunks in made if any(one.path == path and one.number in numbers for one in chunks)), ''
        )

    def rewritten(self, units: Sequence[StreamUnit]) -> frozenset[str]:
        """The commits that units name and that are no longer part of the history."""
        named = {unit.commit for unit in units} - {past.commit for past in self.pasts}
        return history.rewritten(self._corpus.repo, named, self._commit)

    def fresh(self, past: history.Past, path: str) -> frozenset[str]:
        """The lines of a file that `past` wrote, stripped; `chunks` must have been called for it before."""
        return changed.lines_at(self._corpus.source(path), self._lines[past.commit].get(path, ()))


def _size(lines: tuple[int, int]) -> int:
    """How many lines a range has; the place of deleted lines counts as one."""
    return max(lines[1] - lines[0] + 1, 1)


def _changed_at(corpus: Corpus, touched: Mapping[str, Sequence[tuple[int, int]]]) -> list[changed.ChangedChunk]:
    """The chunks of the current tree that `touched` (path -> line ranges) is about, without bare headings."""
    out = []
    for path, lines in touched.items():
        places = [place for _, place in corpus.in_file(path)]
        numbers = changed.chunks_at_lines(places, corpus.source(path), lines)
        out += [
            changed.ChangedChunk(path, number, 'changed') for number in numbers if not is_bare_heading(places[number])
        ]
    return list(dict.fromkeys(out))
