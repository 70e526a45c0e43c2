"""Find the repository that a folder lies in, or say why there is none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ctxkit.errors import CtxError, NotARepository
from ctxkit.repo.run import SAFE, Repo, clean_environ, program, text
from ctxkit.safety.children import NO_WINDOW

ABSOLUTE = '--path-format=absolute'


def find(start: Path) -> Repo:
    """The repository whose work tree `start` lies in. Raises NotARepository, also for a bare repository."""
    wanted = ('--git-dir', '--git-common-dir', '--show-toplevel')
    done = _rev_parse(start, *wanted)
    if done.returncode:
        raise _no_repository(start, done.stderr.decode('utf-8', 'replace'))
    if done.stdout.startswith(ABSOLUTE.encode()):  # git prints unknown options back
        raise CtxError('this git is too old', 'ctxkit needs git 2.31 (2021) or later')
    lines = text(done.stdout).split('\n')[:-1]
    if len(lines) != 3:  # a path has a line break: ask for each separately
        lines = [text(_rev_parse(start, one).stdout)[:-1] for one in wanted]
    git_dir, common_dir, root = (Path(line) for line in lines)
    return Repo(root, git_dir, common_dir)


def _rev_parse(start: Path, *wanted: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [program(), *SAFE, 'rev-parse', ABSOLUTE, *wanted],
            cwd=start,
            capture_output=True,
            env=clean_environ(os.environ),
            stdin=subprocess.DEVNULL,
            creationflags=NO_WINDOW,
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        if not start.exists():
            raise CtxError(f'{start} does not exist', 'change to a folder in a git repository') from error
        if not start.is_dir():
            raise CtxError(f'{start} is not a folder') from error
        raise CtxError('git was not found', 'install git and make sure that it is on PATH') from error


def _no_repository(start: Path, said: str) -> NotARepository:
    if 'dubious ownership' in said:
        return NotARepository(
            f'git does not trust {start}, which belongs to another user',
            'run git status there; git says how to trust it',
        )
    if 'work tree' in said or 'bareRepository' in said:
        return NotARepository(f'{start} is in a bare repository or a .git folder', 'change to a work tree')
    if 'not a git repository' in said or not said.strip():
        if os.environ.get('GIT_DIR'):
            way_out = 'ctxkit ignores GIT_DIR; change to a work tree that has a .git'
            return NotARepository(f'there is no .git in {start} or above', way_out)
        place = Path(os.path.abspath(start))
        if any((folder / '.jj').is_dir() for folder in (place, *place.parents)):
            return NotARepository(f'{start} is in a jj repository without .git', 'run jj git colocation enable')
        return NotARepository(f'{start} is not in a git repository', 'change to one, or run git init first')
    return NotARepository(
        f'git cannot read the repository at {start} ({said.strip().splitlines()[-1]})', 'run git status there'
    )


def bare(folder: Path) -> Repo:
    """The bare repository in `folder` itself; whatever needs a work tree fails in it."""
    folder = Path(os.path.abspath(folder))  # absolute, because git runs inside it
    return Repo(folder, folder, folder, bare=True)
