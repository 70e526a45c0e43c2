"""All git plumbing, in one place: argument lists, NUL-separated output, no locks taken, nothing of the repository run.

Paths are `str` decoded with surrogateescape, so that invalid UTF-8 survives; print them through safety.text.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ctxkit.errors import CtxError, NotARepository

# A hostile clone must not choose a program (fsmonitor, hooks, external diff, textconv) or a bare repository inside a
# checkout; `--no-optional-locks` keeps a reader that is killed from leaving index.lock behind.
SAFE = (
    '--no-optional-locks',
    '--literal-pathspecs',
    '-c',
    'core.fsmonitor=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'safe.bareRepository=explicit',
    '-c',
    'core.quotePath=false',
    '-c',
    'submodule.recurse=false',
    '-c',
    'diff.external=',
    '-c',
    'log.showSignature=false',
    '-c',
    'protocol.allow=never',
    '-c',
    'color.ui=false',
)
REGULAR = ('100644', '100755')
NULL_ID = '0' * 40


class TreeEntry(NamedTuple):
    """A regular file of a tree: git's blob id and the file's path."""

    blob: str
    path: str


class Change(NamedTuple):
    """A path of `git status`: `code` is git's two letters ('??' if untracked); deletions have 'D' in them."""

    code: str
    path: str


@dataclass(frozen=True)
class Repo:
    """A repository as seen from one work tree. `root` is '' paths' base, `common_dir` is shared by all worktrees."""

    root: Path
    git_dir: Path
    common_dir: Path
    bare: bool = False

    @property
    def ctx_dir(self) -> Path:
        """The folder of the artefacts in this work tree."""
        return self.root / '.ctx'

    def tree_file(self, suffix: str) -> Path:
        """Where the index keeps something about this work tree: a name of its own for each, below `trees`."""
        name = hashlib.blake2b(str(self.root).encode('utf-8', 'surrogateescape'), digest_size=8).hexdigest()
        return self.data_dir / 'trees' / (name + suffix)

    @property
    def data_dir(self) -> Path:
        """ctxkit's own folder in the git common dir: index, leases, logs. Safe to delete."""
        return self.common_dir / 'ctxkit'


def clean_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without the GIT_* variables that a hook exports (they would point at another repository).

    GIT_CONFIG_* and the system switches stay, since a person may have set them on purpose. Lazy fetching is off: a
    partial clone must not go to the network because of us.
    """
    keep = (
        'GIT_CONFIG_GLOBAL',
        'GIT_CONFIG_SYSTEM',
        'GIT_CONFIG_NOSYSTEM',
        'GIT_SSL_CAINFO',
        'GIT_EXEC_PATH',
        'GIT_CEILING_DIRECTORIES',
        'GIT_DISCOVERY_ACROSS_FILESYSTEM',
    )
    cleaned = {name: value for name, value in environ.items() if not name.startswith('GIT_') or name in keep}
    cleaned.update(GIT_NO_LAZY_FETCH='1', GIT_TERMINAL_PROMPT='0', LC_ALL='C', GIT_PAGER='cat')
    return cleaned


@lru_cache(maxsize=1)
def program() -> str:
    """The git to run; looked up here on Windows, where starting `git` would try the current folder first."""
    if os.name != 'nt':
        return 'git'
    for folder in os.environ.get('PATH', '').split(os.pathsep):
        for name in ('git.exe', 'git.cmd'):
            if os.path.isabs(folder) and os.path.isfile(os.path.join(folder, name)):
                return os.path.join(folder, name)
    return 'git.exe'


def git(repo: Repo | Path, *args: str, data: bytes | None = None, check: bool = True, literal: bool = True) -> bytes:
    """Run git and return its standard output as bytes. Raises CtxError with git's own last line on failure.

    `literal=False` is for check-ignore, which does not know literal pathspecs.
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
            env=clean_environ(os.environ),
            stdin=subprocess.DEVNULL if data is None else None,
        )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise CtxError(f'{cwd} does not exist any more') from error
        raise CtxError('git was not found', 'install git and make sure that it is on PATH') from error
    if check and done.returncode:
        said = done.stderr.decode('utf-8', 'replace').strip().splitlines()
        raise CtxError(f'git {args[0]} failed: {said[-1] if said else done.returncode}')
    return done.stdout


def _where(repo: Repo) -> tuple[str, ...]:
    """A bare repository is named to git, since with `safe.bareRepository=explicit` it is not looked for."""
    return ('--git-dir', str(repo.git_dir)) if repo.bare else ()


