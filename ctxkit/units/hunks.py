"""Find the lines that past commits changed, and where they stand now."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit import repo as git
from ctxkit.index.diff import HEAD, file_named
from ctxkit.repo import Repo
from ctxkit.units.history import MAX_PATHS, Past, how_moved

MOST_TOGETHER = 60  # files above which several commits are no longer compared by one git process
_ID = re.compile(b'[0-9a-f]{40,64}\n')
_NOTHING, _SUBMODULE = '000000', '160000'  # modes of entries without a blob in this repository


def touched_lines(
    repo: Repo,
    pasts: Sequence[Past],
    commit: str,
    blobs: Mapping[str, str],
    only: Sequence[str] = (),
    now: Callable[[str], str] = str,
) -> dict[str, dict[str, list[tuple[int, int]]]]:
    """Id of a past commit -> path -> the line ranges that it added or changed and that still stand in `commit`.

    Ranges have the line numbers of `commit`. Where lines were only removed, the range is empty: (n + 1, n) is the place
    between lines n and n + 1. `blobs` maps the paths of `commit` to blobs: a file that is still as the past commit left
    it needs no second diff. A partial clone may lack what git needs to compare; then all lines of each file count.
    `only` limits the search to some paths. `now` gives the path in `commit` of a file that was moved since.
    """
    if not git.is_partial(repo):
        try:
            return _touched_lines(repo, pasts, commit, blobs, only, now)
        except _UnreadableError:
            pass
    # One at a time, for git stops at a missing object, without comparing the commits after it.
    return {id: out for past in pasts for id, out in _touched_lines(repo, [past], commit, blobs, only, now).items()}


class _UnreadableError(Exception):
    """git could not read everything that it should compare."""


def _touched_lines(
    repo: Repo,
    pasts: Sequence[Past],
    commit: str,
    blobs: Mapping[str, str],
    only: Sequence[str],
    now: Callable[[str], str],
) -> dict[str, dict[str, list[tuple[int, int]]]]:
    """What `touched_lines` returns, with all commits compared at once. Raises _UnreadableError if git stopped early."""
    touched: list[dict[str, tuple[list[tuple[int, int]], bool, str]]] = [{} for _ in pasts]
    seen: set[int] = set()
    for number, path, blob, hunks in _hunks(repo, [past.commit for past in pasts], only, '--root', '--diff-filter=AMR'):
        seen.add(number)
        lines = [(hunk.new, hunk.new + hunk.added - 1) if hunk.added else (hunk.new + 1, hunk.new) for hunk in hunks]
        here = now(path)
        if here in blobs and lines:
            touched[number][here] = lines, blob == blobs[here], path
    changed_later = [
        [path for here, (_, same, was) in files.items() if not same for path in {here: 0, was: 0}][:MAX_PATHS]
        for files in touched
    ]
    later = _hunks_up_to(repo, pasts, commit, changed_later)
    out: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for number, (past, files, moved) in enumerate(zip(pasts, touched, later, strict=True)):
        standing = {
            path: lines if same else follow(lines, moved[path])
            for path, (lines, same, _) in files.items()
            if same or path in moved
        }
        unseen = {now(path): [(1, 1_000_000)] for path in past.paths[:MAX_PATHS]}
        out[past.commit] = {path: lines for path, lines in standing.items() if lines} if number in seen else unseen
    return out


def _hunks_up_to(
    repo: Repo, pasts: Sequence[Past], commit: str, paths: Sequence[Sequence[str]]
) -> list[dict[str, list[Hunk]]]:
    """For each past commit: path -> hunks from it to `commit`, for its `paths` (and perhaps some of other commits).

    One git process compares several commits as long as they have few files, for it compares all of them for each.
    """
    out: list[dict[str, list[Hunk]]] = [{} for _ in pasts]
    numbers: list[int] = []
    for number, own_paths in enumerate(paths):
        if own_paths:
            numbers.append(number)
        all_paths = sorted({path for one in numbers for path in paths[one]})
        if numbers and (len(all_paths) > MOST_TOGETHER or number == len(paths) - 1):
            pairs = [f'{commit} {pasts[one].commit}' for one in numbers]
            # A file that git takes for a new one was moved and changed so much that nothing is known of its lines.
            for pair, path, _, hunks in _hunks(repo, pairs, all_paths, '--diff-filter=MR'):
                out[numbers[pair]][path] = hunks
            numbers = []
    return out


class Hunk(NamedTuple):
    """`removed` lines from line `old` on became `added` lines from line `new` on.

    If a count is 0, its line is the one before the place, as in `git diff -U0`.
    """

    old: int
    removed: int
    new: int
    added: int


def follow(ranges: Iterable[tuple[int, int]], hunks: Sequence[Hunk]) -> list[tuple[int, int]]:
    """Where line ranges of a file are after a change: lines below a hunk move, lines that it changed are left out.

    An empty range is the place between two lines; it is left out if both were changed.
    """
    out = []
    for first, last in ranges:
        if first > last:
            line = _place_below(last, hunks)
            out += [(line + 1, line)] if line is not None else []
            continue
        at, shift = first, 0
        for hunk in hunks:
            start = hunk.old if hunk.removed else hunk.old + 1
            end = start + hunk.removed
            if end > at:
                if start > last:
                    break
                if start > at:
                    out.append((at + shift, start - 1 + shift))
                at = end
            shift += hunk.added - hunk.removed
        if at <= last:
            out.append((at + shift, last + shift))
    return out


def _place_below(line: int, hunks: Sequence[Hunk]) -> int | None:
    """Where the place below `line` is after a change, as the line above it; None if both neighbours were changed."""
    shift = 0
    for hunk in hunks:
        start = hunk.old if hunk.removed else hunk.old + 1
        if start > line:
            break
        if start + hunk.removed > line + 1:
            return None
        shift += hunk.added - hunk.removed
    return line + shift


def _hunks(
    repo: Repo, compared: Sequence[str], paths: Sequence[str], *options: str
) -> Iterator[tuple[int, str, str, list[Hunk]]]:
    """(index in `compared`, path, blob of the new version, hunks in order) of each file that differs.

    Each of `compared` is a commit (compared with its first parent) or a commit and an older one. The diff is read while
    git writes it: that of a shallow clone's only commit holds the whole tree.
    """
    partial = git.is_partial(repo)
    revisions = '\n'.join(compared).encode() + b'\n'
    what = ('--stdin', '--always', *options, '--', *paths)
    if partial and not _comparable(repo, revisions, what):
        return
    process = git.started(
        repo,
        *('diff-tree', '-r', '-p', '-U0', '--full-index', *how_moved(repo)),
        *('--no-color', '--no-ext-diff', '--no-textconv', *what),
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    number, path, blob, hunks, inside = -1, '', '', list[Hunk](), 0
    with process, process.stdout as diff:
        with process.stdin as ids:
            ids.write(revisions)  # so few that they fit into the pipe before git reads them
        for line in diff:
            if inside and line[:1] in (b'+', b'-'):  # counted, for a changed line can look like a header
                inside -= 1
            elif line.startswith(b'diff --git ') or _ID.fullmatch(line):
                if path and hunks:
                    yield number, path, blob, hunks
                path, blob, hunks, inside = '', '', [], 0
                number += not line.startswith(b'diff')
            elif line.startswith(b'index '):
                blob = git.text(line[6:].partition(b'..')[2].split()[0])
            elif line.startswith(b'+++ '):
                path = file_named(git.text(line[4:]).removesuffix('\n'), 'bciow')
            elif line.startswith(b'@@ ') and (found := HEAD.match(git.text(line))):
                old, removed, new, added = (int(one or 1) for one in found.groups())
                hunks.append(Hunk(old, removed, new, added))
                inside = removed + added
    if path and hunks:
        yield number, path, blob, hunks
    if process.returncode and len(compared) > 1:
        raise _UnreadableError


def _comparable(repo: Repo, revisions: bytes, what: Sequence[str]) -> bool:
    """Whether a partial clone holds all blobs that a diff compares."""
    out = git.git(repo, 'diff-tree', '-r', '--raw', '--no-abbrev', '-M100%', *what, data=revisions, check=False)
    compared = set()
    for line in out.split(b'\n'):
        if not line.startswith(b':'):
            continue
        fields = git.text(line).partition('\t')[0].lstrip(':').split()
        sides = zip(fields[:2], fields[2:4], strict=False)
        compared |= {name for mode, name in sides if mode not in (_NOTHING, _SUBMODULE)}
    return len(git.present(repo, compared)) == len(compared)
