"""`ctxkit watch`."""

from __future__ import annotations

import signal
import threading
from typing import Any

import click

from ctxkit.cli.options import here


@click.command()
@click.option('--poll', is_flag=True, help='Ask git again and again instead of using file watches.')
@click.option('--quiet', is_flag=True, help='Say nothing but errors.')
def watch(poll: bool, quiet: bool) -> None:
    """Keep units and context.xml fresh between commits, until stopped: saves become units within a second."""
    from ctxkit import config
    from ctxkit.stream.file_events import needed
    from ctxkit.stream.watch import watch as run

    repo, settings = here()
    if not poll:
        needed()
    stop = threading.Event()

    def told(line: str) -> None:
        if not quiet or not line.startswith('watching'):
            click.echo(f'ctxkit: {line}', err=True)

    def end(number: int, frame: Any) -> None:
        stop.set()

    before = {one: signal.signal(one, end) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        run(repo, settings, config.environment(), stop=stop, poll=poll, told=told)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
