"""`ctxkit worker`: do jobs, submit them, show the state of the queue."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import click

from ctxkit.counted import counted


@click.group(invoke_without_command=True)
@click.option('--root', 'roots', multiple=True, type=click.Path(exists=True, file_okay=False, path_type=Path),
              help='Open only clones below this folder (default: the current folder). Can be repeated.')  # fmt: skip
@click.option(
    '--until-idle', type=click.FloatRange(0), metavar='SECONDS', help='Exit after the queue was empty this long.'
)
@click.pass_context
def worker(ctx: click.Context, roots: tuple[Path, ...], until_idle: float | None) -> None:
    """Slice files of many repositories: take jobs from the queue, and put the results into the shared store.

    On SIGTERM or ^C the worker finishes the current file and exits. kill -9 loses nothing either.
    """
    if ctx.invoked_subcommand:
        return
    from ctxkit import config
    from ctxkit.stream.worker import work

    # there are as many workers as cores, so none may use more threads
    for library in ('OPENBLAS', 'OMP', 'MKL'):
        os.environ.setdefault(f'{library}_NUM_THREADS', '1')
    asked: list[int] = []

    def end(number: int, _: Any) -> None:
        asked.append(number)

    before = {one: signal.signal(one, end) for one in (signal.SIGTERM, signal.SIGINT)}
    try:
        settings = config.load(None, config.environment())
        done = work(
            settings, roots or (Path.cwd(),), stop=lambda: bool(asked), idle_seconds=until_idle,
            notify=lambda line: click.echo(f'ctxkit: {line}', err=True),
        )  # fmt: skip
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    click.echo(
        f'{counted(done.jobs, "job")}: {counted(done.made, "file")} made, '
        f'{done.already_stored} already in the store, {done.aside} set aside'
    )


@worker.command()
@click.argument('clones', nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option('--rev', metavar='REV', default='HEAD', show_default=True, help='Slice the tree of this commit.')
@click.option('--no-wait', is_flag=True, help='Fail if the queue is full, instead of waiting for workers.')
def submit(clones: tuple[Path, ...], rev: str, no_wait: bool) -> None:
    """Queue the files of each clone's tree that the shared store lacks."""
    from ctxkit import config, repo
    from ctxkit.errors import CtxError
    from ctxkit.stream import jobs, queue, server
    from ctxkit.stream.clones import opened
    from ctxkit.stream.identity import project

    settings = config.load(None, config.environment())
    count = files = 0
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        for folder in clones:
            clone = opened(folder)
            commit = repo.resolve(clone, rev)
            if not commit:
                raise CtxError(f'{rev} is not a commit of {folder}')
            try:
                name = project(clone, settings)
            except CtxError:
                name = ''  # a shallow clone: the job names only its folder
            for job in jobs.of_tree(client, clone, settings, commit, name):
                while (taken := queue.submit(client, job, settings.stream.max_jobs)) < 0:
                    if no_wait:
                        raise CtxError(f'{settings.stream.max_jobs} jobs are waiting already', 'start more workers')
                    time.sleep(0.2)
                count += taken > 0
                files += taken
    click.echo(f'{counted(count, "job")} with {counted(files, "file")} submitted')


@worker.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object.')
def status(as_json: bool) -> None:
    """Show how many jobs wait, and which files were set aside and why."""
    from ctxkit import config
    from ctxkit.safety.text import printable
    from ctxkit.stream import failures, queue, server

    settings = config.load(None, config.environment())
    with server.connected(settings.stream) as client:
        state, aside = queue.state(client), failures.aside(client)
    if as_json:
        click.echo(json.dumps({**state._asdict(), 'set_aside': [one._asdict() for one in aside]}))
        return
    click.echo(
        f'{counted(state.jobs, "job")}, {state.taken} of them in work; {counted(state.workers, "worker")}; '
        f'{state.aside} set aside'
    )
    for one in aside:
        click.echo(printable(f'{one.folder} {one.path}: {one.reason} ({counted(one.tries, "try", "tries")})'))
