"""`ctxkit model`: which embedding models there are, and which one is used."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click


@click.group()
def model() -> None:
    """List, add, select, check and calibrate embedding models."""


@model.command('list')
def list_models() -> None:
    """List the bundled model and your own. The one in use is marked."""
    from ctxkit.embedding.registry import installed

    used = _used()
    for item in installed():
        name = 'bundled' if item.tables else item.name
        click.echo(f'{"*" if name == used else " "} {name}  {item.dimension} dimensions  {item.licence}'.rstrip())


@model.command()
@click.argument('name', default='')
def info(name: str) -> None:
    """Show the model.yaml of a model (default: the one in use)."""
    from ctxkit.embedding.folder import find, read
    from ctxkit.embedding.registry import SETTINGS
    from ctxkit.safety.text import printable

    item = read(find(name or _used()), check=False)
    for key in ('name', 'model_id', *SETTINGS, 'folder'):
        click.echo(f'{key}: {printable(str(getattr(item, key)))}')


@model.command()
@click.argument('folder', type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option('--name', default='', help='Name of the model (default: from model.yaml, or the name of the folder).')
def add(folder: Path, name: str) -> None:
    """Copy a model to your own models, and test it.

    FOLDER contains model.onnx, tokenizer.json and, if needed, model.yaml.
    """
    from ctxkit.embedding.registry import add as add_folder

    item = add_folder(folder, name)
    click.echo(f'added {item.name} ({item.dimension} dimensions); use it with: ctxkit model use {item.name}')


@model.command()
@click.argument('name')
def use(name: str) -> None:
    """Use a model from now on.

    Missing vectors are computed in the background in this repository, and by the next update in others.
    """
    from ctxkit.config import environment
    from ctxkit.embedding.registry import choose

    click.echo(f'{name} is in use ({choose(name, environment())})')
    if _embedding_here():
        click.echo(
            'embedding this repository in the background; ctxkit status shows the progress, ctxkit update waits for it'
        )


def _embedding_here() -> bool:
    """Start a worker for the current work tree if ctxkit keeps a context there; return whether it was started."""
    from ctxkit.errors import CtxError
    from ctxkit.events.detach import note_and_start
    from ctxkit.events.requests import disabled
    from ctxkit.repo import find as find_repo

    try:
        repo = find_repo(Path.cwd())
    except CtxError:
        return False
    if disabled(os.environ) or not (repo.ctx_dir / 'context.xml').is_file():
        return False
    return note_and_start(repo, 'model', os.environ)


@model.command()
@click.argument('name', default='')
def check(name: str) -> None:
    """Verify the sha256 of a model's files, load the model, and time it on a query and a chunk."""
    from ctxkit.embedding import load
    from ctxkit.embedding.registry import TRIAL

    start = time.perf_counter()
    encoder = load(name or _used())
    loaded = time.perf_counter()
    first = encoder.encode([TRIAL, 'a', TRIAL])
    done = time.perf_counter()
    alone = encoder.encode([TRIAL])[0]
    same = bool((first[0] == alone).all() and (first[2] == alone).all())
    click.echo(
        f'{encoder.model_id}: files intact, loaded in {(loaded - start) * 1e3:.0f} ms, '
        f'3 chunks in {(done - loaded) * 1e3:.1f} ms, same vectors in any batch: {"yes" if same else "NO"}'
    )
    if not same:
        raise SystemExit(1)


@model.command()
@click.argument('name', default='')
@click.option('--write', is_flag=True, help="Write the threshold to the model's model.yaml.")
def calibrate(name: str, write: bool) -> None:
    """Find the folding threshold at which a model folds as much of this repository as the bundled model."""
    from ctxkit.embedding import load
    from ctxkit.embedding.calibrate import calibrate as measure
    from ctxkit.embedding.folder import find, read
    from ctxkit.embedding.registry import set_threshold
    from ctxkit.repo import find as find_repo
    from ctxkit.repo import resolve

    name = name or _used()
    repo = find_repo(Path.cwd())
    result = measure(load(name), load(), repo, resolve(repo))
    click.echo(
        f'{name}: {result.threshold:.3f} folds {result.share:.1%} of {result.pairs} neighbouring definitions, '
        f'as the bundled model does'
    )
    if write:
        set_threshold(read(find(name)), result.threshold)
        click.echo('written to its model.yaml')


def _used() -> str:
    from ctxkit.config import environment, load

    return load(None, environment()).model.name
