"""Publish context.xml: decide whether an event may, whether the bytes changed, and push to a branch.

It is published only when the bytes changed, never from a fork's pull request, and never because of the Action's own
push.
"""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxkit import repo
from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import data_folder, write_whole
from ctxkit.safety.text import printable

BRANCH = 'ctxkit-context'
FILE_IN_BRANCH = 'context.xml'
FILE_IN_TREE = '.github/context.xml'  # not below .ctx/: a tracked file there would make every local hook dirty the tree
MESSAGE = 'Refresh the context of coding agents [skip ci]'
WAYS = ('artifact', 'branch', 'commit', 'none')
PUSHED = ('push', 'workflow_dispatch', 'schedule', 'repository_dispatch')  # a merge_group consists of pull requests
ADDRESS = '41898282+github-actions[bot]@users.noreply.github.com'
IDENTITY = (
    '-c',
    'user.name=github-actions[bot]',
    '-c',
    f'user.email={ADDRESS}',
    '-c',
    'commit.gpgSign=false',
)
# repo.git forbids every transport; fetch, ls-remote and push need one.
NETWORK = (
    '-c',
    'protocol.allow=never',
    '-c',
    'protocol.https.allow=always',
    '-c',
    'protocol.ssh.allow=always',
    '-c',
    'protocol.file.allow=always',
)


def may_publish(way: str, environ: Mapping[str, str]) -> bool:
    """Whether this event may publish: not from a fork or from our own branch, and no push for any pull request."""
    name = environ.get('GITHUB_EVENT_NAME', '')
    if _from_fork(_event(environ), name) or environ.get('GITHUB_REF_NAME', '') == BRANCH:
        return False
    if way in ('branch', 'commit') and name not in PUSHED:
        return False
    return way != 'commit' or environ.get('GITHUB_REF_TYPE', 'branch') == 'branch'


def publish(found: Repo, environ: Mapping[str, str]) -> None:
    """Push context.xml to its own branch, or as a commit to the branch that was pushed. Raises CtxError where the push
    is refused: somebody else pushed first, or the token may not write."""
    way, data = environ.get('CTXKIT_PUBLISH', ''), (found.ctx_dir / 'context.xml').read_bytes()
    if not may_publish(way, environ):
        return
    blob = _line(repo.git(found, 'hash-object', '-w', '--stdin', data=data))
    with tempfile.TemporaryDirectory(dir=environ.get('RUNNER_TEMP') or None) as folder:
        access = _credentials(Path(folder), environ)
        if way == 'branch':
            target, parent = BRANCH, _fetch(found, BRANCH, access)
            tree = _line(repo.git(found, 'mktree', data=f'100644 blob {blob}\t{FILE_IN_BRANCH}\n'.encode()))
        else:
            target, parent = environ['GITHUB_REF_NAME'], repo.resolve(found)
            if parent != _remote_tip(found, target, access):
                raise CtxError(
                    f'the checked-out commit ({parent[:9]}) is not the last commit of {target}, so nothing was pushed',
                    f'check out {target}, or run the job again if somebody pushed meanwhile',
                )
            tree = _tree_with(found, parent, blob)
        parents = ['-p', parent] if parent else []
        commit = _line(repo.git(found, *IDENTITY, 'commit-tree', tree, *parents, '-m', MESSAGE))
        repo.git(found, *NETWORK, *access, 'push', '--quiet', 'origin', f'{commit}:refs/heads/{target}')
    print(f'published to {printable(target)}')  # noqa: T201


def _tree_with(found: Repo, parent: str, blob: str) -> str:
    """The tree of `parent` with our file in it, made without touching index or work tree."""
    folder, _, name = FILE_IN_TREE.partition('/')
    inner = _with(found, f'{parent}:{folder}', f'100644 blob {blob}\t{name}', check=False)  # it may lack `folder`
    return _with(found, parent, f'040000 tree {inner}\t{folder}')


def _with(found: Repo, tree: str, entry: str, check: bool = True) -> str:
    """The id of `tree` with `entry` added, or put in place of the entry of the same name."""
    name = entry.partition('\t')[2].encode()
    listed = repo.git(found, 'ls-tree', '-z', tree, check=check).split(b'\0')
    others = [line for line in listed if line and line.partition(b'\t')[2] != name]
    data = b'\0'.join([*others, entry.encode(), b''])
    return _line(repo.git(found, 'mktree', '-z', '--missing', data=data))


