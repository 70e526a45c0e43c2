"""`ctxkit status` and `ctxkit doctor`: how fresh the context is, and what is wrong."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ctxkit.counted import counted

if TYPE_CHECKING:
    from ctxkit.events.freshness import Freshness

SHOWN = 20


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object.')
def status(as_json: bool) -> None:
    """Show which commit the context describes, since when, and what the last update did.

    The number of changed units does not include removed definitions; for these see `ctxkit render`.
    """
    from ctxkit.events.freshness import freshness, settings_problem
    from ctxkit.repo import find

    repo = find(Path.cwd())
    state, problem = freshness(repo), settings_problem(repo, os.environ)
    if as_json:
        click.echo(
            json.dumps(
                {
                    'fresh': state.fresh,
                    'head': state.head,
                    'branch': state.branch,
                    'pending': state.pending,
                    'working': state.working,
                    'last': state.last,
                    'settings_problem': problem,
                }
            )
        )
        return
    for line in (*_lines(state, time.time()), *([f'settings are invalid: {problem}'] if problem else [])):
        click.echo(line)


def _lines(state: Freshness, now: float) -> list[str]:
    from ctxkit.events.freshness import skipped_files
    from ctxkit.safety.text import printable

    last = state.last
    if not last:
        return ['no context yet', *_progress(state)]
    commit = str(last.get('commit', ''))[:9] or 'no commit'
    fresh = 'fresh' if state.fresh else f'stale: HEAD is {state.head[:9] or "unborn"}'
    where = f'{commit} ({last["branch"]})' if last.get('branch') else commit
    skipped = skipped_files(last)
    return [
        printable(f'{fresh}; context.xml describes {where}, made {_ago(now, last.get("time"))} by {last.get("event")}'),
        f'{_count(last.get("files"), "file")}, {_count(last.get("chunks"), "chunk")}, {_count(skipped, "file")} skipped'
        f'{" (ctxkit doctor names them)" if skipped else ""}',
        f'last update: {last.get("seconds", 0)} s, {_count(last.get("sliced_files"), "file")} sliced, '
        f'{_count(last.get("embedded_chunks"), "chunk")} embedded, {_count(last.get("units"), "unit")} changed',
        *_progress(state),
    ]


def _progress(state: Freshness) -> list[str]:
    if state.working:
        return ['a worker is running']
    if state.pending:
        return [f'waiting: {", ".join(sorted(set(state.pending)))}']
    return [] if state.last else ['run: ctxkit update']


def _count(number: object, name: str) -> str:
    return counted(number if isinstance(number, int) else 0, name)


def _ago(now: float, then: object) -> str:
    if not isinstance(then, (int, float)):
        return 'some time ago'
    seconds = max(0, int(now - then))
    for size, name in ((86400, 'day'), (3600, 'hour'), (60, 'minute'), (1, 'second')):
        if seconds >= size:
            return f'{counted(seconds // size, name)} ago'
    return 'just now'


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per finding.')
@click.option('--all', 'show_all', is_flag=True, help=f'List up to 500 skipped files instead of {SHOWN}.')
def doctor(as_json: bool, show_all: bool) -> None:
    """Show what is wrong and what to do, and which files were skipped and why.

    Exit code 1 if anything is wrong.
    """
    from ctxkit.agents.condition import examine as examine_agents
    from ctxkit.errors import EXIT_FAILURE
    from ctxkit.events.diagnosis import examine
    from ctxkit.events.freshness import freshness, skipped, skipped_files
    from ctxkit.repo import find
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import printable

    repo = find(Path.cwd())
    found = [*examine(repo, os.environ), *examine_agents(repo)]
    last = freshness(repo).last
    left_out = skipped(last) if show_all or as_json else skipped(last)[:SHOWN]
    for item in found:
        if as_json:
            click.echo(json.dumps({'good': item.good, 'what': redact(item.what), 'advice': item.advice}))
        else:
            advice = f'; {item.advice}' if item.advice and not item.good else ''
            click.echo(printable(redact(f'{"ok" if item.good else "!!"}  {item.what}{advice}')))
    for path, reason in left_out:
        click.echo(
            json.dumps({'skipped': path, 'reason': reason}) if as_json else printable(f'--  skipped {path}: {reason}')
        )
    more = skipped_files(last) - len(left_out)
    if more > 0 and not as_json:
        named_by = 'ctxkit update --json' if show_all else 'ctxkit doctor --all'
        click.echo(f'--  and {counted(more, "more skipped file")}: {named_by}')
    if not all(item.good for item in found):
        sys.exit(EXIT_FAILURE)
