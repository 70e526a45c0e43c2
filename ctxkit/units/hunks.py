"""Which lines a past commit changed, and where they stand now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit import repo as git
from ctxkit.index.diff import HEAD, file_named
from ctxkit.repo import Repo
from ctxkit.units.history import MAX_PATHS, Past

MOST_MOVED = 200  # files, new and gone, that git compares with each other to know those that were moved
_NOTHING, _SUBMODULE = '000000', '160000'  # modes of what has no content here


def touched_lines(
    repo: Repo, past: Past, commit: str, blobs: Mapping[str, str], only: Sequence[str] = ()
) -> dict[str, list[tuple[int, int]]]:
    """Path -> line ranges that the past commit added or changed, as far as they stand in `commit`, counted there.

    Where it only took lines away, the range is empty: (n + 1, n) is the place between lines n and n + 1.
    `blobs` are the files of `commit`: one that is still as the past commit left it needs no second look. A partial
    clone may lack what git needs to compare; then each file counts as changed somewhere. `only` names a few files.
    """
    files = list(_hunks(repo, '--root', '--diff-filter=AMR', '--end-of-options', past.commit, '--', *only))
    if not files:
        return {path: [(1, 1_000_000)] for path in past.paths[:MAX_PATHS]}
    out = {}
    for path, blob, hunks in files:
        lines = [(hunk.new, hunk.new + hunk.added - 1) if hunk.added else (hunk.new + 1, hunk.new) for hunk in hunks]
        if path in blobs and lines:
            out[path] = lines, blob == blobs[path]
    later = [path for path, (_, same) in out.items() if not same][:MAX_PATHS]
    moved = (
        {path: hunks for path, _, hunks in _hunks(repo, '--end-of-options', past.commit, commit, '--', *later)}
        if later
        else {}
    )
    standing = {
        path: lines if same else follow(lines, moved[path])
        for path, (lines, same) in out.items()
        if same or path in moved
    }
    return {path: lines for path, lines in standing.items() if lines}


class Hunk(NamedTuple):
    """`removed` lines from `old` on became `added` lines from `new` on; where none was removed, they follow `old`."""

    old: int
    removed: int
    new: int
    added: int


def follow(ranges: Iterable[tuple[int, int]], hunks: Sequence[Hunk]) -> list[tuple[int, int]]:
    """Where line ranges of a file are after a change: what stood below moves, what was changed itself is left out.

    An empty range is the place between two lines; it is left out where both were changed.
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
    """The line below which is what was below `line` before a change; None if the lines on both sides were changed."""
    shift = 0
    for hunk in hunks:
        start = hunk.old if hunk.removed else hunk.old + 1
        if start > line:
            break
        if start + hunk.removed > line + 1:
            return None
        shift += hunk.added - hunk.removed
    return line + shift


def _hunks(repo: Repo, *what: str) -> Iterator[tuple[str, str, list[Hunk]]]:
    """(path, blob of the new version, hunks in order) of each file in a diff, which is read as git writes it: that of a
    shallow clone's only commit holds the whole tree."""
    partial = git.is_partial(repo)
    if partial and not _comparable(repo, what):
        return
    # most of a file that was moved and changed at once has not changed; a partial clone may lack what it was
    moved = ('-M100%',) if partial else ('-M', f'-l{MOST_MOVED}')
    process = git.started(
        repo,
        *('diff-tree', '-r', '--no-commit-id', '-p', '-U0', '--full-index', *moved),
        *('--no-color', '--no-ext-diff', '--no-textconv', *what),
    )
    assert process.stdout is not None
    path, blob, hunks, inside = '', '', list[Hunk](), 0
    with process, process.stdout as diff:
        for line in diff:
            if inside and line[:1] in (b'+', b'-'):  # a changed line can look like a head
                inside -= 1
            elif line.startswith(b'diff --git '):
                if path and hunks:
                    yield path, blob, hunks
                path, blob, hunks, inside = '', '', [], 0
            elif line.startswith(b'index '):
                blob = git.text(line[6:].partition(b'..')[2].split()[0])
            elif line.startswith(b'+++ '):
                path = file_named(git.text(line[4:]).removesuffix('\n'), 'bciow')
            elif line.startswith(b'@@ ') and (found := HEAD.match(git.text(line))):
                old, removed, new, added = (int(one or 1) for one in found.groups())
                hunks.append(Hunk(old, removed, new, added))
                inside = removed + added
    if path and hunks:
        yield path, blob, hunks


def _comparable(repo: Repo, what: Sequence[str]) -> bool:
    """Whether a partial clone holds all that a diff compares."""
    out = git.git(repo, 'diff-tree', '-r', '--no-commit-id', '--raw', '--no-abbrev', '-M100%', *what, check=False)
    compared = set()
    for line in out.split(b'\n'):
        fields = git.text(line).partition('\t')[0].lstrip(':').split()
        sides = zip(fields[:2], fields[2:4], strict=False)
        compared |= {name for mode, name in sides if mode not in (_NOTHING, _SUBMODULE)}
    return len(git.present(repo, compared)) == len(compared)
