"""`ctxkit session`: the message log and its two channels."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ctxkit.counted import counted
from ctxkit.errors import CtxError
from ctxkit.places import home

if TYPE_CHECKING:
    from ctxkit.repo import Repo
    from ctxkit.sessions.message import Entry
    from ctxkit.settings import Settings

F = TypeVar('F', bound=Callable[..., Any])
MAX_ROWS = 1_000_000_000  # SQLite refuses numbers of more than 63 bits


def _session_option(required: bool = False, unnamed: str = 'the latest one') -> Callable[[F], F]:
    text = 'The conversation.' if required else f'The conversation (default: {unnamed}).'
    return click.option('--session', 'session_id', metavar='ID', required=required, help=text)


def _json_option(command: F) -> F:
    return click.option('--json', 'as_json', is_flag=True, help='Print one JSON object per line.')(command)


@click.group()
def session() -> None:
    """Keep a log of conversations with two channels: you see everything, the model only what lasts."""


@session.command('log')
@click.option('--session', 'session_id', default='', metavar='ID', help='The conversation of lines without session_id.')
@_json_option
def log_command(session_id: str, as_json: bool) -> None:
    """Log messages from JSON lines on standard input.

    Keys: session_id, role, content; optional: tool, call_id, ephemeral, transaction_completed, time. The hook input of
    Claude Code, Codex and Gemini is accepted as it is.
    """
    from ctxkit.sessions.feed import feed
    from ctxkit.sessions.ttl import QUESTION

    with _log(make=True) as db:
        fed = feed(db, sys.stdin.buffer, session_id, _settings().session, time.time())
    for name in fed.asked:
        if as_json:
            _print_json({'session_id': name, 'question': QUESTION, 'answers': ['done', 'keep']})
        else:
            click.echo(f'{QUESTION} ctxkit session done --session {name} | ctxkit session keep --session {name}')
    if fed.bad:
        number, reason = fed.bad[0]
        raise CtxError(f'{len(fed.bad)} of {fed.logged + len(fed.bad)} lines were not logged (line {number}: {reason})')


@session.command()
@_session_option()
@click.option('--last', type=click.IntRange(1, MAX_ROWS), default=None, help='Show only the last N messages.')
@_json_option
def show(session_id: str | None, last: int | None, as_json: bool) -> None:
    """Show your channel: everything, with ephemeral messages marked."""
    from ctxkit.sessions import channels

    with _log() as db:
        _print_entries(channels.person(db, channels.chosen(db, session_id), last), as_json)


@session.command()
@_session_option()
@click.option(
    '--last', type=click.IntRange(1, MAX_ROWS), default=12, show_default=True, help='Show at most N messages.'
)
@click.option('--working', is_flag=True, help='Show the active ephemeral context instead: drafts, previews.')
@_json_option
def context(session_id: str | None, last: int, working: bool, as_json: bool) -> None:
    """Show the model's channel: the last permanent messages, oldest first, with whole tool exchanges."""
    from ctxkit.sessions import channels

    with _log() as db:
        read = channels.active if working else channels.model
        _print_entries(read(db, channels.chosen(db, session_id), last), as_json)


@session.command()
@_session_option(unnamed='the one that waits for an answer')
@_json_option
def done(session_id: str | None, as_json: bool) -> None:
    """Confirm the result: delete the ephemeral messages and the state."""
    from ctxkit.sessions import channels, person

    with _log() as db:
        name = channels.asked(db, session_id)
        _say(as_json, name, 'deleted', person.done(db, name), 'ephemeral message')


@session.command()
@_session_option(unnamed='the one that waits for an answer')
@_json_option
def keep(session_id: str | None, as_json: bool) -> None:
    """Reject the result for now: the ephemeral messages stay active."""
    from ctxkit.sessions import channels, person

    with _log() as db:
        name = channels.asked(db, session_id)
        _say(as_json, name, 'active', person.keep(db, name), 'ephemeral message')


