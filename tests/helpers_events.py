"""What the tests of events and hooks share: installing our hooks, and waiting for the detached worker."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ctxkit.events import requests
from ctxkit.events.install import install
from ctxkit.repo import find
from ctxkit.safety import lock

PATIENCE = 60.0


def ctxkit(folder: Path, *args: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in `folder`."""
    return subprocess.run(
        [sys.executable, '-m', 'ctxkit', *args],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        **options,
    )


def install_hooks(root: Path) -> list[str]:
    """Our lines in the hooks, with this interpreter."""
    return install(find(root), sys.executable)


def settle(root: Path) -> None:
    """Wait until nothing is asked for and nobody works."""
    repo = find(root)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not requests.pending(repo.common_dir) and not lock.is_held(repo.data_dir / 'worker.lock'):
            return
        time.sleep(0.05)
    raise AssertionError(f'the worker did not finish; {requests.pending(repo.common_dir)}')


def status(root: Path) -> dict[str, Any]:
    """status.json of a work tree; {} if there is none."""
    file = root / '.ctx' / 'status.json'
    return json.loads(file.read_text('utf-8')) if file.exists() else {}


def log(root: Path) -> str:
    """The worker's log."""
    file = find(root).data_dir / 'log'
    return file.read_text('utf-8') if file.exists() else ''


def updates(root: Path) -> list[str]:
    """The events of the updates that were done, in order."""
    return [line.split(' ')[2] for line in log(root).splitlines() if line.split(' ')[1] == 'done']
