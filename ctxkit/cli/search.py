"""`ctxkit search`."""

from __future__ import annotations

import os
import posixpath
import sys
from pathlib import Path

import click

from ctxkit.cli.options import clock, indexing, repository_and_settings
from ctxkit.errors import CtxError
from ctxkit.repo import Repo


# A request can be a flag of the program that is asked about (`--no-color`), so unknown options are no error.
@click.command(context_settings={'ignore_unknown_options': True})
@click.argument('query')
@click.option('-k', 'count', type=click.IntRange(1, 1000), default=10, show_default=True, help='Number of places.')
@click.option('--under', metavar='PATH', default='', help='Search only below this folder.')
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per line.')
def search(query: str, count: int, under: str, as_json: bool) -> None:
    """Print ranked places for a question, an error message or a name.

    Includes uncommitted edits.
    """
    from ctxkit.units.places import find_places

    if not query.strip():
        raise click.UsageError('the query is empty')
    repo, settings = repository_and_settings()
    folder = _below(repo, under) if under else ''
    with indexing():
        found = find_places(repo, settings, query, count, folder, clock())
    if not found:
        click.echo('ctxkit: nothing found', err=True)
    if as_json:
        import json

        for place in found:
            click.echo(json.dumps(place._asdict()))
        return
    from ctxkit.repo import not_checked_out
    from ctxkit.safety.text import printable

    colour = sys.stdout.isatty() and not os.environ.get('NO_COLOR')
    absent = not_checked_out(repo, {place.path for place in found})
    for place in found:
        where = printable(f'{place.path}:{place.start_line}-{place.end_line}')
        said = printable(place.symbol or place.head) + (' (not checked out)' if place.path in absent else '')
        click.echo(f'{click.style(where, fg="cyan") if colour else where}  {said}')


def _below(repo: Repo, under: str) -> str:
    """The folder `under` relative to the top of the repository ('' for the top); a person may also give it relative to
    here."""
    folder = posixpath.normpath(under.replace('\\', '/'))
    if not repo.bare:
        seen_from_here = Path(os.path.normpath(Path.cwd() / folder))
        if seen_from_here.exists() and seen_from_here.is_relative_to(repo.root):
            folder = seen_from_here.relative_to(repo.root).as_posix()
        elif not (repo.root / folder).exists():
            raise CtxError(
                f'there is no {folder} in this repository',
                'give it relative to the current folder or to the top of the repository',
            )
    return '' if folder == '.' else folder
