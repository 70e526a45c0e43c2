"""`ctxkit show`: the ready block for an agent's hook."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ctxkit.agents.payload import Payload


@click.command()
@click.option('--agent', default='', help='Answer in the form of this agent (plain text without it).')
@click.option('--max-chars', default=0, help='At most so many bytes, wrapping included (default 9000).')
@click.option('--event', default='', help="The hook's event, where its input does not name it.")
def show(agent: str, max_chars: int, event: str) -> None:
    """Print the ready block for an agent's hook; computes nothing.

    Reads the hook's input on standard input, says how fresh the block is, and always ends with 0.
    """
    from ctxkit.agents import payload

    try:
        given = payload.parse(payload.read())
        text = _answer(agent, max_chars, event or given.event, given)
        if text:
            sys.stdout.write(text + '\n')
            sys.stdout.flush()
    except Exception as error:  # an agent must never lose a prompt because of us
        click.echo(f'ctxkit: {type(error).__name__}: {error}', err=True)


def _answer(agent: str, max_chars: int, event: str, given: Payload) -> str:
    from ctxkit import config, tokens
    from ctxkit.agents import answer, child, freshness
    from ctxkit.events.requests import disabled
    from ctxkit.feedback import log, share, state

    repo = freshness.find_tree(given.start(Path.cwd()))
    if repo is None:
        return answer.nothing(agent, event).text
    now, environ = time.time(), config.environment()
    settings = config.load(repo.ctx_dir / 'config.yaml', environ)
    group = share.group(given.session, settings.inject.share)
    if event in answer.PROMPT_EVENTS:
        if given.session and repo.data_dir.is_dir():
            log.note(repo, 'prompt', now, given.session, agent=agent, group=group)
            child.log_message(repo.root, given.session, 'user', given.prompt)
        return answer.nothing(agent, event).text
    xml = freshness.block(repo)
    if disabled(environ) or not xml:
        return answer.nothing(agent, event).text
    found = freshness.status(repo)
    down = state.current(repo, now)
    said = freshness.sentence(str(found.get('commit', '')), freshness.head(repo))
    if down.down:
        said += f' Paths only, since {down.reason}.'
    out = answer.nothing(agent, event)
    if group == share.BLOCK:
        out = answer.answer(agent, event, xml, said, max_chars or answer.LIMIT, down.down)
    log.note(
        repo,
        'shown',
        now,
        given.session,
        agent=agent,
        group=group,
        down=down.down,
        tokens=tokens.count(out.text) if group == share.BLOCK else 0,
    )
    return out.text