def bare(folder: Path) -> Repo:
    """The bare repository that `folder` itself is; what asks for a work tree fails in it."""
    return Repo(folder, folder, folder, bare=True)


def text(output: bytes) -> str:
    """git's output as text; invalid UTF-8 survives as surrogates."""
    return output.decode('utf-8', 'surrogateescape')


def find(start: Path) -> Repo:
    """The repository whose work tree `start` lies in. Raises NotARepository, also for a bare repository."""
    wanted = ('--git-dir', '--git-common-dir', '--show-toplevel')
    done = _rev_parse(start, *wanted)
    if done.returncode:
        raise _no_repository(start, done.stderr.decode('utf-8', 'replace'))
    lines = text(done.stdout).split('\n')[:-1]
    if len(lines) != 3:  # a line break in a path: ask for each alone
        lines = [text(_rev_parse(start, one).stdout)[:-1] for one in wanted]
    git_dir, common_dir, root = (Path(line) for line in lines)
    return Repo(root, git_dir, common_dir)


def _rev_parse(start: Path, *wanted: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [program(), *SAFE, 'rev-parse', '--path-format=absolute', *wanted],
            cwd=start,
            capture_output=True,
            env=clean_environ(os.environ),
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        if not start.is_dir():
            raise CtxError(f'{start} does not exist', 'change to a folder in a git repository') from error
        raise CtxError('git was not found', 'install git and make sure that it is on PATH') from error
    except NotADirectoryError as error:
        raise CtxError(f'{start} is not a folder') from error


def _no_repository(start: Path, said: str) -> NotARepository:
    if 'dubious ownership' in said:
        return NotARepository(
            f'git does not trust {start}, which belongs to another user',
            'run git status there; git says how to trust it',
        )
    if 'work tree' in said or 'bareRepository' in said:
        return NotARepository(f'{start} is in a bare repository or a .git folder', 'change to a work tree')
    return NotARepository(f'{start} is not in a git repository', 'change to one, or run git init first')


def resolve(repo: Repo, rev: str = 'HEAD') -> str:
    """The commit id of `rev`, or '' where it names no commit (an unborn branch)."""
    said = text(git(repo, 'rev-parse', '--verify', '-q', '--end-of-options', rev + '^{commit}', check=False)).strip()
    return said if said.isalnum() else ''  # `^HEAD` and `a..b` are taken too, and give no single id


def branch(repo: Repo) -> str:
    """The current branch's short name; '' when HEAD is detached."""
    return text(git(repo, 'symbolic-ref', '-q', '--short', 'HEAD', check=False)).strip()


def tree(repo: Repo, commit: str, paths: Sequence[str] = ()) -> list[TreeEntry]:
    """The regular files of a commit's tree (no links, no submodules), sorted by path as git does; of `paths` alone if
    there are any."""
    out: list[TreeEntry] = []
    for record in git(repo, 'ls-tree', '-r', '-z', '--full-tree', commit, '--', *paths).split(b'\0'):
        meta, _, path = record.partition(b'\t')
        if meta[:6] in (b'100644', b'100755'):
            out.append(TreeEntry(meta[12:].decode('ascii'), text(path)))
    return out


def status(repo: Repo, paths: Sequence[str] = ()) -> list[Change]:
    """What differs between HEAD, index and work tree, untracked files included, submodules and .ctx left out; of
    `paths` alone if there are any."""
    fields = git(
        repo,
        'status',
        '--porcelain=v1',
        '-z',
        '--untracked-files=all',
        '--ignore-submodules=all',
        '--no-renames',
        '--',
        *paths,
    ).split(b'\0')
    changes = [Change(text(item[:2]), text(item[3:])) for item in fields if item]
    return [change for change in changes if change.path.split('/', 1)[0] != '.ctx']


@dataclass(frozen=True)
class WorkTree:
    """What git says about a work tree at one moment. `branch` is '' when detached, `commit` '' when unborn.

    `ahead` and `behind` count commits against `upstream`; both are 0 where there is no upstream ('').
    """

    commit: str
    branch: str
    upstream: str
    ahead: int
    behind: int
    subject: str
    changes: tuple[Change, ...]


def snapshot(repo: Repo) -> WorkTree:
    """Commit, branch, distance to upstream, HEAD's subject and `status`, by two git processes that run side by side."""
    subject = subprocess.Popen(
        ['git', *SAFE, 'log', '-1', '--format=%s', 'HEAD', '--'],
        cwd=repo.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environ(os.environ),
    )
    try:
        records = (
            b''
            if repo.bare
            else git(
                repo,
                'status',
                '--porcelain=v2',
                '--branch',
                '-z',
                '--no-renames',
                '--untracked-files=all',
                '--ignore-submodules=all',
            )
        )
    finally:
        said = text(subject.communicate()[0]).strip()
    if repo.bare:
        return WorkTree(resolve(repo), branch(repo), '', 0, 0, said, ())
    return _parse_status(records, said)


def snapshot_beside(repo: Repo) -> Callable[[], WorkTree]:
    """Begin `snapshot` in a thread and return what waits for it: git takes longer than the imports of a render."""
    found: list[WorkTree] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(snapshot(repo))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result() -> WorkTree:
        thread.join()
        if failed:
            raise failed[0]
        return found[0]

    return result


def _parse_status(records: bytes, subject: str) -> WorkTree:
    """The output of `git status --porcelain=v2 --branch -z`. git writes '.' where its first format has a blank."""
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
        subject=subject,
        changes=tuple(change for change in changes if not change.path.startswith('.ctx/')),
    )


