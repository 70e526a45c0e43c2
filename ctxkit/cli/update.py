"""`ctxkit update`."""

from __future__ import annotations

import sys

import click

from ctxkit.cli.options import clock, indexing, repository_and_settings
from ctxkit.counted import counted


@click.command()
@click.option('--rev', metavar='REV', default='', help='Only index this commit, ahead of its checkout.')
@click.option(
    '--shared', is_flag=True, help='Take what other clones sliced from the shared store, and add the rest to it.'
)
@click.option('--json', 'as_json', is_flag=True, help='Print the result as one JSON object.')
def update(rev: str, shared: bool, as_json: bool) -> None:
    """Update index, units and context.xml now, in the foreground.

    context.xml describes the commit that is checked out. --rev only indexes another commit, so that its checkout needs
    no slicing.
    """
    from ctxkit import pipeline
    from ctxkit import repo as git
    from ctxkit.errors import CtxError
    from ctxkit.events import requests

    repo, settings = repository_and_settings()
    before = requests.of_work_tree(repo)
    head = git.resolve(repo)
    commit = git.resolve(repo, rev) if rev else head
    if rev and not commit:
        raise CtxError(f'{rev} is not a commit of this repository')
    if shared:
        from ctxkit.stream.shared import exchange

        exchanged = exchange(repo, settings, commit, clock())
        if exchanged.problem:
            click.echo(f'ctxkit: the shared store could not be used completely: {exchanged.problem}', err=True)
    with indexing():
        if commit == head:
            done = pipeline.update(repo, settings, now=clock())
            requests.forget(before)  # that no worker took, after an aborted series or a killed worker
        else:
            done = pipeline.index(repo, settings, commit, now=clock())
    if commit != head:
        click.echo(f'ctxkit: {commit[:8]} is indexed; .ctx/context.xml still describes {head[:8] or "HEAD"}', err=True)
    if as_json:
        import json
        from dataclasses import asdict

        said = asdict(done)
        said['skipped'] = [{'path': path, 'reason': reason} for path, reason in done.skipped]
        click.echo(json.dumps(said))
    elif sys.stdout.isatty():
        click.echo(
            f'{counted(done.files, "file")}, {counted(done.chunks, "chunk")}; '
            f'{counted(done.sliced_files, "file")} sliced now; '
            f'{counted(done.units, "unit")} from this event; {done.seconds:.1f} s'
        )
        if done.skipped:
            click.echo(f'{counted(len(done.skipped), "file")} skipped; ctxkit doctor says why')
