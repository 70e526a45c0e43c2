"""`ctxkit memory` beyond the facts: reading transcripts now or later, the cost of models, what was read and why not."""

from __future__ import annotations

import click

from ctxkit.cli.options import clock, progress, repository_and_settings
from ctxkit.config import environment
from ctxkit.places import home
from ctxkit.safety.text import printable


@click.command()
def enqueue() -> None:
    """Request consolidation at the next background run."""
    from ctxkit.memory import person

    repo, settings = repository_and_settings()
    person.enqueue(repo)
    click.echo('requested' if settings.memories.enabled else 'requested; it will run once memories.enabled is true')


@click.command()
def rebuild() -> None:
    """Read the conversations that are due and consolidate now, in the foreground."""
    from ctxkit.memory import export
    from ctxkit.memory.run import run

    repo, settings = repository_and_settings()
    show, end = progress('reading conversations')
    report = run(repo, settings, home(environment()), environment(), clock(), everything=True, progress=show)
    end()
    for line in export.report_lines(report):
        click.echo(printable(line))


@click.command(hidden=True)
def start() -> None:
    """What runs in the background after an event: quiet, bounded, once at a time."""
    from ctxkit.memory.run import run

    repo, settings = repository_and_settings()
    if settings.memories.enabled:
        run(repo, settings, home(environment()), environment(), clock())


@click.command()
def ledger() -> None:
    """List the calls of a model (time, purpose, tokens, seconds, outcome), and what is left of the daily limits."""
    from ctxkit.memory.ledger import lines, path

    _, settings = repository_and_settings()
    for line in lines(path(environment()), settings, clock()):
        click.echo(printable(line))


@click.command()
@click.option('--all', 'every', is_flag=True, help='Include the conversations of other folders.')
def doctor(every: bool) -> None:
    """Show why each conversation was or was not used, and what could not be read."""
    from ctxkit.memory.doctor import lines

    repo, settings = repository_and_settings()
    for line in lines(repo, settings, home(environment()), environment(), clock(), every):
        click.echo(printable(line))