def blobs(repo: Repo, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
    """Stream (id, content) of blobs in the order asked for; content is None where the object is missing.

    Objects that a partial clone lacks are not fetched. Uses one `git cat-file --batch` process for all; git without
    GIT_NO_LAZY_FETCH (before 2.45) ends at the first object that it may not fetch, so what is left is then asked for
    again, without those that are not here.
    """
    wanted = list(ids)
    done = 0
    for blob, content in _batch(repo, wanted):
        done += 1
        yield blob, content
    if done < len(wanted):
        here = _local(repo, set(wanted[done:]))
        rest = _batch(repo, [blob for blob in wanted[done:] if blob in here])
        for blob in wanted[done:]:
            yield blob, next(rest, (blob, None))[1] if blob in here else None


def _batch(repo: Repo, wanted: list[str]) -> Iterator[tuple[str, bytes | None]]:
    """As `blobs`; ends early where git does."""
    process = subprocess.Popen(
        [program(), *SAFE, *_where(repo), 'cat-file', '--batch', '--buffer'],
        cwd=repo.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environ(os.environ),
    )
    assert process.stdin is not None and process.stdout is not None
    source, output = process.stdin, process.stdout

    def feed() -> None:
        try:
            with source:
                source.write(''.join(f'{blob}\n' for blob in wanted).encode('ascii'))
        except (OSError, ValueError):
            return  # the reader stopped early, or git died; the reader notices

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    try:
        for blob in wanted:
            header = output.readline().split()
            if not header:
                return
            if len(header) == 3 and header[2].isdigit():
                content = output.read(int(header[2]))
                output.read(1)
                yield blob, content if header[1] == b'blob' else None
            else:
                yield blob, None
    finally:
        process.terminate()
        output.close()
        feeder.join()
        process.wait()


class BlobReader:
    """Blobs one by one from a single git process that is started when the first is asked for. Close it after use."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, blob: str) -> bytes | None:
        """The content of a blob; None where the object is missing (it is not fetched)."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f'{blob}\n'.encode('ascii'))
            process.stdin.flush()
            header = process.stdout.readline().split()
        except OSError:
            header = []
        if not header:  # an older git ends where it may not fetch
            self.close()
            return None
        if len(header) != 3 or not header[2].isdigit():
            return None
        content = process.stdout.read(int(header[2]))
        process.stdout.read(1)
        return content if header[1] == b'blob' else None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [program(), *SAFE, *_where(self._repo), 'cat-file', '--batch']
            self._process = subprocess.Popen(
                command,
                cwd=self._repo.root,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=clean_environ(os.environ),
            )
        return self._process

    def close(self) -> None:
        """End the git process."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            for stream in (process.stdin, process.stdout):
                try:
                    stream.close()
                except OSError:
                    continue  # what was not yet written is of no use to a process that ends
            process.terminate()
            process.wait()


def _local(repo: Repo, wanted: set[str]) -> set[str]:
    """Those of `wanted` that stand in this repository's own object store."""
    process = subprocess.Popen(
        [
            program(),
            *SAFE,
            *_where(repo),
            'cat-file',
            '--batch-all-objects',
            '--batch-check=%(objectname)',
            '--unordered',
        ],
        cwd=repo.root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environ(os.environ),
    )
    assert process.stdout is not None
    with process, process.stdout as output:
        return {blob for blob in (line.strip().decode('ascii') for line in output) if blob in wanted}


def operation(repo: Repo) -> str:
    """The operation in progress: 'rebase', 'merge', 'cherry-pick', 'revert', 'bisect', or ''."""
    for name, mark in (
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
