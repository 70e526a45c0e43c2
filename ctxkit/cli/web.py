"""`ctxkit web`: whether a request needs the web, and what the person's provider finds."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from ctxkit import config
from ctxkit.errors import CtxError
from ctxkit.places import home
from ctxkit.safety.text import printable, visible


@click.group()
def web() -> None:
    """Decide whether a request needs the web, and search it with your provider."""


@web.command()
@click.argument('text', metavar='TEXT|-')
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object: needed, reason.')
def need(text: str, as_json: bool) -> None:
    """Say whether the request needs a web search, and why."""
    from ctxkit.web.need import needs_web_search

    found = needs_web_search(_text(text))
    if as_json:
        click.echo(json.dumps({'needed': found.needed, 'reason': visible(found.reason)}, ensure_ascii=False))
    else:
        click.echo(f'{"needed" if found.needed else "not needed"}: {printable(found.reason)}')


@web.command()
@click.argument('text', metavar='TEXT|-')
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object: text, links, provider.')
def search(text: str, as_json: bool) -> None:
    """Search with the provider in your own settings, whether the request needs it or not.

    The answer is untrusted text.
    """
    from ctxkit.web.search import search as ask

    environ = config.environment()
    settings = config.load(None, environ).web
    if settings.mode == 'off':
        raise CtxError('web search is off', f'set web.mode to auto or on in {_shown(config.user_config_file(environ))}')
    found = ask(_text(text), settings, environ, time.time(), retry=True)
    if as_json:
        click.echo(
            json.dumps(
                {'provider': settings.provider, 'text': found.text, 'links': [link._asdict() for link in found.links]},
                ensure_ascii=False,
            )
        )
        return
    click.echo(found.text)
    for link in found.links:
        click.echo(printable(f'- {link.title} {link.url}'))


def _text(argument: str) -> str:
    return sys.stdin.buffer.read(100_000).decode('utf-8', 'replace') if argument == '-' else argument


def _shown(file: Path) -> str:
    from ctxkit.render.environment import shortened

    return shortened(file, home(config.environment()))
