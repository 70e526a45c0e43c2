"""The GitHub Action's logic: `python -I -m ctxkit.action locate|refresh|publish`, with its inputs in the environment.

Publishes only when the bytes changed, never from a pull request of a fork, never what its own push brought about.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxkit import __version__, config, repo
from ctxkit.errors import CtxError
from ctxkit.repo import Repo
from ctxkit.safety.paths import real_folder, write_whole
from ctxkit.safety.text import printable

BRANCH = 'ctxkit-context'
FILE_IN_BRANCH = 'context.xml'
FILE_IN_TREE = '.github/context.xml'  # not below .ctx/: a tracked file there would make every local hook dirty the tree
MESSAGE = 'Refresh the context of coding agents [skip ci]'
WAYS = ('artifact', 'branch', 'commit', 'none')
PUSHED = ('push', 'workflow_dispatch', 'schedule', 'repository_dispatch', 'merge_group')
IDENTITY = (
    '-c',
    'user.name=github-actions[bot]',
    '-c',
    'user.email=41898282+github-actions[bot]@users.noreply.github.com',
    '-c',
    'commit.gpgSign=false',
)
# repo.git forbids every transport; these two commands need one.
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
MAX_LISTED = 20


def locate(found: Repo, environ: Mapping[str, str]) -> None:
    """Say where the index is, so that it is cached between runs, and what it depends on."""
    real_folder(found.data_dir)
    _output(environ, index=str(found.data_dir), version=__version__)


def refresh(found: Repo, environ: Mapping[str, str]) -> None:
    """Bring the context up to HEAD, write the outputs and the job's summary, and decide what is published."""
    from ctxkit import pipeline
    from ctxkit.render import build

    way = environ.get('CTXKIT_INPUT_PUBLISH') or 'artifact'
    if way not in WAYS:
        raise CtxError(f'publish: {way} is not known', f'use one of {", ".join(WAYS)}')
    budget = _number(environ.get('CTXKIT_INPUT_BUDGET', ''))
    settings = config.load(found.ctx_dir / 'config.yaml', environ)
    commit = repo.resolve(found)
    if not commit:
        raise CtxError('the repository has no commit yet', 'push one first')
    # The time of the commit, so that the same commit gives the same bytes.
    now = float(environ.get('SOURCE_DATE_EPOCH') or _line(repo.git(found, 'log', '-1', '--format=%ct', commit)))
    done = pipeline.update(found, settings, now=now, event='action')
    block = build(found, settings, query=environ.get('CTXKIT_INPUT_QUERY', ''), budget=budget, now=now)
    file = found.ctx_dir / 'context.xml'
    write_whole(file, block._replace(request='').to_xml())
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    changed = digest != _published(found, way, environ)
    allowed = may_publish(way, environ) and not _is_our_commit(found, commit)
    _output(
        environ,
        **{
            'context-path': str(file),
            'tokens': str(block.used),
            'units': str(len(block.units)),
            'changed': str(changed).lower(),
            'commit': commit,
            'publish': way if changed and allowed and way != 'none' else '',
        },
    )
    why_not = '' if allowed else ' Nothing is published from this event.'
    _summary(environ, _report(block, done, changed, commit) + why_not)
    real_folder(found.data_dir)
    write_whole(found.data_dir / 'action.sha256', digest + '\n')


def may_publish(way: str, environ: Mapping[str, str]) -> bool:
    """Whether the event may publish: nothing from a fork, nothing that needs a push from any pull request, and nothing
    from our own branch."""
    event = _event(environ)
    if _from_fork(event) or environ.get('GITHUB_REF_NAME', '') == BRANCH:
        return False
    if way in ('branch', 'commit') and environ.get('GITHUB_EVENT_NAME', '') not in PUSHED:
        return False
    return way != 'commit' or environ.get('GITHUB_REF_TYPE', 'branch') == 'branch'


def publish(found: Repo, environ: Mapping[str, str]) -> None:
    """Push context.xml to the branch of its own, or as a commit on the branch that was pushed. Raises CtxError where
    the push is refused: somebody else pushed first, or the token may not write."""
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
            tree = _tree_with(found, parent, blob)
        parents = ['-p', parent] if parent else []
        commit = _line(repo.git(found, *IDENTITY, 'commit-tree', tree, *parents, '-m', MESSAGE))
        repo.git(found, *NETWORK, *access, 'push', '--quiet', 'origin', f'{commit}:refs/heads/{target}')
    print(f'published to {printable(target)}')  # noqa: T201


