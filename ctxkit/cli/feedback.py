"""`ctxkit feedback` and `ctxkit stats`: whether the injected context helps."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from ctxkit.cli.options import read_stdin
from ctxkit.counted import counted


@click.command()
@click.argument('file', default='-', type=click.Path(exists=True, allow_dash=True, dir_okay=False))
@click.option('--agent', default='', help='The agent that answered. Its hook passes the answer on standard input.')
@click.option('--session', default='', help='The conversation, if the input does not name it.')
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object.')
@click.option('--quiet', is_flag=True, help='For hooks: judge in the background and print nothing.')
@click.option('--record/--no-record', default=True, help='Whether the answer counts for stepping down and stats.')
def feedback(
    file: str,
    agent: str,
    session: str,
    as_json: bool,
    quiet: bool,
    record: bool,
) -> None:
    """Check an agent's answer for names that exist nowhere, and for "I cannot access the latest code".

    Reads FILE, or the answer (or a hook's JSON) on standard input. After more than 5 % invented names in the last
    answers, or after that sentence, the block steps down to a list of paths until the answers recover.
    """
    from ctxkit.agents import payload

    if quiet:
        _in_background(agent, session)
        return
    if file != '-':
        raw = Path(file).read_text('utf-8', 'replace')
    else:  # to the end, however long the program at the other end of the pipe thinks
        raw = '' if sys.stdin is None or sys.stdin.isatty() else read_stdin()
    given = payload.parse(raw)
    text = given.answer or ('' if given.session or given.event else raw)
    _judge(text, given.session or session, agent, as_json, record, given.start(Path.cwd()))


def _in_background(agent: str, session: str) -> None:
    """Pass the hook's input to a separate process and answer the agent at once; the exit code is always 0."""
    from ctxkit.agents import answer, child, payload

    try:
        given = payload.parse(payload.read())
        child.judge_later(given, agent, session, given.start(Path.cwd()))
        text = answer.nothing(agent, given.event).text
        if text:
            sys.stdout.write(text + '\n')
    except Exception as error:  # an agent's turn must never end badly because of us
        click.echo(f'ctxkit: {type(error).__name__}: {error}', err=True)


def _judge(text: str, session: str, agent: str, as_json: bool, record: bool, folder: Path) -> None:
    from ctxkit import config, repo
    from ctxkit.agents import on_disk
    from ctxkit.feedback import judge, log, state
    from ctxkit.safety.text import printable

    found = repo.find(folder)
    now, environ = time.time(), config.environment()
    settings = config.load(found.ctx_dir / 'config.yaml', environ)
    verdict = judge.judge(found, text, on_disk.block(found), environ)
    if record and text.strip():
        log.note_answer(found, verdict, now, session, agent, settings.inject.share)
    after = state.current(found, now)
    if as_json:
        click.echo(json.dumps({**verdict.as_data(), 'stepped_down': after.down, 'reason': after.reason}))
        return
    listed = ', '.join(printable(name) for name in verdict.invented[:20])
    invented = counted(len(verdict.invented), 'exists', 'exist')
    click.echo(f'{counted(len(verdict.names), "name")}, {invented} nowhere{": " + listed if listed else ""}')
    if verdict.unable:
        click.echo('the answer says that it cannot see the latest code')
    if after.down:
        click.echo(f'stepped down to paths: {after.reason}')


@click.command()
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object.')
def stats(as_json: bool) -> None:
    """Compare conversations with and without the block: tokens, invented names, follow-up questions.

    Set `inject.share` below 1 to keep a control group of conversations without the block.
    """
    from ctxkit import repo
    from ctxkit.feedback import log, report, state

    found = repo.find(Path.cwd())
    result = report.report(log.everything(found))
    if as_json:
        click.echo(json.dumps(result.as_data()))
        return
    for line in report.lines(result, state.current(found, time.time())):
        click.echo(line)
