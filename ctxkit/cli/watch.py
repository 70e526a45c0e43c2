"""`ctxkit watch`."""

from __future__ import annotations

import signal
import threading
from typing import Any

import click

from ctxkit.cli.options import repository_and_settings


@click.command()
@click.option('--poll', is_flag=True, help='Poll git instead of using file watches.')
@click.option('--quiet', is_flag=True, help='Print only errors.')
def watch(poll: bool, quiet: bool) -> None:
    """Refresh units and context.xml on every save, within a second, until stopped."""
    from ctxkit import config
    from ctxkit.stream.file_events import needed
    from ctxkit.stream.watch import watch as run

    repo, settings = repository_and_settings()
    if not poll:
        needed()
    stop = threading.Event()

    def notify(line: str) -> None:
        if not quiet or not line.startswith('watching'):
            click.echo(f'ctxkit: {line}', err=True)

    def end(number: int, frame: Any) -> None:
        stop.set()

    before = {one: signal.signal(one, end) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        run(repo, settings, config.environment(), stop=stop, poll=poll, notify=notify)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
