"""Running a command and knowing what it took: seconds, processor seconds, memory of all its processes together."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PAUSE = 0.05  # seconds between two looks at the memory


class Took(NamedTuple):
    """Wall seconds; processor seconds of the command and its children; megabytes (see `run`)."""

    wall: float
    cpu: float
    alone: float
    tree: float


def run(command: Sequence[str], folder: Path, watch: bool = False) -> Took:
    """Run to the end. `alone` is the resident peak of the command itself.

    `tree` (with `watch`, on Linux) is the peak of the proportional set sizes of the command and everything that it
    started: shared pages count once. Raises CalledProcessError if it fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    peak = [0.0]
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, over))
    if watch:
        watcher.start()
    said = process.stderr.read() if process.stderr else b''
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.stderr:
        process.stderr.close()
    over.set()
    if watch:
        watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said.decode('utf-8', 'replace'))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(wall, cpu, usage.ru_maxrss / 1024, peak[0])


def _watch(pid: int, peak: list[float], over: threading.Event) -> None:
    """Note the largest sum over the processes of the session that `pid` leads."""
    while not over.wait(PAUSE):
        peak[0] = max(peak[0], sum(_megabytes(one) for one in _session(pid)))


def _session(leader: int) -> list[str]:
    """The processes of a session. A child that has not yet begun its own program still has its parent's memory, and is
    left out: it would count twice."""
    found: dict[str, tuple[str, bytes]] = {}
    for name in os.listdir('/proc') if os.path.isdir('/proc') else ():
        if name.isdigit():
            try:
                with open(f'/proc/{name}/stat') as source:
                    fields = source.read().rpartition(')')[2].split()
                if fields[3] == str(leader):
                    found[name] = fields[1], Path(f'/proc/{name}/cmdline').read_bytes()
            except OSError:
                continue
    return [name for name, (parent, line) in found.items() if parent not in found or found[parent][1] != line]


def _megabytes(pid: str) -> float:
    try:
        with open(f'/proc/{pid}/smaps_rollup') as source:
            return next(int(line.split()[1]) for line in source if line.startswith('Pss:')) / 1024
    except (OSError, StopIteration, ValueError):
        return 0.0
