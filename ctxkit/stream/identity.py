"""The project that a clone belongs to: the same for every clone and work tree of it, wherever they are."""

from __future__ import annotations

import re

from ctxkit import repo as git
from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder, write_whole
from ctxkit.settings import Settings

ROOT_DIGITS = 12


def project(repo: Repo, settings: Settings) -> str:
    """The project as `name:root`, where root is the first commit's id cut to 12 digits; or `stream.project` if set.

    The root is stored in the git common dir, so that the history is walked only once. Raises CtxError for a shallow
    clone and for a repository without commits: neither knows its root.
    """
    if settings.stream.project:
        return _plain(settings.stream.project)
    remembered = repo.data_dir / 'project'
    try:
        known = remembered.read_text('ascii').strip()
        if re.fullmatch(r'[a-z0-9._-]+:[0-9a-f]+', known):
            return known
    except (OSError, UnicodeDecodeError):
        pass
    made = f'{_name(repo)}:{_root(repo)[:ROOT_DIGITS]}'
    try:
        data_folder(repo.data_dir)
        write_whole(remembered, made + '\n')
    except CtxError:
        pass  # a worker may have only read access to its clones
    return made


def _root(repo: Repo) -> str:
    """The first commit of the main line: the remote's default branch, so that an orphan branch changes nothing."""
    if (repo.common_dir / 'shallow').exists():
        raise CtxError(
            'a shallow clone does not know its first commit', 'set stream.project, or run git fetch --unshallow'
        )
    start = 'refs/remotes/origin/HEAD' if git.resolve(repo, 'refs/remotes/origin/HEAD') else 'HEAD'
    found = git.text(git.git(repo, 'rev-list', '--max-parents=0', '--first-parent', start, '--', check=False)).split()
    if not found:
        raise CtxError(
            'the repository has no commits, so it has no identity yet', 'make a commit, or set stream.project'
        )
    return found[-1]


def _name(repo: Repo) -> str:
    """The last part of the remote's address, else of the folder; a fork has its parent's."""
    address = git.text(git.git(repo, 'config', '--get', 'remote.origin.url', check=False)).strip()
    folder = repo.common_dir.parent if repo.common_dir.name == '.git' else repo.common_dir
    parts = [part for part in re.split(r'[/\\:]', address or str(folder)) if part not in ('', '.git')]
    return _plain(parts[-1] if parts else 'project')


def _plain(name: str) -> str:
    return re.sub(r'[^a-z0-9._:-]+', '-', name.lower().removesuffix('.git')).strip('-') or 'project'
