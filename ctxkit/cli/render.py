"""`ctxkit render`."""

from __future__ import annotations

import click

from ctxkit.cli.options import clock, indexing, repository_and_settings, request_text, write_output


@click.command()
@click.option(
    '--query', metavar='TEXT', help='The request. - reads it from standard input, which is the default in a pipe.'
)
@click.option('--budget', type=click.IntRange(1), metavar='N', help='Tokens of the whole block.  [default: 5100]')
@click.option(
    '--section',
    'sections',
    multiple=True,
    metavar='NAME',
    help='Print only this section: environment, session, memory, web or units. Can be repeated.',
)
@click.option(
    '--format',
    'form',
    type=click.Choice(['xml', 'markdown', 'json']),
    default='xml',
    show_default=True,
    help='Output format.',
)
@click.option('--explain', is_flag=True, help='Print the tokens of each part instead of the block.')
@click.option('-o', '--output', type=click.Path(dir_okay=False), help='Write to this file instead of printing.')
def render(
    query: str | None, budget: int | None, sections: tuple[str, ...], form: str, explain: bool, output: str | None
) -> None:
    """Print the context block within its token budget. The request comes last.

    Works in any repository, set up or not. Missing parts of the index are made first.
    """
    import time

    from ctxkit.metrics import journal
    from ctxkit.render import build

    repo, settings = repository_and_settings()
    request, now, began = request_text(query), clock(), time.perf_counter()
    with indexing():
        block = build(repo, settings, query=request, budget=budget, now=now, sections=sections)
    used = {section.name: section.used for section in block.sections}
    used['units'] = block.used - sum(used.values())
    figures = {'budget': block.budget, 'used': block.used, 'left_out': block.left_out, 'units': len(block.units)}
    seconds = round(time.perf_counter() - began, 4)
    journal.note(repo.data_dir, 'render', now, seconds=seconds, asked=bool(request.strip()), sections=used, **figures)
    if explain:
        from ctxkit.render.explain import explained

        write_output(explained(block), output)
    elif form == 'json':
        write_output(block.to_json() + '\n', output)
    else:
        write_output(block.to_markdown() if form == 'markdown' else block.to_xml(), output)
