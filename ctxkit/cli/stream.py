"""`ctxkit stream`: publish, tail, groups, info."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING

import click

from ctxkit.cli.options import repository_and_settings
from ctxkit.counted import counted

if TYPE_CHECKING:
    from ctxkit.stream.feed import Entry


@click.group()
def stream() -> None:
    """Publish and read units on Redis Streams, at the address `stream.url` in your own settings."""


@stream.command()
@click.option('--all', 'everything', is_flag=True, help='Send all units of the local stream, not only those that wait.')
def publish(everything: bool) -> None:
    """Send the units that wait in the outbox. Units that the stream already has are not sent again."""
    from ctxkit.errors import CtxError
    from ctxkit.stream import publish as publishing
    from ctxkit.units import stream as local

    repo, settings = repository_and_settings()
    now = time.time()
    if everything:
        publishing.note(repo, local.read(repo.ctx_dir / 'units.jsonl', now - settings.units.keep_hours * 3600))
    done = publishing.flush(repo, settings, now)
    if done.problem:
        raise CtxError(done.problem, f'{counted(done.waiting, "event waits", "events wait")} and will be sent later')
    click.echo(f'{counted(done.units, "unit")} published')


@stream.command()
@click.option('--group', metavar='NAME', default='', help='Read in this consumer group: each unit goes to one reader.')
@click.option(
    '--reader', metavar='NAME', default='', help='Name of this reader in the group (default: host and process).'
)
@click.option('--count', type=click.IntRange(1), default=None, help='Stop after this many units.')
@click.option('--follow', '-f', is_flag=True, help='Wait for new units, even while the server restarts.')
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per line.')
def tail(group: str, reader: str, count: int | None, follow: bool, as_json: bool) -> None:
    """Print the units of the project's stream, oldest first."""
    from ctxkit.stream.identity import project
    from ctxkit.stream.reader import read

    repo, settings = repository_and_settings()
    me = reader or f'{socket.gethostname()}-{os.getpid()}'
    for one in read(
        settings, project(repo, settings), group, me, count=count, follow=follow,
        notify=lambda line: click.echo(f'ctxkit: {line}', err=True),
    ):  # fmt: skip
        _print(one, as_json)


@stream.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per line.')
def groups(as_json: bool) -> None:
    """List the consumer groups: readers, units not acknowledged, and units not read yet."""
    from ctxkit.safety.text import printable
    from ctxkit.stream import feed, server
    from ctxkit.stream.identity import project

    repo, settings = repository_and_settings()
    with server.connected(settings.stream) as client:
        found = feed.info(client, project(repo, settings)).groups
    for one in found:
        if as_json:
            click.echo(json.dumps(one._asdict()))
        else:
            lag = '?' if one.lag < 0 else one.lag
            readers = counted(one.readers, 'reader')
            click.echo(f'{printable(one.name)}: {readers}, {one.pending} pending, {lag} to read')


@stream.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object.')
def info(as_json: bool) -> None:
    """Show the project's stream, and how many events wait here to be published."""
    from ctxkit.stream import feed, outbox, server
    from ctxkit.stream.identity import project

    repo, settings = repository_and_settings()
    with server.connected(settings.stream) as client:
        found = feed.info(client, project(repo, settings))
    waiting = len(outbox.pending(repo))
    if as_json:
        groups = [one._asdict() for one in found.groups]
        click.echo(json.dumps({**found._asdict(), 'groups': groups, 'waiting_events': waiting}))
        return
    click.echo(f'{server.shown(settings.stream)} {found.key}')
    span = f'{found.first or "-"} to {found.last or "-"}'
    click.echo(f'{counted(found.length, "unit")} ({span}), {counted(len(found.groups), "group")}')
    click.echo(f'{counted(waiting, "event waits", "events wait")} to be published')


def _print(one: Entry, as_json: bool) -> None:
    from ctxkit.safety.text import printable

    unit = one.unit
    if unit is None:
        click.echo(f'{one.id}: unknown schema; upgrade ctxkit to read it', err=True)
    elif as_json:
        click.echo(json.dumps({'stream_id': one.id, **unit.to_dict()}))
    else:
        place = f'{unit.path}:{unit.start_line}-{unit.end_line}'
        click.echo(printable(f'{one.id}  {place} {unit.symbol}  {unit.change} ({unit.event})'))
