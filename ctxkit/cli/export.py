"""`ctxkit export`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ctxkit.cli.options import repository_and_settings
from ctxkit.counted import counted


@click.command()
@click.option('--parquet', 'folder', required=True, metavar='DIR', type=click.Path(file_okay=False, path_type=Path),
              help='Folder of the tables. Other clones and projects may use it too.')  # fmt: skip
def export(folder: Path) -> None:
    """Add new units, events, renders and feedback to Parquet files, one per day.

    A second run without new data changes nothing.
    """
    from ctxkit.warehouse.export import export as run

    repo, settings = repository_and_settings()
    new = run(repo, settings, folder, time.time())
    click.echo(', '.join(counted(count, table.removesuffix('s'), table) for table, count in new.items()) + ' added')
