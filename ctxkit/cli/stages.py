"""`ctxkit slice` and `ctxkit fold`: the stages as filters, JSON lines in and out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import click


@click.command('slice')
@click.argument('paths', nargs=-1)
@click.option('--max-bytes', type=click.IntRange(1), default=1_000_000, show_default=True, help='Skip larger files.')
def slice_command(paths: tuple[str, ...], max_bytes: int) -> None:
    """Cut files into chunks and print one JSON object per chunk.

    PATHS are files. - reads file names from standard input, one per line or NUL-separated.
    """
    from ctxkit.safety.paths import is_link
    from ctxkit.safety.secrets import redact
    from ctxkit.safety.text import printable
    from ctxkit.slicing import readable, slice_file
    from ctxkit.tokens import count
    from ctxkit.units.code import clean_code

    for path in _names(paths):
        try:
            # A clone can track a link to anything; names come from git here.
            source = None if is_link(Path(path)) else Path(path).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, 'strerror', None) or 'no file name'
            click.echo(printable(f'ctxkit: {path}: {reason}; skipped'), err=True)
            continue
        if source is None:
            click.echo(printable(f'ctxkit: {path}: a link; skipped'), err=True)
            continue
        source = readable(source)
        done = slice_file(path.replace('\\', '/'), source, max_bytes)
        if done.skipped:
            click.echo(printable(f'ctxkit: {path}: {done.skipped}; skipped'), err=True)
        for chunk in done.chunks:
            text = clean_code(chunk, source)
            click.echo(
                json.dumps(
                    {
                        'path': path,
                        'language': done.language,
                        'kind': chunk.kind,
                        'symbol': redact(chunk.symbol),
                        'signature': redact(chunk.signature(source)),
                        'doc': redact(chunk.doc(source)),
                        'line': chunk.line,
                        'start_line': chunk.start_line,
                        'end_line': chunk.end_line,
                        'start_byte': chunk.start_byte,
                        'end_byte': chunk.end_byte,
                        'parent': chunk.parent,
                        'tokens': count(text),
                        'text': text,
                        'references': [ref._asdict() for ref in chunk.references],
                    }
                )
            )


@click.command('fold')
@click.argument('paths', nargs=-1)
@click.option(
    '--threshold', type=click.FloatRange(0, 1), help="Smallest cosine at which neighbours fold.  [default: the model's]"
)
@click.option(
    '--max-tokens', type=click.IntRange(1), default=512, show_default=True, help='Maximum number of tokens in a fold.'
)
def fold_command(paths: tuple[str, ...], threshold: float | None, max_tokens: int) -> None:
    """Merge neighbouring chunks of the same concern.

    Reads the JSON lines of `ctxkit slice` from standard input, or from the files PATHS. Prints one object per fold; a
    chunk without like neighbours is a fold of its own.
    """
    from ctxkit.cli.options import repository_and_settings
    from ctxkit.embedding import encoder_for
    from ctxkit.errors import CtxError
    from ctxkit.index.fold import folds_of_rows

    try:
        model = repository_and_settings()[1].model.name
    except CtxError:
        model = 'bundled'  # a filter works outside a repository too
    encoder = encoder_for(model)
    least = encoder.fold_threshold if threshold is None else threshold
    for _, rows in groupby(map(_chunk, _lines(paths)), key=itemgetter('path')):
        for fold in folds_of_rows(list(rows), encoder, least, max_tokens):
            click.echo(json.dumps(fold))


def _chunk(line: str) -> dict[str, Any]:
    from ctxkit.errors import CtxError

    try:
        row: dict[str, Any] = json.loads(line)
        texts, numbers = ('path', 'text', 'kind'), ('tokens', 'start_line', 'end_line', 'parent')
        if any(type(row[key]) is not str for key in texts) or any(type(row[key]) is not int for key in numbers):
            raise TypeError(line)
        row['symbol'] = str(row.get('symbol', ''))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CtxError('fold: an input line is not a chunk', 'pipe the output of ctxkit slice into it') from error
    return row


def _lines(paths: tuple[str, ...]) -> Iterator[str]:
    from ctxkit.cli.options import read_stdin
    from ctxkit.errors import CtxError

    for path in paths or ('-',):
        if path == '-':
            yield from (line for line in read_stdin().split('\n') if line.strip())
            continue
        try:
            text = Path(path).read_text('utf-8', 'replace')
        except OSError as error:
            raise CtxError(f'{path} cannot be read ({error.strerror})') from error
        yield from (line for line in text.split('\n') if line.strip())


def _names(paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        if path != '-':
            yield path
            continue
        data = sys.stdin.buffer.read().decode('utf-8', 'surrogateescape')
        yield from (name for name in data.split('\0' if '\0' in data else '\n') if name)
