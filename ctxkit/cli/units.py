"""`ctxkit units`."""

from __future__ import annotations

import click

from ctxkit.cli.options import clock, repository_and_settings


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per line.')
def units(as_json: bool) -> None:
    """List the units that recent events produced, with their hot scores, hottest first.

    The list is a record of events: what was reverted, moved or rewritten since stays in it, under the commit that the
    event made, until it is too old. `ctxkit render` shows what exists now, and who still calls what was removed.
    """
    from ctxkit.units import hot, stream
    from ctxkit.units.score import hot_score

    repo, settings = repository_and_settings()
    now = clock()
    found = stream.read(repo.ctx_dir / 'units.jsonl', now - settings.units.keep_hours * 3600)
    if not found:
        made = (
            'nothing has changed since the first context was made'
            if repo.ctx_dir.joinpath('units.jsonl').exists()
            else 'no context yet; run ctxkit update'
        )
        click.echo(f'ctxkit: no units: {made}', err=True)
    ordered = hot.order(found, now, settings.units.recent_minutes)  # decides between equal scores
    scored = [(round(hot_score((now - unit.time) / 60, unit.edits_today), 4), unit) for unit in ordered]
    for score, unit in sorted(scored, key=lambda one: -one[0]):
        if as_json:
            import json

            click.echo(json.dumps({**unit.to_dict(), 'hot_score': score}))
        else:
            from ctxkit.safety.text import printable
            from ctxkit.units.code import first_line

            where = f'{unit.path}:{unit.start_line}-{unit.end_line}'
            what = unit.symbol or first_line(unit.text)
            click.echo(printable(f'{score:6.3f}  {where}  {what}  {hot.why_of(unit)}'))
