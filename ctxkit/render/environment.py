"""The block's `environment_snapshot`: where the work takes place, without what a person would not want in a prompt."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ctxkit import repo as git
from ctxkit.config import environment
from ctxkit.errors import CtxError
from ctxkit.places import home
from ctxkit.repo import Repo, WorkTree
from ctxkit.safety.secrets import redact
from ctxkit.safety.text import escape, printable
from ctxkit.settings import Settings

MODIFIED = 8  # files named; the others are only counted
FRAME = '<environment_snapshot>\n</environment_snapshot>\n '  # the block puts this around the lines
MANY_UNTRACKED = 20  # new files of a top folder from which on it is one entry, if nothing else in it changed
FIRST = (1, 2, 7, 5, 6, 0, 3, 4)  # branch, operation, modified files, HEAD, sparse checkout, folder, time, system
MAX_SUBJECT = 200
EARLIER = 5  # commits before HEAD
# Bots' commits say nothing about the work.
_RAISED = r'(?i)\w+\((?:deps|dependencies)[^)]*\)!?: |bump \S+ from |update dependency |\[pre-commit\.ci\]'
MAX_EARLIER = 100  # characters of an earlier commit's subject
MAX_PATH = 160


def lines(
    repo: Repo, settings: Settings, budget: int, now: float, count: Callable[[str], int], work: WorkTree | None = None
) -> list[str]:
    """The section's lines within `budget` tokens by `count`, chosen by importance.

    `work` is the work tree's snapshot if the caller already has it; otherwise it is taken here.
    """
    del settings
    if work is None:
        try:
            work = git.snapshot(repo)
        except CtxError:  # a damaged repository: what needs no git is still true
            work = WorkTree('', '', '', 0, 0, '', ())
    cwd = shortened(repo.root, home(os.environ))
    said = [
        f'cwd: {_safe(cwd, MAX_PATH)}',
        f'git_branch: {_branch(work)}',
        f'in progress: {doing}' if (doing := git.operation(repo)) else '',
        f'time: {time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))}',
        f'os: {_system()}',
        f'head: {work.commit[:12]} {_safe(work.subject, MAX_SUBJECT)}' if work.commit else '',
        'sparse checkout: a file that is not on the disk is in git (git show HEAD:PATH)' if _is_sparse(repo) else '',
    ]
    kept: dict[int, str] = {}
    left = budget - count(FRAME)

    def fits(line: str) -> bool:
        return count(escape('\n'.join([*kept.values(), line]))) <= left

    # in little room, what only git knows comes before what an agent can see for itself
    for place in FIRST:
        line = said[place] if place < len(said) else _modified(work, fits)
        if line and fits(line):
            kept[place] = line
    telling = [one for one in work.earlier if not re.match(_RAISED, one.subject)]
    for one in telling[:EARLIER]:
        line = f'earlier: {one.commit[:8]} {one.day} {_safe(one.subject, MAX_EARLIER)}'
        if not fits(line):
            break
        kept[len(FIRST) + len(kept)] = line
    return [kept[place] for place in sorted(kept)]


def shortened(path: Path, own: Path) -> str:
    """The path with the home folder `own` as `~`, so that it shows no user name."""
    for base in (own, own.resolve()):
        if base != Path(base.anchor):
            try:
                below = path.relative_to(base)
            except ValueError:
                continue
            return f'~/{below.as_posix()}' if below.parts else '~'
    return _without_user(path.as_posix())


def _without_user(path: str) -> str:
    """`path` without the user name, if it is below somebody else's home, or below another name of our own."""
    parts = path.split('/')
    for number, part in enumerate(parts[:-1]):
        if part in ('home', 'Users') and number <= 3:
            return '/'.join(['~', *parts[number + 2 :]])
    return path


def _system() -> str:
    """The system, such as `linux x64`. Importing `platform` would take 10 ms."""
    name = {'darwin': 'macos', 'win32': 'windows'}.get(sys.platform, sys.platform)
    if sys.platform == 'win32':
        variables = environment()
        machine = variables.get('PROCESSOR_ARCHITEW6432') or variables.get('PROCESSOR_ARCHITECTURE', '')
    else:
        machine = os.uname().machine
    short = {'x86_64': 'x64', 'amd64': 'x64', 'aarch64': 'arm64'}
    return f'{name} {short.get(machine.lower(), machine.lower())}'.strip()


def _is_sparse(repo: Repo) -> bool:
    """Whether git leaves out files of the commit; they are indexed nevertheless, since existing files may call them."""
    if not (repo.git_dir / 'info' / 'sparse-checkout').is_file():  # it remains after sparse checkout is switched off
        return False
    return git.git(repo, 'config', '--type=bool', 'core.sparseCheckout', check=False).strip() == b'true'


def _branch(work: WorkTree) -> str:
    """The branch with its state: `main (dirty), 2 ahead, 1 behind origin/main`."""
    said = _safe(work.branch, MAX_PATH) if work.branch else 'detached HEAD'
    if not work.commit:
        said += ' (no commit yet)'
    if work.changes:
        said += ' (dirty)'
    distance = [f'{number} {word}' for number, word in ((work.ahead, 'ahead'), (work.behind, 'behind')) if number]
    return said + (f', {", ".join(distance)} {_safe(work.upstream, MAX_PATH)}' if distance else '')


def _modified(work: WorkTree, fits: Callable[[str], bool]) -> str:
    """The first modified files, as many as fit, and how many more there are; a folder of new files is one name."""
    found = _folded(work)
    for shown in range(min(MODIFIED, len(found)), 0, -1):
        names = [_safe(path, MAX_PATH) + said for path, said, _ in found[:shown]]
        more = sum(files for _, _, files in found[shown:])
        line = 'modified: ' + ' | '.join(names) + (f' | and {more} more' if more else '')
        if fits(line):
            return line
    line = f'modified: {len(work.changes)} file{"s" if len(work.changes) > 1 else ""}'
    return line if work.changes and fits(line) else ''


def _folded(work: WorkTree) -> list[tuple[str, str, int]]:
    """Modified entries: path, a remark, and how many files it stands for. A folder with many new files and no other
    changes, such as a virtual environment, is one entry, after all others."""
    tops = Counter(change.path.partition('/')[0] for change in work.changes if '/' in change.path)
    new = Counter(
        change.path.partition('/')[0] for change in work.changes if change.code == '??' and '/' in change.path
    )
    folders = {top: files for top, files in new.items() if files >= MANY_UNTRACKED and files == tops[top]}
    found = [
        (change.path, ' (deleted)' if 'D' in change.code else '', 1)
        for change in work.changes
        if change.path.partition('/')[0] not in folders
    ]
    return [*found, *((f'{top}/', f' ({files} new files)', files) for top, files in folders.items())]


def _safe(text: str, limit: int) -> str:
    """`text` as one printable line without secrets; a long one loses its middle."""
    text = printable(redact(text))
    return text if len(text) <= limit else f'{text[: limit // 2]}…{text[-limit // 2 :]}'
