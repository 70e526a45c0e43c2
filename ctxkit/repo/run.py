"""Run git, and read what it says of HEAD and commits: argument lists, no locks taken, nothing of the repository run."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ctxkit import places
from ctxkit.errors import CtxError
from ctxkit.safety.children import NO_WINDOW

# A hostile clone must not choose a program (fsmonitor, hooks, external diff, textconv) or a bare repository inside a
# checkout, and a person's own settings must not change what is read. `--no-optional-locks` keeps a killed reader from
# leaving index.lock behind.
_SETTINGS = (
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'safe.bareRepository=explicit',
    'core.quotePath=false',
    'submodule.recurse=false',
    'diff.external=',
    'log.showSignature=false',
    'log.showRoot=true',
    'i18n.logOutputEncoding=UTF-8',
    'protocol.allow=never',
    'color.ui=false',
)
SAFE = ('--no-optional-locks', '--literal-pathspecs', *(part for one in _SETTINGS for part in ('-c', one)))
REGULAR = ('100644', '100755')


class TreeEntry(NamedTuple):
    """A regular file of a tree: git's blob id and the file's path."""

    blob: str
    path: str


class Repo(NamedTuple):
    """A repository as seen from one work tree: paths are relative to `root`; all work trees share `common_dir`."""

    root: Path
    git_dir: Path
    common_dir: Path
    bare: bool = False

    @property
    def ctx_dir(self) -> Path:
        """The folder of this work tree's artefacts."""
        return self.root / '.ctx'

    def tree_file(self, suffix: str) -> Path:
        """The path of a file of the index about this work tree: below `trees`, with a name of its own and `suffix`."""
        root = os.path.normcase(self.root)  # on Windows a drive's letter comes in both cases
        name = hashlib.blake2b(root.encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()
        return self.data_dir / 'trees' / (name + suffix)

    @property
    def data_dir(self) -> Path:
        """ctxkit's own folder in the git common dir: index, leases, logs. Safe to delete."""
        return places.data_dir(self.common_dir)


def clean_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without the GIT_* variables that a hook exports (they would point at another repository).

    GIT_CONFIG_* and the system switches stay, since a person may have set them on purpose (`safe.directory` in a
    container); what `git -c` gave to one command does not. Lazy fetching is off: ctxkit must not make a partial clone
    use the network.
    """
    keep = (
        'GIT_CONFIG_GLOBAL',
        'GIT_CONFIG_SYSTEM',
        'GIT_CONFIG_NOSYSTEM',
        'GIT_CONFIG_COUNT',
        'GIT_SSL_CAINFO',
        'GIT_EXEC_PATH',
        'GIT_CEILING_DIRECTORIES',
        'GIT_DISCOVERY_ACROSS_FILESYSTEM',
    )
    cleaned = {
        name: value
        for name, value in environ.items()
        if not name.startswith('GIT_') or name in keep or name.startswith(('GIT_CONFIG_KEY_', 'GIT_CONFIG_VALUE_'))
    }
    cleaned.update(GIT_NO_LAZY_FETCH='1', GIT_TERMINAL_PROMPT='0', LC_ALL='C', GIT_PAGER='cat')
    return cleaned


@lru_cache(maxsize=1)
def program() -> str:
    """The git to run. On Windows it is looked up here, because starting `git` would try the current folder first."""
    if os.name != 'nt':
        return 'git'
    for folder in os.environ.get('PATH', '').split(os.pathsep):
        for name in ('git.exe', 'git.cmd'):
            if os.path.isabs(folder) and os.path.isfile(os.path.join(folder, name)):
                return os.path.join(folder, name)
    return 'git.exe'


def git(
    repo: Repo | Path,
    *args: str,
    data: bytes | None = None,
    check: bool = True,
    literal: bool = True,
    index: str = '',
) -> bytes:
    """Run git and return its standard output as bytes. Raises CtxError with git's own last line on failure.

    `literal=False` is for check-ignore, which does not know literal pathspecs. `index` names a file to use in place of
    the work tree's own index.
    """
    cwd = repo if isinstance(repo, Path) else repo.root
    where = () if isinstance(repo, Path) else _where(repo)
    command = [program(), *(option for option in SAFE if literal or option != '--literal-pathspecs'), *where, *args]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            input=data,
            capture_output=True,
            env=clean_environ(os.environ) | ({'GIT_INDEX_FILE': index} if index else {}),
            stdin=subprocess.DEVNULL if data is None else None,
            creationflags=NO_WINDOW,
        )
    except (FileNotFoundError, NotADirectoryError) as error:  # on Windows the second means that the folder is gone
        if not cwd.is_dir():
            raise CtxError(f'{cwd} no longer exists') from error
        raise CtxError('git was not found', 'install git and make sure that it is on PATH') from error
    if check and done.returncode:
        said = done.stderr.decode('utf-8', 'replace').strip().splitlines()
        raise CtxError(f'git {args[0]} failed: {said[-1] if said else done.returncode}')
    return done.stdout


def started(repo: Repo, *args: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Start a git process; the caller reads its output as it comes, and ends it."""
    return subprocess.Popen(
        [program(), *SAFE, *_where(repo), *args],
        cwd=repo.root,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environ(os.environ),
        creationflags=NO_WINDOW,
    )


def _where(repo: Repo) -> tuple[str, ...]:
    """Options that name a bare repository to git, which does not search for it under `safe.bareRepository=explicit`."""
    return ('--git-dir', str(repo.git_dir)) if repo.bare else ()


def text(output: bytes) -> str:
    """git's output as text; invalid UTF-8 survives as surrogates."""
    return output.decode('utf-8', 'surrogateescape')


def resolve(repo: Repo, rev: str = 'HEAD') -> str:
    """The commit id of `rev`, or '' where it names no commit (an unborn branch)."""
    said = text(git(repo, 'rev-parse', '--verify', '-q', '--end-of-options', rev + '^{commit}', check=False)).strip()
    return said if said.isalnum() else ''  # git accepts `^HEAD` and `a..b` too, which give no single id


def branch(repo: Repo) -> str:
    """The current branch's short name; '' when HEAD is detached."""
    return text(git(repo, 'symbolic-ref', '-q', '--short', 'HEAD', check=False)).strip()


def tree(repo: Repo, commit: str, paths: Sequence[str] = ()) -> list[TreeEntry]:
    """The regular files of a commit's tree (no links, no submodules), in git's order; with `paths`, only those."""
    out: list[TreeEntry] = []
    for record in git(repo, 'ls-tree', '-r', '-z', '--full-tree', commit, '--', *paths).split(b'\0'):
        meta, _, path = record.partition(b'\t')
        if text(meta[:6]) in REGULAR:
            out.append(TreeEntry(meta[12:].decode('ascii'), text(path)))
    return out


# Operations that make many commits in a row; their result is looked at when they are over.
SERIES = ('am', 'rebase')


def operation(repo: Repo) -> str:
    """The operation in progress: 'am', 'rebase', 'merge', 'cherry-pick', 'revert', 'bisect', or ''."""
    for name, mark in (
        ('am', 'rebase-apply/applying'),
        ('rebase', 'rebase-merge'),
        ('rebase', 'rebase-apply'),
        ('merge', 'MERGE_HEAD'),
        ('cherry-pick', 'CHERRY_PICK_HEAD'),
        ('revert', 'REVERT_HEAD'),
        ('bisect', 'BISECT_LOG'),
    ):
        if (repo.git_dir / mark).exists():
            return name
    return ''
