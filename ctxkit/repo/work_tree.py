"""How the work tree differs from HEAD, and where HEAD stands."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ctxkit.repo.run import Repo, branch, git, resolve, started, text

# `worktree /path/to/it`, then `HEAD 1234...` or `bare`; the path may contain line breaks
_LISTED = re.compile(r'^worktree (.*?)\n(?:HEAD [0-9a-f]{40,64}|bare)$', re.MULTILINE | re.DOTALL)
LAST = 24  # commits whose subjects are read
_ALL_CHANGES = ('-z', '--untracked-files=all', '--ignore-submodules=all', '--no-renames')


class Change(NamedTuple):
    """A path of `git status`: `code` is git's two letters ('??' if untracked), with a 'D' in them for a deletion."""

    code: str
    path: str

    @property
    def gone(self) -> bool:
        """Whether the work tree no longer holds the path."""
        return self.code == 'D ' or self.code[1:] == 'D'


def status(repo: Repo, paths: Sequence[str] = ()) -> list[Change]:
    """The differences between HEAD, index and work tree, with untracked files, without submodules and .ctx; with
    `paths`, only in those."""
    fields = git(repo, 'status', '--porcelain=v1', *_ALL_CHANGES, '--', *paths).split(b'\0')
    changes = [Change(text(item[:2]), text(item[3:])) for item in fields if item]
    return [change for change in changes if change.path.split('/', 1)[0] != '.ctx']


def worktrees(repo: Repo) -> list[Path]:
    """The work trees of the repository, the main one first, including those whose folder is gone."""
    listed = text(git(repo, 'worktree', 'list', '--porcelain', '-z', check=False))
    roots = [field.removeprefix('worktree ') for field in listed.split('\0') if field.startswith('worktree ')]
    if not listed:  # git before 2.36 does not know -z
        roots = _LISTED.findall(text(git(repo, 'worktree', 'list', '--porcelain', check=False)))
    main, *others = [Path(root) for root in roots] or [repo.root]
    if repo.git_dir == repo.common_dir:
        main = repo.root
    elif main == repo.common_dir:  # git names the git dir of a submodule, or of one that lies elsewhere
        setting = git(repo, 'config', '-z', '--file', str(main / 'config'), 'core.worktree', check=False).rstrip(b'\0')
        main = Path(os.path.normpath(main / text(setting))) if setting else main
    return [main, *others]


def not_checked_out(repo: Repo, paths: Iterable[str]) -> set[str]:
    """Those of `paths` that a sparse checkout leaves out of the work tree, found without a git process.

    A deleted file looks the same here, so pass only paths that `status` does not report.
    """
    if not (repo.git_dir / 'info' / 'sparse-checkout').is_file():  # it remains after all is checked out again
        return set()
    return {path for path in paths if not os.path.lexists(repo.root / path)}


class Earlier(NamedTuple):
    """A commit before HEAD: its id, the day it was made (`2026-11-30`), and its subject."""

    commit: str
    day: str
    subject: str


class WorkTree(NamedTuple):
    """What git says about a work tree at one moment. `branch` is '' when detached, `commit` '' when unborn.

    `ahead` and `behind` count commits against `upstream`; both are 0 where there is no upstream (''). `earlier` are the
    last commits before HEAD, newest first, merges left out.
    """

    commit: str
    branch: str
    upstream: str
    ahead: int
    behind: int
    subject: str
    changes: tuple[Change, ...]
    earlier: tuple[Earlier, ...] = ()


def snapshot(repo: Repo) -> WorkTree:
    """Commit, branch, distance to upstream, last subjects and `status`, from two git processes that run in parallel."""
    log = started(repo, 'log', f'-{LAST}', '--format=%x00%H%x00%cs%x00%P%x00%s', 'HEAD', '--')
    try:
        records = b'' if repo.bare else git(repo, 'status', '--porcelain=v2', '--branch', *_ALL_CHANGES)
    finally:
        subject, earlier = _subjects(text(log.communicate()[0]))
    if repo.bare:
        return WorkTree(resolve(repo), branch(repo), '', 0, 0, subject, (), earlier)
    return _parse_status(records)._replace(subject=subject, earlier=earlier)


def _subjects(log: str) -> tuple[str, tuple[Earlier, ...]]:
    """HEAD's subject and the commits before it, from the output of `git log`: four fields a commit, none with a NUL."""
    fields = [field.strip() for field in log.split('\0')[1:]]
    commits = list(zip(*(fields[first::4] for first in range(4)), strict=False))
    earlier = [Earlier(commit, day, subject) for commit, day, parents, subject in commits[1:] if ' ' not in parents]
    return commits[0][3] if commits else '', tuple(earlier)


def _parse_status(records: bytes) -> WorkTree:
    """Parse `git status --porcelain=v2 --branch -z`, which has a '.' where the first porcelain format has a blank."""
    head: dict[str, str] = {}
    changes = []
    for record in text(records).split('\0'):
        kind = record[:1]
        if kind == '#':
            _, name, value = record.split(' ', 2)
            head[name] = value
        elif kind in ('1', 'u'):
            path = record.split(' ', 8 if kind == '1' else 10)[-1]
            changes.append(Change(record[2:4].replace('.', ' '), path))
        elif kind == '?':
            changes.append(Change('??', record[2:]))
    commit, name = head.get('branch.oid', ''), head.get('branch.head', '')
    ahead, _, behind = head.get('branch.ab', '+0 -0').partition(' ')
    return WorkTree(
        commit='' if commit == '(initial)' else commit,
        branch='' if name == '(detached)' else name,
        upstream=head.get('branch.upstream', ''),
        ahead=int(ahead),
        behind=abs(int(behind)),
        subject='',
        changes=tuple(change for change in changes if not change.path.startswith('.ctx/')),
    )