def _tree_with(found: Repo, parent: str, blob: str) -> str:
    """The tree of `parent` with our file in it, made without touching index or work tree."""
    entries = {FILE_IN_TREE: blob}
    folder, _, name = FILE_IN_TREE.partition('/')
    inner = [
        line
        for line in repo.git(found, 'ls-tree', '-z', f'{parent}:{folder}', check=False).split(b'\0')
        if line and line.partition(b'\t')[2] != name.encode()
    ]
    made = _line(
        repo.git(
            found,
            'mktree',
            '-z',
            data=b'\0'.join([*inner, f'100644 blob {entries[FILE_IN_TREE]}\t{name}'.encode()]) + b'\0',
        )
    )
    outer = [
        line
        for line in repo.git(found, 'ls-tree', '-z', parent).split(b'\0')
        if line and line.partition(b'\t')[2] != folder.encode()
    ]
    return _line(
        repo.git(
            found,
            'mktree',
            '-z',
            '--missing',
            data=b'\0'.join([*outer, f'040000 tree {made}\t{folder}'.encode()]) + b'\0',
        )
    )


def _published(found: Repo, way: str, environ: Mapping[str, str]) -> str:
    """The hash of what was published last; '' where that is not known."""
    if way == 'branch':
        with tempfile.TemporaryDirectory(dir=environ.get('RUNNER_TEMP') or None) as folder:
            tip = _fetch(found, BRANCH, _credentials(Path(folder), environ))
        data = repo.git(found, 'cat-file', 'blob', f'{tip}:{FILE_IN_BRANCH}', check=False) if tip else b''
        return hashlib.sha256(data).hexdigest()
    if way == 'commit':
        return hashlib.sha256(repo.git(found, 'cat-file', 'blob', f'HEAD:{FILE_IN_TREE}', check=False)).hexdigest()
    try:  # with the index, in the cache
        return (found.data_dir / 'action.sha256').read_text('ascii').strip()
    except (OSError, UnicodeDecodeError):
        return ''


def _fetch(found: Repo, branch: str, access: tuple[str, ...]) -> str:
    """The remote branch's tip, fetched; '' where there is no such branch."""
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


def _is_our_commit(found: Repo, commit: str) -> bool:
    """Whether HEAD is a commit of ours: what it holds came from this action, and must not start it again."""
    subject = repo.text(repo.git(found, 'log', '-1', '--format=%s', commit)).strip()
    touched = repo.text(repo.git(found, 'diff-tree', '--no-commit-id', '--name-only', '-r', '--root', commit))
    return subject == MESSAGE and touched.split('\n')[:-1] in ([FILE_IN_TREE], [FILE_IN_BRANCH])


