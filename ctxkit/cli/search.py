"""`ctxkit search`."""

from __future__ import annotations

import posixpath
import sys

import click

from ctxkit.cli.options import clock, here, indexing
from ctxkit.errors import CtxError


@click.command()
@click.argument('query')
@click.option('-k', 'count', type=click.IntRange(1, 1000), default=10, show_default=True, help='How many places.')
@click.option('--under', metavar='PATH', default='', help='Only below this folder of the repository.')
@click.option('--json', 'as_json', is_flag=True, help='One JSON object a line.')
def search(query: str, count: int, under: str, as_json: bool) -> None:
    """Ranked places for a question, an error message or a name; uncommitted edits included."""
    from ctxkit.units.places import find_places

    repo, settings = here()
    folder = posixpath.normpath(under.replace('\\', '/')) if under else ''
    if folder and not repo.bare and not (repo.root / folder).exists():
        raise CtxError(f'there is no {folder} in this repository', 'name it as seen from the top of the repository')
    with indexing():
        found = find_places(repo, settings, query, count, '' if folder == '.' else folder, clock())
    if as_json:
        import json

        for place in found:
            click.echo(json.dumps(place._asdict()))
        return
    from ctxkit.safety.text import printable

    colour = sys.stdout.isatty()
    for place in found:
        where = printable(f'{place.path}:{place.start_line}-{place.end_line}')
        click.echo(f'{click.style(where, fg="cyan") if colour else where}  {printable(place.symbol)}')
