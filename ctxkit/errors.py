"""What ctxkit raises, and the exit codes it ends with.

    click.ClickException
    └── CtxError            expected; one line: what is wrong, and the way out
        └── NotARepository  there is no git repository here

Exit codes: 0 done or nothing to do, 1 an expected failure, 2 usage (click's own), 3 a bug. 130 after ^C.
Under a git hook nothing fails git: the shim ends with 0 and the failure is in the log that `ctxkit doctor` reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

import click

EXIT_FAILURE = 1
EXIT_BUG = 3
EXIT_INTERRUPTED = 130


class CtxError(click.ClickException):
    """An expected failure. `message` says what is wrong, `hint` what to do about it."""

    exit_code = EXIT_FAILURE

    def __init__(self, message: str, hint: str = '') -> None:
        super().__init__(message)
        self.hint = hint

    def format_message(self) -> str:
        """The one line that the person reads."""
        return f'{self.message}; {self.hint}' if self.hint else self.message

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the line on standard error, with control characters made harmless."""
        from ctxkit.safety.text import printable

        click.echo(f'ctxkit: {printable(self.format_message())}', err=True, file=file)


def nearest(word: str, names: Iterable[str]) -> str:
    """`did you mean NAME?` for the name that is most like `word`; '' where none is."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(names), 1, 0.7)
    return f'did you mean {found[0]}?' if found else ''


class NotARepository(CtxError):
    """Raised where a git repository is needed and there is none."""
