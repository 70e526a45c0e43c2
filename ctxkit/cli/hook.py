"""`ctxkit hook NAME [ARGS]`: for hooks without our shim: pre-commit, husky, a person's own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command(context_settings={'ignore_unknown_options': True})
@click.argument('name')
@click.argument('args', nargs=-1)
def hook(name: str, args: tuple[str, ...]) -> None:
    """Note a git event, and let a detached worker update the context. Never fails and never prints.

    NAME is the name of the git hook, followed by git's own ARGS. `refresh` finds the hook from pre-commit's variables.
    `drain` does the work now, in the foreground.
    """
    from ctxkit.events.requests import disabled

    if disabled(os.environ):
        return
    try:
        _hook(name, args)
    except Exception as error:  # a hook never fails a git command; the log says what happened
        _log(error)


def _hook(name: str, args: tuple[str, ...]) -> None:
    from ctxkit.repo import find

    if name == 'drain':
        from ctxkit.events.worker import drain, yield_to_people

        common_dir = Path(args[0]) if args else find(Path.cwd()).common_dir
        yield_to_people()
        drain(common_dir, os.environ)
        return
    event = _event(name, args)
    if event:
        from ctxkit.events.detach import note_and_start
        from ctxkit.events.worker import drain

        repo = find(Path.cwd())
        short_lived = _is_tried()
        note_and_start(repo, event, os.environ, detached=not short_lived)
        if short_lived:
            drain(repo.common_dir, os.environ)


def _is_tried() -> bool:
    """Whether pre-commit's `try-repo` runs us: it deletes the environment at once, so a worker could not outlive it."""
    import tempfile

    if 'PRE_COMMIT' not in os.environ:
        return False
    home = Path(sys.prefix)
    temporary = home.name.startswith('py_env') and Path(tempfile.gettempdir()) in list(home.parents)[2:3]
    return temporary or any(part.startswith('try-repo') for part in home.parts)


def _event(name: str, args: tuple[str, ...]) -> str:
    """The git event, or '' if it changes no commit: files checked out, or an amend that post-commit already noted."""
    environ = os.environ
    if name == 'refresh':
        if 'PRE_COMMIT_REWRITE_COMMAND' in environ:
            name, args = 'post-rewrite', (environ['PRE_COMMIT_REWRITE_COMMAND'],)
        elif 'PRE_COMMIT_CHECKOUT_TYPE' in environ:
            name, args = 'post-checkout', ('', '', environ['PRE_COMMIT_CHECKOUT_TYPE'])
        elif 'PRE_COMMIT_IS_SQUASH_MERGE' in environ:
            name = 'post-merge'
        else:
            stage = environ.get('PREK_HOOK_STAGE', '')
            name = stage if stage.startswith('post-') else 'post-commit'
    if name == 'post-checkout' and args[2:3] == ('0',):
        return ''
    if name == 'post-rewrite' and args[:1] == ('amend',):
        return ''
    return name


def _log(error: Exception) -> None:
    import time

    from ctxkit.errors import CtxError

    try:
        from ctxkit import log
        from ctxkit.repo import find

        said = error.format_message() if isinstance(error, CtxError) else f'{type(error).__name__}: {error}'
        log.append(find(Path.cwd()).common_dir, 'error', f'hook: {said}', time.time())
    except Exception:  # there is not even a repository to log to
        return
