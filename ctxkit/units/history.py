"""What git's history says about recent work: edits of each file today, and the last commits' files."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from ctxkit import repo as git
from ctxkit.repo import Repo
from ctxkit.units import edits

SEED_COMMITS = 12
MAX_PATHS = 50
_HEAD = re.compile(r'\n?\x01([0-9a-f]{40,64})')


class Past(NamedTuple):
    """A commit of the recent past: its id, time (epoch seconds), subject, first parent ('' for a root), files."""

    commit: str
    time: float
    subject: str
    parent: str
    paths: tuple[str, ...]


def recent(repo: Repo, commit: str, count: int = SEED_COMMITS) -> list[Past]:
    """The last `count` commits before and with `commit`, newest first; merges are left out."""
    out = git.git(
        repo,
        'log',
        f'--max-count={count}',
        '--no-merges',
        '--no-renames',
        '--name-only',
        '-z',
        '--format=%x01%H%x00%ct%x00%P%x00%s%x00',
        '--diff-filter=AM',
        '--end-of-options',
        commit,
        '--',
        check=False,
    )
    # A subject may hold any byte but NUL, so a commit is known by its place among the fields, not by a mark in them:
    # what is taken for an id is given to git again, and must not be able to be an option.
    fields = git.text(out).split('\0')
    commits: list[Past] = []
    at = 0
    while at < len(fields):
        head = _HEAD.fullmatch(fields[at])
        if head and at + 3 < len(fields) and fields[at + 1].isdigit():
            time, parents, subject = fields[at + 1 : at + 4]
            commits.append(Past(head[1], float(time), subject, parents.partition(' ')[0], ()))
            at += 4
            continue
        path = fields[at].lstrip('\n')
        if path and commits:
            commits[-1] = commits[-1]._replace(paths=(*commits[-1].paths, path))
        at += 1
    return commits


def edits_today(repo: Repo, commit: str, now: float) -> Counter[str]:
    """How often each file changed in the last 24 hours: commits that changed it, and saves that a watcher saw."""
    out = git.git(
        repo,
        'log',
        f'--since={int(now) - 86400}',
        '--max-count=500',
        '--no-merges',
        '--no-renames',
        '--name-only',
        '-z',
        '--format=',
        '--end-of-options',
        commit,
        '--',
        check=False,
    )
    commits = Counter(path for path in (field.strip('\n') for field in git.text(out).split('\0')) if path)
    return commits + edits.today(repo, now)


def touched_lines(repo: Repo, past: Past) -> dict[str, list[tuple[int, int]]]:
    """Path -> line ranges that the commit added or changed, counted in the commit's own version.

    A partial clone may lack what git needs to compare; then each file counts as changed somewhere.
    """
    out: dict[str, list[tuple[int, int]]] = {}
    diff = git.text(
        git.git(
            repo,
            'diff-tree',
            '-r',
            '--root',
            '--no-commit-id',
            '-p',
            '-U0',
            '--no-renames',
            '--no-color',
            '--no-ext-diff',
            '--no-textconv',
            '--diff-filter=AM',
            '--end-of-options',
            past.commit,
            '--',
            check=False,
        )
    )
    path = ''
    for line in diff.split('\n'):
        if line.startswith('+++ '):
            path = _new_path(line[4:])
        elif line.startswith('@@') and path:
            found = re.match(r'@@ -\S+ \+(\d+)(?:,(\d+))? @@', line)
            if found and found[2] != '0':
                first = int(found[1])
                out.setdefault(path, []).append((first, first + int(found[2] or 1) - 1))
    return out if diff else {path: [(1, 1_000_000)] for path in past.paths[:MAX_PATHS]}


_ESCAPES = {'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}


def _new_path(shown: str) -> str:
    """The path behind `+++ ` in a diff; git quotes it where it holds a quote, a backslash or a control character."""
    if shown.startswith('"'):
        shown = re.sub(
            r'\\([0-7]{3}|.)',
            lambda found: _ESCAPES.get(found[1], chr(int(found[1], 8)) if len(found[1]) == 3 else found[1]),
            shown[1:].rstrip('\t').removesuffix('"'),
        )
    return shown[2:].removesuffix('\t') if shown.startswith('b/') else ''
