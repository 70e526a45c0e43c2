"""The folder that git reads hooks from, and our lines in the hooks there."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.events import hook_file
from ctxkit.events.shim import HOOKS, block
from ctxkit.repo import Repo, git, text
from ctxkit.safety.paths import is_link, writable_folder, write_whole

# A file in the data folder: the last choice was `ctxkit init --hooks none`.
NO_HOOKS = 'no-hooks'


@dataclass(frozen=True)
class HookFolder:
    """The folder where git looks for hooks. `problem` says why we do not write there; '' if we do."""

    path: Path
    problem: str = ''
    note: str = ''


def hook_folder(repo: Repo) -> HookFolder:
    """The folder that git itself would use, and whether our lines can go there."""
    value = _hooks_path(repo)
    if not value:
        return HookFolder(repo.common_dir / 'hooks')
    shown = f'core.hooksPath is {value}'
    if sys.platform != 'win32' and (re.match(r'[A-Za-z]:[\\/]', value) or '\\' in value):
        return HookFolder(Path(value), f'{shown}, a Windows path that this system does not know')
    path = Path(os.path.normpath(repo.root / value))
    if not path.is_dir():
        return HookFolder(path, f'{shown}, which is not a folder')
    if _inside(path, repo.common_dir) or _inside(path, repo.git_dir):
        return HookFolder(path)
    if not _inside(path, repo.root):
        return HookFolder(path, f'{shown}, which all your repositories may share')
    if _ignored(repo, str(path / HOOKS[0])):
        return HookFolder(
            path,
            note=f'{shown}; the tool that made that folder may rewrite it: ctxkit doctor '
            f'notices, ctxkit init repairs it',
        )
    return HookFolder(path, f'{shown}, a folder of this repository that git tracks')


def install(repo: Repo, python: str) -> list[str]:
    """Put our lines into the hooks; return what was done and what was not, a line each.

    Running it again changes nothing. A hook that we cannot extend is left alone, and the lines say what to do there.
    """
    where = hook_folder(repo)
    problem = f'{where.path} is a link' if is_link(where.path) and not where.problem else where.problem
    if problem:
        by_hand = called_by_hand(where.path)
        missing = tuple(hook for hook in HOOKS if hook not in by_hand)
        return [f'{problem}: nothing was written there', *_by_hand(missing)] if missing else []
    try:
        where.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CtxError(f'{where.path} cannot be made ({error.strerror})', 'check permissions and free space') from error
    done: list[str] = []
    ours = installed_in(repo)
    for hook in HOOKS:
        file = where.path / hook
        moved = file.with_name(f'{hook}.legacy')
        if moved in ours and file not in ours and file.exists():
            file = moved  # pre-commit moved it and still runs it: lines in both would do all twice
        elif moved in ours:
            done += _take_out(moved)
        done += _install_one(file, block(hook, python))
    return [*done, *([where.note] if where.note else [])]


def _install_one(file: Path, lines: bytes) -> list[str]:
    content = _content(file)
    if file.name in called_by_hand(file.parent) and (is_link(file) or hook_file.why_not(content or b'')):
        return []
    if is_link(file):
        return [f'{file} is a link: left alone', *_by_hand((file.name,))]
    if content is None:
        write_whole(file, hook_file.put(None, lines), 0o755)
        return [f'wrote {file}']
    problem = hook_file.why_not(content)
    if problem:
        return [f'{file} {problem}: left alone', *_by_hand((file.name,))]
    if content and os.name != 'nt' and not os.stat(file).st_mode & stat.S_IXUSR:
        return [
            f'{file} is not executable, so git ignores it: left alone; chmod +x it or move it away, and run ctxkit '
            f'init again'
        ]
    had_lines = hook_file.has(content)
    if not write_whole(file, hook_file.put(content, lines), 0o755 if not content else None):
        return []
    return [f'{"renewed" if had_lines else "added"} the ctxkit lines in {file}']


def called_by_hand(folder: Path) -> list[str]:
    """The hooks in a folder that call ctxkit in a line of the person's own and that git runs."""
    files = [folder / hook for hook in HOOKS]
    return [file.name for file in files if hook_file.calls(_content(file) or b'') and os.access(file, os.X_OK)]


def unwanted(repo: Repo) -> bool:
    """Whether the person chose to have no hooks."""
    return (repo.data_dir / NO_HOOKS).is_file()


def choose(repo: Repo, wanted: bool) -> None:
    """Record whether hooks are wanted here, for `ctxkit doctor`. Raises CtxError if that cannot be written."""
    note = writable_folder(repo.data_dir) / NO_HOOKS
    if wanted:
        note.unlink(missing_ok=True)
    else:
        write_whole(note, b'')


def uninstall(repo: Repo) -> list[str]:
    """Take our lines out of the hooks; return what was done.

    That includes hooks moved by pre-commit to `.legacy`, or by lefthook to `.old`, which it may put back later.
    """
    done = [line for file in installed_in(repo, ('', '.legacy', '.old')) for line in _take_out(file)]
    folder = hook_folder(repo).path
    return [
        *done,
        *(f'{folder / hook} calls ctxkit in a line of your own: left alone' for hook in called_by_hand(folder)),
    ]


def _take_out(file: Path) -> list[str]:
    left = hook_file.take(_content(file) or b'')
    if left is None:
        try:
            file.unlink()
        except OSError as error:
            raise CtxError(f'{file} cannot be removed ({error.strerror})', 'check permissions') from error
        return [f'removed {file}']
    write_whole(file, left)
    return [f'removed the ctxkit lines from {file}']


def installed_in(repo: Repo, ends: tuple[str, ...] = ('', '.legacy')) -> list[Path]:
    """The hook files with our lines, in the folder git uses and in the usual one."""
    folders = dict.fromkeys((hook_folder(repo).path, repo.common_dir / 'hooks'))
    files = [folder / (hook + end) for folder in folders for hook in HOOKS for end in ends]
    return [file for file in files if not is_link(file) and hook_file.has(_content(file) or b'')]


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):  # core.hooksPath may be /dev/null
        return None
    except OSError as error:
        raise CtxError(f'{file} cannot be read ({error.strerror})', 'move it away, then run this again') from error


def _by_hand(hooks: tuple[str, ...]) -> list[str]:
    return [f'  to run ctxkit there, add to {hook}:  ctxkit hook {hook} "$@" </dev/null || :' for hook in hooks]


def _hooks_path(repo: Repo) -> str:
    # Our own calls override this setting for safety, so a value of scope "command" is not the person's.
    fields = text(
        git(repo, 'config', '-z', '--show-scope', '--type=path', '--get-all', 'core.hooksPath', check=False)
    ).split('\0')
    values = [value for scope, value in zip(fields[::2], fields[1::2], strict=False) if scope != 'command']
    return values[-1] if values else ''


def _ignored(repo: Repo, path: str) -> bool:
    return bool(git(repo, 'check-ignore', '--no-index', '--', path, check=False, literal=False))


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
