"""What `ctxkit doctor` finds: each problem, and what to do about it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ctxkit import config, log
from ctxkit.errors import CtxError
from ctxkit.events import requests
from ctxkit.events.freshness import Freshness, freshness
from ctxkit.events.hook_file import lines_in
from ctxkit.events.install import called_by_hand, hook_folder, installed_in, unwanted
from ctxkit.events.pre_commit import COMMAND, STAGES
from ctxkit.events.shim import HOOKS, block
from ctxkit.repo import SERIES, Repo, is_partial
from ctxkit.safety.paths import is_link, may_write


class Finding(NamedTuple):
    """A line `what`; if it is not `good`, `advice` says what to do about it."""

    good: bool
    what: str
    advice: str = ''


def examine(repo: Repo, environ: Mapping[str, str]) -> list[Finding]:
    """Run all checks. A check that itself fails becomes a finding, not an error."""
    found: list[Finding] = []
    state = freshness(repo)
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        lambda: _folder(repo),
        lambda: _hooks(repo, state, environ),
        lambda: _settings(repo, environ),
        lambda: _fresh(repo, state),
        lambda: _model(environ),
        lambda: _index(repo),
        lambda: _stream(repo, environ),
        lambda: _clone(repo),
    )
    for check in checks:
        try:
            found += check()
        except (CtxError, OSError) as error:
            said = error.message if isinstance(error, CtxError) else str(error)
            found.append(Finding(False, said, error.hint if isinstance(error, CtxError) else ''))
    return found


def _folder(repo: Repo) -> Iterator[Finding]:
    from ctxkit.safety.tracked import entries, foreign

    folder = repo.ctx_dir
    if is_link(folder):
        yield Finding(False, f'{folder} is a link, and ctxkit does not write through links', 'replace it with a folder')
    elif folder.exists() and not folder.is_dir():
        yield Finding(False, f'{folder} is not a folder', 'move it away')
    elif not folder.exists():
        yield Finding(False, 'ctxkit is not set up here', 'run: ctxkit init')
    elif not may_write(folder) or not may_write(repo.data_dir if repo.data_dir.is_dir() else repo.common_dir):
        yield Finding(False, f'{folder} or {repo.common_dir} is read-only', 'check permissions')
    data = repo.data_dir
    if is_link(data) or data.exists() and not data.is_dir():
        yield Finding(False, f'{data} is not a folder, but the index belongs there', 'move it away')
    elif data.exists() and (theirs := _not_writable(data)):
        yield Finding(
            False,
            f'{theirs} is not writable, so hooks do nothing; probably another user (sudo?) ran ctxkit or git here',
            f'change the owner of {data} and {folder} to you, or delete both and run ctxkit init',
        )
    tracked = foreign(entries(repo))
    if tracked:
        names = ', '.join(entry.path for entry in tracked[:5])
        yield Finding(
            False,
            f'git tracks {names}: hooks write nothing until you change that',
            'run: git rm -r --cached .ctx, then git add -f .ctx/config.yaml if you have one',
        )


def _not_writable(data: Path) -> Path | None:
    """The first file of the data folder that a worker needs and cannot write; None if there is none."""
    needed = (data, *(data / name for name in ('requests', 'trees', 'worker.lock', 'units.lock', 'index.db', 'log')))
    return next((file for file in needed if file.exists() and not os.access(file, os.W_OK)), None)


def _hooks(repo: Repo, state: Freshness, environ: Mapping[str, str]) -> Iterator[Finding]:
    where = hook_folder(repo)
    files = installed_in(repo)
    live = {file.name.removesuffix('.legacy') for file in files if file.parent == where.path}
    live.update(called_by_hand(where.path))
    if requests.disabled(environ):
        yield Finding(False, 'CTXKIT_DISABLE is set: hooks do nothing', 'unset CTXKIT_DISABLE')
    if live.issuperset(HOOKS):
        yield Finding(True, f'hooks are installed in {where.path}')
    elif _for_pre_commit(repo) and _runs_pre_commit(where.path):
        yield Finding(True, f'hooks run through pre-commit, from {where.path}')
    elif not live and unwanted(repo):
        yield Finding(True, 'hooks are off, as you chose with ctxkit init --hooks none')
    elif not live and _for_pre_commit(repo) and not where.problem:
        yield Finding(False, f'pre-commit should run ctxkit, but not all of {where.path} calls it', f'run: {COMMAND}')
    elif live or where.problem or repo.ctx_dir.exists():  # else `_folder` says it
        missing = ', '.join(hook for hook in HOOKS if hook not in live)
        because = f' ({where.problem})' if where.problem else ''
        yield Finding(
            False,
            f'no ctxkit lines in {missing} in {where.path}{because}',
            'run: ctxkit init, which says what it cannot do; or run ctxkit update by hand',
        )
    yield from next(filter(None, (list(_lines(file, environ)) for file in files)), [])
    updated = state.last.get('time')
    for line in log.errors(repo.common_dir, updated if isinstance(updated, (int, float)) else 0.0):
        yield Finding(False, f'log: {line}', f'see the whole log in {repo.data_dir / "log"}')


def _lines(file: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is wrong with our lines in a hook: not as `ctxkit init` writes them, or starting a missing program."""
    lines = lines_in(file.read_bytes())
    named = re.search(rb"(?m)^  p='(.*)'$", lines)
    python = os.fsdecode(named[1].replace(b"'\\''", b"'")) if named else ''
    if lines != block(file.name.removesuffix('.legacy'), python):
        yield Finding(False, f'{file.name} has ctxkit lines from another version', 'run: ctxkit init')
    if python and not os.access(python, os.X_OK):
        # it may be another user's: if both ran init, each would take over the other's hooks
        instead = shutil.which('ctxkit', path=environ.get('PATH', ''))
        takes = f', so it uses {instead}' if instead else ''
        yield Finding(
            instead is not None, f'{file.name} starts {python}, which does not exist{takes}', 'run: ctxkit init'
        )


