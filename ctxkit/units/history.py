"""What git's history says about recent work: edits of each file today, and the last commits' files."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ctxkit import repo as git
from ctxkit.repo import Repo

SEED_COMMITS = 12


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
        commit,
        '--',
        check=False,
    )
    commits = []
    for block in git.text(out).split('\x01')[1:]:
        fields = block.split('\0')
        if len(fields) >= 4:
            paths = tuple(path for path in (field.lstrip('\n') for field in fields[4:]) if path)
            commits.append(Past(fields[0], float(fields[1] or 0), fields[3], fields[2].partition(' ')[0], paths))
    return commits


def edits_today(repo: Repo, commit: str, now: float) -> Counter[str]:
    """How many commits of the last 24 hours changed each file."""
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
        commit,
        '--',
        check=False,
    )
    return Counter(path for path in (field.strip('\n') for field in git.text(out).split('\0')) if path)


def touched_lines(repo: Repo, past: Past) -> dict[str, list[tuple[int, int]]]:
    """Path -> line ranges that the commit added or changed, counted in the commit's own version."""
    import re

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
            past.commit,
            '--',
            check=False,
        )
    )
    path = ''
    for line in diff.split('\n'):
        if line.startswith('+++ '):
            path = line[6:].rstrip('\t') if line.startswith('+++ b/') else ''
        elif line.startswith('@@') and path:
            found = re.match(r'@@ -\S+ \+(\d+)(?:,(\d+))? @@', line)
            if found and found[2] != '0':
                first = int(found[1])
                out.setdefault(path, []).append((first, first + int(found[2] or 1) - 1))
    return out
