"""Start Python processes from a folder that a stranger may have filled."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

SAFE_FOLDER = os.path.abspath(os.sep)
# CREATE_NO_WINDOW: otherwise Windows opens a console for each program that a process without one starts.
NO_WINDOW = 0x08000000 if os.name == 'nt' else 0


def command(module: str, *args: str) -> list[str]:
    """The command that runs a module of ctxkit; unlike `python -m`, it is safe in any working folder."""
    return [sys.executable, str(Path(__file__).parents[1] / 'launch' / 'run.py'), module, *args]


def start_detached(
    arguments: Sequence[str], folder: Path | str, environ: Mapping[str, str] | None = None, stdin_data: bytes = b''
) -> None:
    """Start a process that outlives this one and its terminal and reads `stdin_data`; nobody waits for it.

    On Windows it gets a console of its own that is not shown: without any, a window would open for each program that it
    starts.
    """
    import subprocess

    process = subprocess.Popen(
        arguments,
        cwd=folder,
        env=environ,
        stdin=subprocess.PIPE if stdin_data else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name != 'nt',
        creationflags=NO_WINDOW | 0x00000200 if os.name == 'nt' else 0,  # CREATE_NEW_PROCESS_GROUP
    )
    if process.stdin is not None:
        process.stdin.write(stdin_data)
        process.stdin.close()
    process.returncode = 0  # it is on its own: avoids the warning that it still runs when we end


@contextmanager
def outside_the_work_tree() -> Iterator[None]:
    """Change to the root of the file system while Python children are started, including those of multiprocessing.

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
