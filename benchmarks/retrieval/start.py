"""What the block without a request holds of what is worked on next.

    python -m benchmarks.retrieval.start CLONE... [--commits 4] [--busy 1] [--room 4600]

Of each clone, commits of its first-parent history are taken by a fixed seed, after days with at least `--busy` commits.
The block is that of half an hour after the commit; a function is wanted if one of the next three commits changes it.
The index is kept in a temporary folder; the clones are only read.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.retrieval.corpora import corpus_of
from ctxkit import repo as git
from ctxkit import tokens
from ctxkit.index.corpus import Corpus
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units import history, hot, prepare
from ctxkit.units.walk import Walk

NEXT = 3
DAY = 86_400
LATER = 1_800  # seconds between the commit and the block
MOST_FILES = 30  # that the next commits may change: more is a sweep
HUNK = re.compile(r'@@ -(\d+)(?:,(\d+))? ')


class State(NamedTuple):
    """A commit, its time, and the third commit after it."""

    commit: str
    time: float
    later: str


class Held(NamedTuple):
    """Shares of what is wanted: files named, functions shown; and of the commit's own functions, those shown."""

    files: float
    functions: float
    own: float | None


def states(clone: Path, busy: int, count: int) -> list[State]:
    """`count` commits of a clone after days with at least `busy` commits, by a fixed seed."""
    what = ('log', '--first-parent', '--max-count=3000', '--format=%H %ct')
    log = [line.split() for line in git.text(git.git(git.find(clone), *what)).splitlines()][::-1]
    found = []
    for at in range(30, len(log) - NEXT):
        now = int(log[at][1])
        today = sum(now - DAY < int(time) <= now for _, time in log[max(at - 100, 0) : at + 1])
        if today >= busy:
            found.append(State(log[at][0], now, log[at + NEXT][0]))
    random.Random(5).shuffle(found)
    return found[:count]


def wanted(clone: Path, corpus: Corpus, state: State) -> tuple[set[str], set[tuple[str, int, int]]]:
    """(files, functions as path and lines) of the state's tree that the next commits change."""
    what = ('diff', '-U0', '--no-renames', '--no-ext-diff', '--no-color', state.commit, state.later)
    files, functions, path = set(), set(), ''
    for line in git.text(git.git(git.find(clone), *what)).split('\n'):
        if line.startswith('--- '):
            path = line[6:].rstrip('\t') if line.startswith('--- a/') else ''
        elif (hunk := HUNK.match(line)) and corpus.file(path):
            files.add(path)
            first, count = int(hunk[1]), int(hunk[2] or 1)
            last = first + max(count, 1) - 1
            for _, place in corpus.in_file(path):
                if place.kind in FUNCTIONS and place.start_line <= last and place.end_line >= first + (count == 0):
                    functions.add((path, place.start_line, place.end_line))
    return files, functions


def measured(clone: Path, index: Path, state: State, room: int) -> Held | None:
    """What the block of a state holds; None where nothing is wanted or too much."""
    with corpus_of(clone, state.commit, index) as corpus:
        files, functions = wanted(clone, corpus, state)
        if not functions or len(files) > MOST_FILES:
            return None
        now = state.time + LATER
        edits = history.edits_today(corpus.repo, state.commit, now)
        units = prepare.of_tree(corpus, (), Walk(corpus, state.commit, now), now, edits)
        shown, _, _ = hot.select(hot.order(units, now, 5), room, tokens.count, 7)
    code = [unit for unit in shown if unit.level == 'code']

    def whole(path: str, first: int, last: int) -> bool:
        return any(unit.path == path and unit.start_line <= first and unit.end_line >= last for unit in code)

    own = [unit for unit in units if unit.commit == state.commit and unit.kind in FUNCTIONS and unit.text]
    return Held(
        len(files & {unit.path for unit in shown}) / len(files),
        fmean(whole(*place) for place in functions),
        fmean(whole(unit.path, unit.start_line, unit.end_line) for unit in own) if own else None,
    )


def all_of(clones: list[Path], busy: int, count: int, room: int) -> Iterator[Held]:
    """What the blocks of all clones hold."""
    with tempfile.TemporaryDirectory() as folder:
        for number, clone in enumerate(clones):
            for state in states(clone, busy, count):
                if held := measured(clone, Path(folder, str(number)), state, room):
                    yield held


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--commits', type=int, default=4)
    parser.add_argument('--busy', type=int, default=1)
    parser.add_argument('--room', type=int, default=4600)
    given = parser.parse_args()
    held = list(all_of(given.clones, given.busy, given.commits, given.room))
    own = [one.own for one in held if one.own is not None]
    if not own:
        parser.error('no commit of these clones can be judged')
    print(f'{len(held)} commits; of what the next {NEXT} change:')
    files, functions = fmean(one.files for one in held), fmean(one.functions for one in held)
    print(f'files named {files:.3f}, functions shown {functions:.3f}')
    print(f"of the last commit's own functions, shown: {fmean(own):.3f}")


if __name__ == '__main__':
    main()
