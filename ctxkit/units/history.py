"""What git's history says about recent work: the last commits with their files, and how often a file changed today."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ctxkit import repo as git
from ctxkit.repo import Repo
from ctxkit.units import edits
from ctxkit.units.score import MANY_FILES

SEED_COMMITS = 12
MAX_PATHS = 50
MOST_MOVED = 200  # files, new and gone, that git compares with each other to know those that were moved
_HEAD = re.compile(r'\n?\x01([0-9a-f]{40,64})')
_CHANGE = re.compile(r':(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([AMDT])')
# The same for a merge (`git log -c`): a file that differs from all parents, with a mode and a blob for each parent.
_MERGED = re.compile(r'::+((?:\d{6} )+)(\d{6}) ((?:[0-9a-f]+ )+)([0-9a-f]+) [A-Z]+')
_FILE = ('100644', '100755')
_NONE = '0' * 40
_ID = re.compile('[0-9a-f]{40,64}')
MOST_REWRITTEN = 1_000  # commits that git is asked to list, newest first
_TIME = re.compile('[0-9]{1,12}')  # bounded, for a file's name can be any number of digits


class Past(NamedTuple):
    """A recent commit: its id, time (epoch seconds), subject, first parent ('' for a root) and files.

    `paths` are the files that it added or changed; `olds` the files that it changed or removed, as (path, blob before,
    blob after). A merge has no `paths`; its `olds` are the files that it resolved itself, once for each parent.
    """

    commit: str
    time: float
    subject: str
    parent: str
    paths: Sequence[str]
    olds: Sequence[tuple[str, str, str]] = ()
    merge: bool = False


def recent(repo: Repo, commit: str, now: float, skip: int = 0) -> list[Past]:
    """The last SEED_COMMITS commits up to `commit`, newest first, without merges; `skip` passes over the newest ones.

    A commit dated later than `now` (a clock was wrong) gets the time of the commit after it.
    """
    out, time = [], now
    which = (f'--max-count={SEED_COMMITS}', f'--skip={skip}', '--no-merges')
    for past in commits(repo, *which, '--end-of-options', commit):
        time = past.time if past.time <= now else time
        out.append(past._replace(time=time))
    return out


def merges(repo: Repo, commit: str, pasts: Sequence[Past]) -> list[Past]:
    """[`commit`] if it is a merge, else []; `pasts` are its `recent` commits.

    Older merges are not looked at: they would cost more than they tell.
    """
    if not commit or pasts and pasts[0].commit == commit:
        return []
    return commits(repo, '--max-count=1', '-c', '--end-of-options', commit)


def commits(repo: Repo, *what: str) -> list[Past]:
    """The commits that `git log` lists for the arguments `what`, newest first; only regular files count."""
    out = git.git(
        repo,
        'log',
        '-M100%',  # reports a file that was only moved as a rename, which the filter drops
        '--raw',
        '--no-abbrev',
        '-z',
        '--format=%x01%H%x00%ct%x00%P%x00%s%x00',
        '--diff-filter=AMDT',
        *what,
        '--',
        check=False,
    )
    # A subject may hold any byte but NUL, so a commit is recognised by its position among the fields, not by a mark:
    # its id is passed to git again and must never be something that git reads as an option.
    fields = git.text(out).split('\0')
    found: list[Past] = []
    paths: list[str] = []
    olds: list[tuple[str, str, str]] = []
    at = 0
    while at < len(fields):
        head = _HEAD.fullmatch(fields[at])
        if head and at + 3 < len(fields) and _TIME.fullmatch(fields[at + 1]):
            time, parents, subject = fields[at + 1 : at + 4]
            paths, olds = [], []
            first, _, others = parents.partition(' ')
            found.append(Past(head[1], float(time), subject, first, paths, olds, others != ''))
            at += 4
            continue
        change = _CHANGE.fullmatch(fields[at].lstrip('\n'))
        merged = _MERGED.fullmatch(fields[at].lstrip('\n'))
        if at + 1 < len(fields):
            path = fields[at + 1]
            if change:
                mode_before, mode_after, before, after, kind = change.groups()
                if kind != 'D' and (kind != 'T' or mode_after in _FILE):
                    paths.append(path)
                if kind != 'A' and mode_before in _FILE:
                    olds.append((path, before, after if mode_after in _FILE else _NONE))
            elif merged:
                modes, mode_after, before, after = merged.groups()
                for mode, blob in zip(modes.split(), before.split(), strict=True):
                    if mode in _FILE:
                        olds.append((path, blob, after if mode_after in _FILE else _NONE))
            at += bool(change or merged)
        at += 1
    return found


def moved(repo: Repo, commit: str) -> dict[str, str]:
    """Path before -> path at `commit`, of the files that the last SEED_COMMITS commits moved."""
    how = how_moved(repo)
    what = (f'--max-count={SEED_COMMITS}', '--no-merges', '--end-of-options', commit, '--')
    # All kinds of change: where git is to show some alone, it counts only the commits that have such a one, and goes on
    # to the first of all.
    out = git.git(repo, 'log', *how, '--name-status', '-z', '--format=', *what, check=False)
    fields = iter(git.text(out).split('\0'))
    last: dict[str, str] = {}
    for field in fields:  # newest first, so that what becomes of the new path is known
        before = next(fields, '')
        if field.lstrip('\n').startswith('R'):
            after = next(fields, '')
            last.setdefault(before, last.get(after, after))
    return last


def how_moved(repo: Repo) -> tuple[str, ...]:
    """How git is to know what was moved: most of a file that was moved and changed at once has not changed.

    A partial clone may lack what it was.
    """
    return ('-M100%',) if git.is_partial(repo) else ('-M', f'-l{MOST_MOVED}')


def written_since(repo: Repo, before: str, commit: str) -> frozenset[str] | None:
    """Those of the `recent` commits of `commit` that the history of `before` does not hold.

    None if `commit` descends from `before`, if `before` is '' (an unborn branch), or if git no longer has it. Empty
    after a `git reset` to an older commit: what differs then was written long ago.
    """
    if not before or not git.resolve(repo, before):  # `git gc` deletes commits that a rewrite left behind
        return None
    base = git.git(repo, 'merge-base', '--end-of-options', before, commit, check=False)
    if git.text(base).strip() == before:
        return None
    what = ('--no-merges', '--end-of-options', commit, f'^{before}', '--')
    return frozenset(git.text(git.git(repo, 'rev-list', f'--max-count={SEED_COMMITS}', *what, check=False)).split())


def rewritten(repo: Repo, commits: Collection[str], commit: str) -> frozenset[str]:
    """Those of `commits` (full ids) that the history of `commit` does not hold.

    An amend or a rebase has replaced them, and git may have deleted them (`git gc`, `git filter-repo`).
    """
    full_ids = sorted(one for one in commits if _ID.fullmatch(one))
    if not full_ids or not commit:
        return frozenset()

    def listed(how: str, *what: str) -> set[str]:
        revisions = '\n'.join(what).encode()
        return set(
            git.text(git.git(repo, 'rev-list', '--ignore-missing', how, '--stdin', data=revisions, check=False)).split()
        )

    known = listed('--no-walk', *full_ids)
    left = listed(f'--max-count={MOST_REWRITTEN}', *full_ids, f'^{commit}')
    return frozenset(one for one in full_ids if one not in known or one in left)


def edits_today(repo: Repo, commit: str, now: float) -> Counter[str]:
    """How often each file changed in the last 24 hours: commits that changed it plus saves that a watcher saw.

    A commit of more than MANY_FILES files does not count. Empty if `commit` is '' (an unborn branch).
    """
    if not commit:
        return Counter()
    out = git.git(
        repo,
        'log',
        f'--since={int(now) - 86400}',
        f'--until={int(now) + 86400}',  # not what a wrong clock dated ahead
        '--max-count=500',
        '--no-merges',
        '-M100%',  # a file that was only moved was not edited
        '--diff-filter=AM',
        '--name-only',
        '-z',
        '--format=%x01',
        '--end-of-options',
        commit,
        '--',
        check=False,
    )
    commits: Counter[str] = Counter()
    for listed in git.text(out).split('\x01\0'):
        paths = [path for path in (field.strip('\n') for field in listed.split('\0')) if path]
        if len(paths) <= MANY_FILES:
            commits.update(paths)
    return commits + edits.today(repo, now)
