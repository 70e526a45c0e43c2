"""`ctxkit init` and `ctxkit uninstall`: they report what they write, and remove what they wrote."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxkit.safety.text import visible

if TYPE_CHECKING:
    from ctxkit.repo import Repo


@click.command()
@click.option(
    '--hooks',
    type=click.Choice(['git', 'pre-commit', 'none']),
    default=None,
    help='How git events reach ctxkit. Default: git, beside existing hooks. none removes the hooks of ctxkit.',
)
@click.option(
    '--agent', 'agents', multiple=True, metavar='NAME', help='Also set up this coding agent. Can be repeated.'
)
@click.option('--remove', is_flag=True, help='With --agent: remove what was written for that agent.')
def init(hooks: str | None, agents: tuple[str, ...], remove: bool) -> None:
    """Set up this repository: hooks that keep .ctx/ fresh, and the files that your coding agents read.

    Prints what it wrote.
    """
    from ctxkit.agents import files, template
    from ctxkit.errors import CtxError
    from ctxkit.repo import find

    repo = find(Path.cwd())
    for agent in agents:
        template.load(agent)  # reports an unknown name before anything is written
    if remove:
        if not agents:
            raise click.UsageError('--remove needs --agent NAME; to remove everything, run ctxkit uninstall')
        _say(repo, files.remove(repo, list(agents)))
        return
    done = _folder(repo)
    if hooks or not agents or not _hooks_settled(repo):
        done += _hooks(repo, hooks or 'git')
    for agent in agents:
        try:
            done += files.install(repo, [agent])
        except CtxError:
            _say(repo, done)  # what was written before the error
            raise
    _say(repo, done or ['everything is set up already'])
    _first_update(repo)


def _hooks(repo: Repo, kind: str) -> list[str]:
    from ctxkit.events import install, pre_commit
    from ctxkit.events.detach import interpreter

    install.choose(repo, wanted=kind != 'none')
    if kind == 'git':
        return install.install(repo, interpreter())
    done = pre_commit.add(repo.root) if kind == 'pre-commit' else []
    return install.uninstall(repo) + done


def _hooks_settled(repo: Repo) -> bool:
    from ctxkit.events.install import installed_in, unwanted

    return unwanted(repo) or bool(installed_in(repo))


def _folder(repo: Repo) -> list[str]:
    from ctxkit.errors import CtxError
    from ctxkit.safety.paths import write_ignore
    from ctxkit.safety.tracked import entries, foreign

    tracked = foreign(entries(repo))
    if tracked:
        raise CtxError(
            f'git tracks {tracked[0].path}, and ctxkit never writes a tracked file',
            'run: git rm -r --cached .ctx, then commit',
        )
    if not write_ignore(repo.ctx_dir):
        return []
    return [f'wrote {repo.ctx_dir}{os.sep} (git ignores all of it except config.yaml)']


def _first_update(repo: Repo) -> None:
    from ctxkit.events.detach import note_and_start
    from ctxkit.events.requests import disabled

    if disabled(os.environ):
        return
    first = not (repo.ctx_dir / 'context.xml').exists()
    if note_and_start(repo, 'init', os.environ) and first:
        click.echo(
            'making the first context in the background; ctxkit status shows the progress, ctxkit update waits for it'
        )


def _say(repo: Repo, lines: list[str]) -> None:
    """Print what was done, with paths relative to the top of the work tree."""
    for line in lines:
        click.echo(visible(line.replace(f'{repo.root}{os.sep}', '')))


@click.command()
@click.option('--keep-data', is_flag=True, help='Keep .ctx/ and the index.')
def uninstall(keep_data: bool) -> None:
    """Remove everything that init wrote: hook lines, agents' files, .ctx/ (except config.yaml) and the index."""
    from ctxkit.agents import files
    from ctxkit.events.install import uninstall as remove_hooks
    from ctxkit.events.pre_commit import remove
    from ctxkit.events.remove import remove_data
    from ctxkit.repo import find

    repo = find(Path.cwd())
    done = remove_hooks(repo) + remove(repo.root)
    for tree in files.trees(repo):
        names = files.installed(tree)
        said = files.remove(tree, names) if names else []
        done += said if tree.root == repo.root else [f'{line} in {tree.root}' for line in said]
    if not keep_data:
        done += remove_data(repo)
    _say(repo, done or ['ctxkit was not set up here'])