def _credentials(folder: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Options of git that give the token through a file, where no process list shows it."""
    token = environ.get('CTXKIT_INPUT_TOKEN', '')
    if not token:
        return ()
    server = environ.get('GITHUB_SERVER_URL') or 'https://github.com'
    secret = base64.b64encode(f'x-access-token:{token}'.encode()).decode('ascii')
    file = folder / 'credentials'
    file.touch(mode=0o600)
    # The empty value drops the header that the checkout may have set: two of them are refused.
    file.write_text(f'[http "{server}/"]\n\textraheader =\n\textraheader = AUTHORIZATION: basic {secret}\n', 'utf-8')
    return '-c', f'include.path={file}'


def _event(environ: Mapping[str, str]) -> dict[str, Any]:
    try:
        data = json.loads(Path(environ.get('GITHUB_EVENT_PATH', '')).read_text('utf-8'))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _from_fork(event: Mapping[str, Any]) -> bool:
    """Whether the event stems from another repository than the one that the workflow runs in."""
    here = (event.get('repository') or {}).get('full_name')
    request, run = event.get('pull_request'), event.get('workflow_run')
    if isinstance(request, dict):
        head = (request.get('head') or {}).get('repo') or {}  # null where the fork was deleted
        return head.get('full_name') != ((request.get('base') or {}).get('repo') or {}).get('full_name', here)
    if isinstance(run, dict):
        return (run.get('head_repository') or {}).get('full_name') != here
    return False


def _report(block: Any, done: Any, changed: bool, commit: str) -> str:
    """The job's summary, in Markdown."""
    state = 'changed' if changed else 'not changed'
    lines = [
        '## Context',
        '',
        f'Commit `{commit[:10]}`: {block.used} of {block.budget} tokens, {len(block.units)} units, {state} since '
        'it was published last.',
        '',
        '| section | tokens | of | |',
        '| --- | ---: | ---: | --- |',
    ]
    rest = block.used
    for section in block.sections:
        lines.append(_bar(section.name, section.used, section.budget))
        rest -= section.used
    lines += [_bar('units and frame', rest, block.budget), '']
    if block.units:
        lines += ['| unit | lines | why |', '| --- | --- | --- |']
        for unit in block.units[:MAX_LISTED]:
            place = f'{_code(unit.path)} {_code(unit.symbol)}'
            lines.append(f'| {place} | {unit.start_line}-{unit.end_line} | {_plain(unit.why)} |')
        lines.append('')
    lines.append(
        f'{done.files} files, {done.chunks} chunks; {done.sliced_files} files were sliced anew in {done.seconds:.1f} s.'
    )
    if done.skipped:
        lines += ['', f'<details><summary>{len(done.skipped)} files skipped</summary>', '']
        lines += [f'* {_code(path)}: {_plain(reason)}' for path, reason in done.skipped[:MAX_LISTED]]
        lines += ['', '</details>']
    return '\n'.join(lines) + '\n'


def _bar(name: str, used: int, budget: int) -> str:
    full = min(20, round(20 * used / budget)) if budget else 0
    return f'| {name} | {used} | {budget} | `{"#" * full}{"." * (20 - full)}` |'


def _code(text: str) -> str:
    """A name as a code span that no name can leave."""
    shown = printable(text).replace('`', "'").replace('|', '\\|')
    return f'`{shown}`' if shown else ''


def _plain(text: str) -> str:
    return printable(text).replace('|', '\\|').replace('<', '&lt;').replace('`', "'")


def _number(text: str) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdigit():
        raise CtxError(f'budget: {text} is not a number of tokens', 'give a whole number, or leave it empty')
    return int(text)


def _line(output: bytes) -> str:
    return repo.text(output).strip()


def _output(environ: Mapping[str, str], **values: str) -> None:
    """Set the step's outputs. No value has a line break, so none can set another output."""
    lines = ''.join(f'{name}={printable(value)}\n' for name, value in values.items())
    if environ.get('GITHUB_OUTPUT'):
        with open(environ['GITHUB_OUTPUT'], 'a', encoding='utf-8') as file:
            file.write(lines)
    else:
        sys.stdout.write(lines)


def _summary(environ: Mapping[str, str], text: str) -> None:
    if environ.get('GITHUB_STEP_SUMMARY'):
        with open(environ['GITHUB_STEP_SUMMARY'], 'a', encoding='utf-8') as file:
            file.write(text + '\n')


def main(arguments: list[str], environ: Mapping[str, str]) -> int:
    """Run one step; an expected failure becomes an annotation of the job and exit code 1."""
    commands = {'locate': locate, 'refresh': refresh, 'publish': publish}
    if len(arguments) != 1 or arguments[0] not in commands:
        sys.stderr.write(f'use: python -I -m ctxkit.action {"|".join(commands)}\n')
        return 2
    try:
        workspace = Path(environ.get('GITHUB_WORKSPACE') or os.getcwd()).resolve()
        folder = (workspace / (environ.get('CTXKIT_INPUT_PATH') or '.')).resolve()
        if not folder.is_relative_to(workspace):
            raise CtxError(f'path: {folder} is outside the workspace', 'give a folder inside it')
        commands[arguments[0]](repo.find(folder), environ)
    except CtxError as error:
        # In an annotation, line breaks and per cent signs are written out.
        message = printable(error.format_message()).replace('%', '%25')
        sys.stdout.write(f'::error title=ctxkit::{message}\n')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:], os.environ))