def _for_pre_commit(repo: Repo) -> bool:
    try:
        return 'ctxkit-refresh' in (repo.root / '.pre-commit-config.yaml').read_text('utf-8', 'replace')
    except OSError:
        return False


def _runs_pre_commit(folder: Path) -> bool:
    try:
        return all(
            b'pre-commit' in (folder / hook).read_bytes() or b'prek' in (folder / hook).read_bytes() for hook in STAGES
        )
    except OSError:
        return False


def _settings(repo: Repo, environ: Mapping[str, str]) -> Iterator[Finding]:
    for name, meant in config.unknown_variables(environ):
        yield Finding(False, f'{name} is not a setting of ctxkit and is ignored', meant or 'unset it')
    config.load(repo.ctx_dir / 'config.yaml', environ)
    yield Finding(True, 'settings are valid')


def _fresh(repo: Repo, state: Freshness) -> Iterator[Finding]:
    if state.pending:
        asked = ', '.join(sorted(set(state.pending)))
        if state.working:
            yield Finding(True, f'a worker is running ({asked})')
        elif state.operation in SERIES:
            yield Finding(True, f'waiting for the end of the {state.operation}: {asked}')
        elif state.fresh:
            yield Finding(True, f'noted, but HEAD has not moved: {asked}')  # e.g. `git am --abort` runs no hook
        else:
            yield Finding(
                False, f'waiting, but no worker is running: {asked}', 'run: ctxkit hook drain, or ctxkit update'
            )
    if not state.last:
        if not state.working:
            yield Finding(False, 'there is no context yet', 'run: ctxkit update')
    elif not state.fresh and not state.working:
        yield Finding(
            False,
            f'context.xml describes {state.last.get("commit", "")[:9] or "no commit"}, HEAD is '
            f'{state.head[:9] or "unborn"}',
            'run: ctxkit update',
        )
    elif state.fresh:
        yield Finding(True, f'context.xml describes HEAD ({state.head[:9] or "unborn"})')
        if not (repo.ctx_dir / 'context.xml').is_file():
            yield Finding(False, 'context.xml is missing', 'run: ctxkit update')


def _model(environ: Mapping[str, str]) -> Iterator[Finding]:
    from ctxkit.embedding import load

    name = config.load(None, environ).model.name
    encoder = load(name)
    yield Finding(True, f'model {name} works ({encoder.dimension} dimensions)')


def _index(repo: Repo) -> Iterator[Finding]:
    import sqlite3

    from ctxkit.index.schema import SCHEMA_VERSION

    file = repo.data_dir / 'index.db'
    if not file.is_file() or not may_write(file.parent):
        return  # `_folder` reports the latter
    try:
        link = sqlite3.connect(f'{file.as_uri()}?mode=ro', uri=True, timeout=5)
        try:
            link.execute('PRAGMA schema_version').fetchone()
            link.execute('SELECT count(*) FROM sqlite_master').fetchone()
            if int(link.execute('PRAGMA user_version').fetchone()[0]) > SCHEMA_VERSION:
                yield Finding(False, 'the index was written by a newer ctxkit', f'upgrade ctxkit, or delete {file}')
        finally:
            link.close()
    except sqlite3.Error as error:
        yield Finding(False, f'the index cannot be read ({error})', f'remove {repo.data_dir} and run ctxkit update')


def _stream(repo: Repo, environ: Mapping[str, str]) -> Iterator[Finding]:
    from ctxkit.stream import outbox, server

    settings = config.load(None, environ).stream
    if not settings.url:
        return
    try:
        with server.connected(settings):
            yield Finding(True, f'{server.shown(settings)} answers')
    except CtxError as error:
        waiting = len(outbox.pending(repo))
        yield Finding(False, f'{error.message}; events waiting: {waiting}', error.hint)


def _clone(repo: Repo) -> Iterator[Finding]:
    if is_partial(repo):
        yield Finding(True, 'the clone is partial: files with missing content are skipped until git fetches it')
    if (repo.common_dir / 'shallow').exists():
        yield Finding(True, 'the clone is shallow: changes are known only as far as its history goes')