def published(found: Repo, way: str, environ: Mapping[str, str]) -> str:
    """The SHA-256 of the context.xml published last; '' where it is unknown."""
    if way == 'branch':
        with tempfile.TemporaryDirectory(dir=environ.get('RUNNER_TEMP') or None) as folder:
            tip = _fetch(found, BRANCH, _credentials(Path(folder), environ))
        data = repo.git(found, 'cat-file', 'blob', f'{tip}:{FILE_IN_BRANCH}', check=False) if tip else b''
        return hashlib.sha256(data).hexdigest()
    if way == 'commit':
        return hashlib.sha256(repo.git(found, 'cat-file', 'blob', f'HEAD:{FILE_IN_TREE}', check=False)).hexdigest()
    try:  # where `note` wrote it
        return (found.data_dir / 'action.sha256').read_text('ascii').strip()
    except (OSError, UnicodeDecodeError):
        return ''


def note(found: Repo, digest: str) -> None:
    """Record the SHA-256 of an artifact's context.xml in the index's folder, which the workflow caches."""
    data_folder(found.data_dir)
    write_whole(found.data_dir / 'action.sha256', digest + '\n')


def is_our_commit(found: Repo, commit: str) -> bool:
    """Whether `commit` was made by this action, which must not start the action again."""
    # The touched files cannot tell: in a shallow clone, the only commit touches all files.
    said = repo.text(repo.git(found, 'log', '-1', '--format=%ce %s', commit)).strip()
    return said == f'{ADDRESS} {MESSAGE}'


def _fetch(found: Repo, branch: str, access: tuple[str, ...]) -> str:
    """Fetch the remote branch and return its tip; '' where there is no such branch."""
    local = f'refs/ctxkit/{branch}'
    repo.git(found, 'update-ref', '-d', local, check=False)
    repo.git(
        found,
        *NETWORK,
        *access,
        'fetch',
        '--quiet',
        '--no-tags',
        '--depth=1',
        'origin',
        f'+refs/heads/{branch}:{local}',
        check=False,
    )
    return repo.resolve(found, local)


def _remote_tip(found: Repo, branch: str, access: tuple[str, ...]) -> str:
    listed = repo.git(found, *NETWORK, *access, 'ls-remote', 'origin', f'refs/heads/{branch}')
    return repo.text(listed).partition('\t')[0]


def _credentials(folder: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Options that give git the token through a file, where no process list shows it."""
    token = environ.get('CTXKIT_INPUT_TOKEN', '')
    if not token:
        return ()
    server = environ.get('GITHUB_SERVER_URL') or 'https://github.com'
    secret = base64.b64encode(f'x-access-token:{token}'.encode()).decode('ascii')
    file = folder / 'credentials'
    file.touch(mode=0o600)
    # The empty value drops a header that the checkout may have set: the server refuses two.
    file.write_text(f'[http "{server}/"]\n\textraheader =\n\textraheader = AUTHORIZATION: basic {secret}\n', 'utf-8')
    return '-c', f'include.path={file}'


def _event(environ: Mapping[str, str]) -> Any:
    try:
        return json.loads(Path(environ.get('GITHUB_EVENT_PATH', '')).read_text('utf-8'))
    except (OSError, ValueError, RecursionError):
        return None


def _from_fork(event: Any, name: str) -> bool:
    """Whether the event stems from another repository than the workflow's, or may do so because a pull request or a run
    does not name its repository."""
    base = _text_at(event, 'repository', 'full_name')
    if name.startswith('pull_request') or _has(event, 'pull_request'):
        head = _text_at(event, 'pull_request', 'head', 'repo', 'full_name')  # null where the fork was deleted
        base = _text_at(event, 'pull_request', 'base', 'repo', 'full_name') or base
    elif name == 'workflow_run' or _has(event, 'workflow_run'):
        head = _text_at(event, 'workflow_run', 'head_repository', 'full_name')
    else:
        return False
    return not head or head != base


def _has(event: Any, key: str) -> bool:
    return isinstance(event, dict) and event.get(key) is not None


def _text_at(event: Any, *keys: str) -> str:
    """The text below these nested keys; '' where there is none or the value is no text."""
    for key in keys:
        event = event.get(key) if isinstance(event, dict) else None
    return event if isinstance(event, str) else ''


def _line(output: bytes) -> str:
    return repo.text(output).strip()
