"""Options that several commands share, and what every command needs: repository, settings, clock."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from ctxkit import config
from ctxkit.errors import CtxError
from ctxkit.repo import Repo, find
from ctxkit.settings import Settings

F = TypeVar('F', bound=Callable[..., Any])
PATIENCE = 1.0  # seconds that a command may take before a bar is drawn


def repository_and_settings() -> tuple[Repo, Settings]:
    """The repository of the current folder and its settings. Raises CtxError."""
    repo = find(Path.cwd())
    file = None if repo.bare else repo.ctx_dir / 'config.yaml'
    return repo, config.load(file, config.environment())


def clock() -> float:
    """The current time in epoch seconds, or what SOURCE_DATE_EPOCH says."""
    return config.clock(config.environment())


def request_text(query: str | None) -> str:
    """The request of `--query`; `-` reads standard input, as does a pipe without a query."""
    if query == '-' or (query is None and not sys.stdin.isatty()):
        return read_stdin()
    return query or ''


def read_stdin() -> str:
    """All of standard input as text; '' if it is closed."""
    try:
        return sys.stdin.buffer.read().decode('utf-8', 'replace')
    except (OSError, ValueError, AttributeError):
        return ''


def progress(label: str) -> tuple[Callable[[int, int], None] | None, Callable[[], None]]:
    """(callback for done and total, end): on a terminal they draw a bar after a second; in a pipe (None, no-op)."""
    if not sys.stderr.isatty():
        return None, lambda: None
    began = time.monotonic()
    state: dict[str, Any] = {}

    def show(done: int, total: int) -> None:
        if 'bar' not in state:
            if time.monotonic() - began < PATIENCE:
                return
            from rich.console import Console
            from rich.progress import Progress

            state['bar'] = Progress(console=Console(stderr=True), transient=True)
            state['bar'].start()
            state['task'] = state['bar'].add_task(label, total=total)
        state['bar'].update(state['task'], completed=done, total=total)

    def end() -> None:
        if 'bar' in state:
            state['bar'].stop()

    return show, end


@contextmanager
def indexing() -> Iterator[None]:
    """On a terminal, draw the progress of the index while the body runs, whichever part of it needs the index."""
    show, end = progress('indexing')
    if show is None:
        yield
        return
    from ctxkit.index.progress import reporting_to

    try:
        with reporting_to(show):
            yield
    finally:
        end()


def write_output(text: str, output: str | None) -> None:
    """Print `text`, or write it to the file that the person named, as `write_named` does."""
    if output is None or output == '-':
        click.echo(text, nl=False)
        return
    from ctxkit.safety.paths import write_named

    target = Path(output)
    if not target.parent.is_dir():
        raise CtxError(f'{target.parent} is not a folder', 'create it first')
    write_named(target, text)
