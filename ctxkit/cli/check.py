"""`ctxkit check`: the hook of the pre-commit stage."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command()
@click.argument('files', nargs=-1, type=click.Path())
def check(files: tuple[str, ...]) -> None:
    """No secret and no foreign file in what is staged below .ctx/, and a valid config.yaml.

    FILES, which pre-commit passes, narrow it down to those. Exit code 1 and a line each where something is wrong.
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
