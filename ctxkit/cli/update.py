"""`ctxkit update`."""

from __future__ import annotations

import sys

import click

from ctxkit.cli.options import clock, here, progress


@click.command()
@click.option('--rev', metavar='REV', default='', help='Describe this commit instead of HEAD.')
@click.option('--shared', is_flag=True, help='Take what other clones have sliced from the shared store, and give back.')
@click.option('--json', 'as_json', is_flag=True, help='Print what was done as one JSON object.')
def update(rev: str, shared: bool, as_json: bool) -> None:
    """Run the whole pipeline now: index, units, context.xml."""
    from ctxkit import repo as git
    from ctxkit.errors import CtxError
    from ctxkit.pipeline import update as run

    repo, settings = here()
    commit = git.resolve(repo, rev) if rev else ''
    if rev and not commit:
        raise CtxError(f'{rev} is no commit of this repository')
    if shared:
        from ctxkit.stream.shared import exchange

        exchanged = exchange(repo, settings, commit or git.resolve(repo), clock())
        if exchanged.problem:
            click.echo(f'ctxkit: the shared store was not used to the end: {exchanged.problem}', err=True)
    show, end = progress('indexing')
    try:
        done = run(repo, settings, commit=commit, now=clock(), progress=show)
    finally:
        end()
    if as_json:
        import json
        from dataclasses import asdict

        click.echo(json.dumps(asdict(done)))
    elif sys.stdout.isatty():
        click.echo(
            f'{done.files} files, {done.chunks} chunks; {done.sliced_files} files sliced now; '
            f'{done.units} units from this event; {done.seconds:.1f} s'
        )
        if done.skipped:
            click.echo(f'{len(done.skipped)} files skipped: ctxkit doctor tells why')
