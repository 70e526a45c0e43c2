"""The short forms of all benchmarks, in under four minutes: `python -m benchmarks.short [NAME...]`.

Each runs in a process of its own, bounded in time. What a machine's speed decides is printed and not judged; a figure
that is the same everywhere must reach its target, else the exit code is 1. What a benchmark needs and this machine
lacks (redis-server, universal-ctags, jedi) is named and left out. The repository measured is this one.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
WHOLE = 230.0  # seconds


class Short(NamedTuple):
    """A benchmark: arguments for the interpreter, its limit in seconds, and how it is judged.

    `judged` takes its exit code; else each expression of `must` has to stand in what it prints. `needs` are programs
    or modules without which it is left out.
    """

    name: str
    arguments: tuple[str, ...]
    seconds: float
    judged: bool = False
    must: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


SHORTS = (
    Short(
        'secrets',
        ('benchmarks/secrets/run.py',),
        60,
        must=(r'found, plain\s+(\d+)/\1 ', r'found, in JSON\s+(\d+)/\1 ', r'look-alikes redacted\s+0/'),
    ),
    Short('web', ('benchmarks/web/need.py',), 30, judged=True),
    Short('sessions', ('benchmarks/sessions/auto_ttl.py',), 60, judged=True),
    Short('memory', ('benchmarks/memory/quality.py',), 60, judged=True),
    Short('main job', ('-m', 'benchmarks.main_job.run', '.', '--runs', '1', '--times', '3'), 90, judged=True),
    Short('literals', ('-m', 'benchmarks.retrieval.literals', '.', '--sample', '2'), 60, must=(r'flag .*shown:',)),
    Short('named', ('-m', 'benchmarks.retrieval.named', '.'), 60, must=(r'block: mean', r'code shown')),
    Short('feedback', ('benchmarks/feedback/run.py', '.', '--answers', '60'), 60, judged=True),
    Short('hooks', ('benchmarks/hooks/run.py', '--runs', '3'), 40),
    Short('log', ('benchmarks/sessions/scale.py', '--messages', '5000', '--runs', '3'), 45),
    Short('slicing', ('benchmarks/slicing/speed.py', '.'), 30),
    Short('definitions', ('benchmarks/slicing/ctags.py', '.', '--show', '5'), 45, needs=('ctags',)),
    Short('stream', ('-m', 'benchmarks.stream.feed', '--units', '1000'), 45, judged=True, needs=('redis-server',)),
    Short('links', ('-m', 'benchmarks.links.run', '.', '--sample', '20', '--seconds', '25'), 60, needs=('jedi',)),
)


def main(names: list[str]) -> int:
    """Run what is asked for, all without names; 1 if a judged one missed."""
    end = time.monotonic() + WHOLE
    missed = []
    for short in SHORTS:
        if names and short.name not in names:
            continue
        lacking = [need for need in short.needs if not there(need)]
        left = end - time.monotonic()
        print(f'== {short.name}', flush=True)
        if lacking or left < 5:
            print(f'left out: {", ".join(lacking)} is not here' if lacking else 'left out: the time is over')
            continue
        began = time.monotonic()
        code, said = run(short, min(short.seconds, left))
        print('\n'.join(said.rstrip().splitlines()[-14:]))
        absent = [expression for expression in short.must if not re.search(expression, said)]
        if code is None:
            print(f'stopped after {time.monotonic() - began:.0f} s')
        elif short.judged and code or absent:
            missed.append(short.name)
        print(f'   {time.monotonic() - began:.0f} s', flush=True)
    print(f'missed: {", ".join(missed)}' if missed else 'all deterministic figures reached')
    return int(bool(missed))


def there(need: str) -> bool:
    """Whether a program or a module is on this machine."""
    return bool(shutil.which(need)) or importlib.util.find_spec(need) is not None


def run(short: Short, seconds: float) -> tuple[int | None, str]:
    """(exit code, output) of one benchmark; the code is None where it took too long."""
    process = subprocess.Popen(
        [sys.executable, *short.arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
        return process.returncode, said.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired:
        import os

        if hasattr(os, 'killpg'):  # what it started too
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        said, _ = process.communicate()
        return None, said.decode('utf-8', 'replace')


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
