"""`ctxkit memory`: what is remembered, what waits for a ruling, and what a person does to it by hand."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from ctxkit.cli.memory_reading import doctor, enqueue, ledger, rebuild, start
from ctxkit.cli.options import clock, repository_and_settings, write_output
from ctxkit.counted import counted
from ctxkit.errors import CtxError
from ctxkit.safety.text import printable

if TYPE_CHECKING:
    from ctxkit.repo import Repo

NOTHING = 'ctxkit: nothing is remembered; ctxkit memory add, or a `Decision:` line in a commit message'
KINDS = click.Choice(['decision', 'convention', 'question', 'goal'])


@click.group()
def memory() -> None:
    """Keep decisions, conventions, goals and open questions beyond a conversation.

    Facts come from commit messages (`Decision:`, `Convention:`, `Goal:`, `Question:` lines) and from what you add.
    Transcripts of coding agents are read only if your own settings say `memories.enabled: true`.
    """


for command in (doctor, enqueue, ledger, rebuild, start):
    memory.add_command(command)


@memory.command()
@click.option('--summary', 'whole', is_flag=True, help='Print the summary of up to 5,000 tokens, with its guidance.')
@click.option('--budget', type=int, help='Tokens of the section (default: budget.memory).')
def view(whole: bool, budget: int | None) -> None:
    """Print the memory section exactly as agents get it."""
    from ctxkit.memory import person, section
    from ctxkit.memory.prompts import fill
    from ctxkit.memory.urls import MADE_BY
    from ctxkit.tokens import count

    repo, settings = repository_and_settings()
    if whole:
        summary = person.summary(repo)
        click.echo(fill('read_path', memory_summary=summary) if summary else f'no summary yet: {MADE_BY}')
        return
    limit = settings.budget.memory if budget is None else budget
    lines = section.lines(repo, settings, limit, clock(), count)
    for line in lines:
        click.echo(line)
    if not lines:
        click.echo(NOTHING, err=True)


@memory.command(name='list')
@click.option('--all', 'every', is_flag=True, help='Include proposed, superseded and retracted facts.')
@click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per line, with all provenance.')
def list_command(every: bool, as_json: bool) -> None:
    """List the facts with their id, status, source and age."""
    from ctxkit.memory import export, person

    repo, _ = repository_and_settings()
    facts = [fact for fact in person.all_facts(repo) if every or fact.status == 'active']
    for fact in facts:
        click.echo(json.dumps(export.row(fact), ensure_ascii=False) if as_json else printable(export.line(fact)))
    if not facts:
        click.echo(NOTHING, err=True)


@memory.command(name='set')
@click.argument('what', type=click.Choice(['goal']))
@click.argument('text')
def set_command(what: str, text: str) -> None:
    """Set the project's goal. The former goal is kept as superseded."""
    _say(what, text)


@memory.command()
@click.argument('kind', type=KINDS)
@click.argument('text')
def add(kind: str, text: str) -> None:
    """Add a decision, convention, question or goal. It is active at once."""
    _say(kind, text)


def _say(kind: str, text: str) -> None:
    from ctxkit.memory import export, person

    repo, _ = repository_and_settings()
    click.echo(printable(export.line(person.say(repo, kind, text, clock()))))
    _renew(repo)


@memory.command()
@click.argument('fact')
def retract(fact: str) -> None:
    """Retract a fact. FACT is its id, the beginning of the id, or a part of its text that no other fact has."""
    _rule(fact, 'retracted')


def _rule(fact: str, ruling: str) -> None:
    from ctxkit.memory import person

    repo, _ = repository_and_settings()
    click.echo(f'{ruling}: {printable(person.rule(repo, fact, ruling, clock()).text)}')
    _renew(repo)


def _renew(repo: Repo) -> None:
    """Have existing blocks rewritten in the background; otherwise agents would still get what was taken back."""
    from ctxkit.events.detach import renew
    from ctxkit.repo import worktrees

    renew(repo, worktrees(repo), 'memory', os.environ)


@memory.group(invoke_without_command=True)
@click.pass_context
def inbox(ctx: click.Context) -> None:
    """Review what agents and tools said. It waits here until you accept it."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(inbox_list)


@inbox.command(name='list')
def inbox_list() -> None:
    """List the proposals."""
    from ctxkit.memory import export, person

    repo, _ = repository_and_settings()
    waiting = [fact for fact in person.all_facts(repo) if fact.status == 'proposed']
    for fact in waiting:
        click.echo(printable(export.line(fact)))
    if not waiting:
        click.echo('the inbox is empty')


@inbox.command()
@click.argument('fact')
def accept(fact: str) -> None:
    """Make a proposal an active fact."""
    _rule(fact, 'accepted')


@inbox.command()
@click.argument('fact')
def reject(fact: str) -> None:
    """Reject a proposal. It does not come back when an agent repeats it."""
    _rule(fact, 'rejected')


@memory.command()
@click.option('--yes', is_flag=True, help='Do not ask.')
def clear(yes: bool) -> None:
    """Forget all memory of this repository, in the database and in files. Lists it and asks first.

    Older conversations are not read again.
    """
    from ctxkit.memory import person

    repo, _ = repository_and_settings()
    going = person.what_goes(repo)
    if not going:
        click.echo('nothing is remembered')
        return
    for line in going:
        click.echo(f'will be forgotten: {printable(line)}')
    if yes or click.confirm('Forget all of this?'):
        person.clear(repo, clock(), lambda path: click.echo(f'removed: {printable(path)}'))
        _renew(repo)


memory.add_command(clear, 'reset')


@memory.command()
@click.argument('conversation')
def forget(conversation: str) -> None:
    """Remove what only this conversation (AGENT:SESSION) said, and never read it again."""
    from ctxkit.memory import person

    repo, _ = repository_and_settings()
    click.echo(f'{counted(person.forget(repo, conversation, clock()), "statement")} removed')
    _renew(repo)


@memory.command()
@click.option('-o', '--output', type=click.Path(dir_okay=False), help='Write to this file instead of printing.')
def export(output: str | None) -> None:
    """Print all facts with their provenance, as JSON lines."""
    from ctxkit.memory import export as exporting
    from ctxkit.memory import person

    repo, _ = repository_and_settings()
    text = ''.join(json.dumps(exporting.row(fact), ensure_ascii=False) + '\n' for fact in person.all_facts(repo))
    write_output(text, output)


@memory.command()
@click.argument('url')
def read(url: str) -> None:
    """Print the file at a memory:// URL."""
    from ctxkit.memory import urls

    repo, _ = repository_and_settings()
    if repo.bare:
        raise CtxError('a bare repository has no memory files', 'run this in a work tree')
    click.echo(urls.read(repo, url), nl=False)
