"""`ctxkit gc`."""

from __future__ import annotations

import click

from ctxkit.cli.options import clock, repository_and_settings
from ctxkit.counted import counted


@click.command()
@click.option(
    '--days',
    type=click.IntRange(0, 3650),
    default=30,
    show_default=True,
    help='Keep content that a work tree used within this many days.',
)
def gc(days: int) -> None:
    """Delete index content that no work tree needs any more, and free its space."""
    from ctxkit.index.collect import collect

    repo, settings = repository_and_settings()
    done = collect(repo, settings, clock(), days)
    click.echo(
        f'deleted {counted(done.files, "file version")} and the data of {counted(done.trees, "removed work tree")}; '
        f'the index takes {done.after / 1e6:.1f} MB, before {done.before / 1e6:.1f} MB'
    )
