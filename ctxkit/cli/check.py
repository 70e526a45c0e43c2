"""`ctxkit check`: the hook of the pre-commit stage."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command()
@click.argument('files', nargs=-1, type=click.Path())
def check(files: tuple[str, ...]) -> None:
    """Check the staged files below .ctx/: only a valid config.yaml without secrets may be staged.

    With FILES, as pre-commit passes them, only those are checked. Prints a line for each problem. Exit code 1 if there
    is one.
    """
    from ctxkit.errors import EXIT_FAILURE
    from ctxkit.repo import find
    from ctxkit.safety.text import printable
    from ctxkit.safety.tracked import entries, index_of_commit, problems

    repo = find(Path.cwd())
    named = {Path(file).as_posix() for file in files}
    staged = entries(repo, index_of_commit(repo, os.environ))
    found = problems(repo, [entry for entry in staged if not named or entry.path in named])
    for line in found:
        click.echo(f'ctxkit: {printable(line)}', err=True)
    if found:
        sys.exit(EXIT_FAILURE)
