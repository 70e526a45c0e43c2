"""`ctxkit show`: the ready block for an agent's hook."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click


@click.command()
@click.option('--agent', default='', help='Print in the form that this agent expects (default: plain text).')
@click.option('--max-chars', default=0, help='Print at most this many bytes, including the wrapping (default: 9000).')
@click.option('--event', default='', help="The hook's event, if its input does not name it.")
def show(agent: str, max_chars: int, event: str) -> None:
    """Print the prepared block, for an agent's hook.

    Reads the hook's input from standard input, says how fresh the block is, and always exits with 0. Computes nothing,
    except for the code of a prompt if `inject.prompts` asks for it.
    """
    from ctxkit import config
    from ctxkit.agents import payload
    from ctxkit.agents.injected import answer_to

    try:
        given = payload.parse(payload.read())
        environ = config.environment()
        text = answer_to(given, agent, event or given.event, max_chars, given.start(Path.cwd()), environ, time.time())
        if text:
            sys.stdout.write(text + '\n')
            sys.stdout.flush()
    except Exception as error:  # an agent must never lose a prompt because of us
        click.echo(f'ctxkit: {type(error).__name__}: {error}', err=True)
