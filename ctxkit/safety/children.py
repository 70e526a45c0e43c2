"""Starting Python processes from a folder that a stranger may have filled."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SAFE_FOLDER = os.path.abspath(os.sep)


def command(module: str, *args: str) -> list[str]:
    """The command that runs a module of ctxkit; safe in any working folder, where `python -m` would not be."""
    return [sys.executable, str(Path(__file__).parents[1] / 'launch' / 'run.py'), module, *args]


@contextmanager
def outside_the_work_tree() -> Iterator[None]:
    """Be in the root of the file system while Python children are started, multiprocessing's too.

    `python -c` and `python -m` look for modules in the current folder first: in a clone that holds a
    `multiprocessing.py` or a `numpy.py`, that file would run.
    """
    try:
        before = os.getcwd()
    except FileNotFoundError:
        before = SAFE_FOLDER
    os.chdir(SAFE_FOLDER)
    try:
        yield
    finally:
        os.chdir(before)
