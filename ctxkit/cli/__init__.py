"""The command line: a table of commands, each imported only when it is called."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
from typing import Any, NoReturn

import click

from ctxkit import __version__
from ctxkit.errors import EXIT_BUG, EXIT_FAILURE, EXIT_INTERRUPTED, CtxError
from ctxkit.safety.paths import REFUSED

# name -> (module below ctxkit.cli, attribute, one-line help). The help is here so that `--help` imports nothing.
COMMANDS: dict[str, tuple[str, str, str]] = {
    'init': ('setup', 'init', 'Set up a repository: git hooks and coding agents.'),
    'uninstall': ('setup', 'uninstall', 'Remove everything that init wrote.'),
    'update': ('update', 'update', 'Update the context now, in the foreground.'),
    'hook': ('hook', 'hook', 'Note a git event and update in the background (for hooks).'),
    'slice': ('stages', 'slice_command', 'Cut files into chunks, as JSON lines.'),
    'fold': ('stages', 'fold_command', 'Merge neighbouring chunks of the same concern.'),
    'search': ('search', 'search', 'Find the code for a question, an error message or a name.'),
    'units': ('units', 'units', 'List the units that changed recently, hottest first.'),
    'render': ('render', 'render', 'Print the context block within its token budget.'),
    'show': ('show', 'show', "Print the prepared block (for agents' hooks)."),
    'memory': ('memory', 'memory', 'View, add, review and clear decisions and other facts.'),
    'session': ('session', 'session', 'Log conversations, and show what the model should see.'),
    'web': ('web', 'web', 'Search the web for a request that needs it.'),
    'stream': ('stream', 'stream', 'Publish and read units on Redis Streams.'),
    'worker': ('worker', 'worker', 'Slice files of many repositories from a shared queue.'),
    'watch': ('watch', 'watch', 'Refresh the context on every save.'),
    'model': ('model', 'model', 'List, add, select, check and calibrate embedding models.'),
    'feedback': ('feedback', 'feedback', "Find invented names in an agent's answer."),
    'stats': ('feedback', 'stats', 'Compare conversations with and without the block.'),
    'metrics': ('metrics', 'metrics', 'Print or serve Prometheus metrics.'),
    'export': ('export', 'export', 'Export units, events, renders and feedback as Parquet.'),
    'check': ('check', 'check', 'Check staged files below .ctx/ for secrets (for pre-commit).'),
    'status': ('status', 'status', 'Show how fresh the context is.'),
    'doctor': ('status', 'doctor', 'Show what is wrong or was skipped, and what to do.'),
    'gc': ('gc', 'gc', 'Delete index content that no work tree needs any more.'),
}


# Commands that do one thing and end: they run without the garbage collector, and skip the interpreter's clean-up.
SHORT = frozenset({'render', 'search', 'show', 'update'})


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is called or its own help is requested."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table, which follows the flow and not the alphabet."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command, or None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(f'ctxkit.cli.{module}'), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one, the error names the one that was probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from ctxkit.errors import nearest

            meant = nearest(args[0], COMMANDS)
            if not meant:
                raise
            raise click.UsageError(f'{error.message} {meant[0].upper()}{meant[1:]}', ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; ^C ends it silently, with the exit code that shells use."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(EXIT_INTERRUPTED) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table's one-line helps, without importing a command."""
        with formatter.section('Commands'):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100})
@click.version_option(__version__, prog_name='ctxkit')
def cli() -> None:
    """Keep a fresh, budgeted, secret-free context block for coding agents, updated by git hooks."""


def main(argv: list[str] | None = None) -> Any:
    """Run the command line; an unexpected exception becomes a log file, one line and exit code 3."""
    for stream in (sys.stdout, sys.stderr):
        prepare(stream)
    # Comparing one vector with a table gains nothing from threads, and idle ones spin. numpy reads this on import.
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
    short = argv is None and sys.argv[1:2] and sys.argv[1] in SHORT
    if short:
        gc.disable()
    output = sys.stdout
    try:
        return cli.main(args=argv, prog_name='ctxkit')
    except SystemExit as end:
        if sys.stdout is not output:  # click replaces it and exits with 1 when `| head` closes the pipe
            _unread()
        if short and isinstance(end.code, int | None):
            _leave(end.code or 0)
        raise
    except BrokenPipeError:
        _unread()
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            click.echo('ctxkit: the output cannot be written: no space left', err=True)
            os._exit(1)  # else the interpreter would try to write the rest again
        if isinstance(error, OSError) and error.errno in (*REFUSED, errno.ENOSPC) and error.filename:
            # no bug, wherever it was raised
            CtxError(f'{error.filename}: {error.strerror}', 'check permissions and free space').show()
            sys.exit(EXIT_FAILURE)
        if isinstance(error, FileNotFoundError) and not _is_somewhere():
            CtxError('the current folder no longer exists', 'change to another folder').show()
            sys.exit(EXIT_FAILURE)
        from ctxkit.crash import report

        click.echo(report(error, sys.argv if argv is None else argv), err=True)
        sys.exit(EXIT_BUG)


def _is_somewhere() -> bool:
    """Whether the current folder still exists: an agent's work tree may have been removed meanwhile."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def prepare(stream: Any) -> None:
    """Make an output stream accept any text. A pipe or a file gets UTF-8 and plain line ends, as git writes them,
    whatever the locale: otherwise an agent's hook on Windows would read code in the wrong encoding."""
    if not hasattr(stream, 'reconfigure'):
        return
    # A terminal with a narrow encoding, or a surrogate from an odd file name, must not cause a traceback.
    how: dict[str, str] = {'errors': 'backslashreplace'}
    if not stream.isatty() and 'PYTHONIOENCODING' not in os.environ:
        how.update(encoding='utf-8', newline='\n')
    stream.reconfigure(**how)


def _unread() -> NoReturn:
    """Exit successfully when nobody reads the output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(0)


def _leave(code: int) -> None:
    """Exit at once, which saves 15 of a render's 200 ms; return if the output could not be written.

    By now a short command has closed all that it opened, and handed all that it wrote to the system.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # a broken pipe, or no stream at all
        return
    os._exit(code)