@session.command()
@_session_option(required=True)
@_json_option
def delete(session_id: str, as_json: bool) -> None:
    """Delete a conversation."""
    from ctxkit.sessions import channels, person

    with _log() as db:
        name = channels.chosen(db, session_id)
        _say(as_json, name, 'deleted', person.delete(db, name), 'message')


@session.command()
@click.argument('message_id', type=click.IntRange(1, MAX_ROWS))
@click.option('--ephemeral/--permanent', default=True, help='The new flag of the message.')
def mark(message_id: int, ephemeral: bool) -> None:
    """Flag a logged message as ephemeral or permanent. The other half of a tool exchange follows."""
    from ctxkit.sessions import person

    with _log() as db:
        person.mark(db, message_id, ephemeral)


@session.command('list')
@_json_option
def list_command(as_json: bool) -> None:
    """List all conversations, latest first."""
    from ctxkit.sessions import channels
    from ctxkit.sessions.export import conversation_line, conversation_row

    with _log() as db:
        found = channels.conversations(db)
    for item in found:
        if as_json:
            _print_json(conversation_row(item))
        else:
            click.echo(conversation_line(item))


@session.command('clear-history')
@click.option('--yes', is_flag=True, help='Do not ask.')
def clear_history(yes: bool) -> None:
    """Delete all conversations of this repository."""
    from ctxkit.sessions import person

    with _log() as db:
        if not yes:
            click.confirm('Delete every conversation of this repository?', abort=True)
        click.echo(f'{counted(person.clear(db), "message")} deleted')


@session.command('import')
@click.argument('source', metavar='AGENT|FILE|-')
@click.option('--session', 'session_id', default='', metavar='ID', help='The conversation of lines without session_id.')
def import_command(source: str, session_id: str) -> None:
    """Fill the log from an agent's transcripts of this repository, or from JSON lines.

    AGENT is the name of a known agent (claude, codex, ...). FILE is a transcript or a file of JSON lines. - reads
    standard input. Importing again adds only new messages.
    """
    from ctxkit.config import environment
    from ctxkit.sessions.importing import import_source

    with _log(make=True) as db:
        imported = import_source(
            db,
            _repo(),
            source,
            session_id,
            _settings().session,
            time.time(),
            sys.stdin.buffer,
            home(environment()),
            environment(),
        )
    skipped = f', {counted(imported.bad, "line")} skipped' if imported.bad else ''
    click.echo(f'{counted(imported.added, "message")} imported{skipped}')


def _repo() -> Repo:
    from ctxkit import repo

    return repo.find(Path.cwd())


def _ctx_folder() -> Path:
    """The work tree's `.ctx`, found by looking for `.git`: starting git would take longer than reading the log."""
    from ctxkit.safety.paths import tree_above

    folder = tree_above(Path.cwd())
    return folder / '.ctx' if folder else _repo().ctx_dir


def _settings() -> Settings:
    from ctxkit import config

    return config.load(_ctx_folder() / 'config.yaml', config.environment())


@contextlib.contextmanager
def _log(make: bool = False) -> Iterator[sqlite3.Connection]:
    from ctxkit.sessions.channels import NOTHING_LOGGED
    from ctxkit.sessions.database import opened

    try:
        with opened(_ctx_folder(), make) as db:
            yield db
    except FileNotFoundError as error:
        raise CtxError('no conversation is logged here', NOTHING_LOGGED) from error


def _print_entries(entries: Iterable[Entry], as_json: bool) -> None:
    from ctxkit.sessions.export import line, row

    for entry in entries:
        if as_json:
            _print_json(row(entry))
        else:
            click.echo(line(entry))


def _say(as_json: bool, session_id: str, key: str, number: int, noun: str) -> None:
    if as_json:
        _print_json({'session_id': session_id, key: number})
    else:
        click.echo(f'{counted(number, noun)} {key}')


def _print_json(item: dict[str, Any]) -> None:
    click.echo(json.dumps(item, ensure_ascii=False))
