"""The main job on a real repository: first index, re-index, checkout, cold render; each as a ratio in one run.

    python -m benchmarks.main_job.run CLONE [--runs 3] [--query TEXT]

CLONE is copied first; nothing in it is changed. What is compared is run in turn, so that a busy machine slows both;
medians are printed, with the load of the machine. Exit code 1 if a figure that does not depend on the machine misses.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.main_job.processes import Took, run

CTXKIT = [sys.executable, '-m', 'ctxkit']
PARSE = [sys.executable, '-m', 'benchmarks.main_job.parse']
FILES = 10


def git(root: Path, *args: str) -> str:
    """Run git and return what it printed."""
    identity = ['-c', 'user.name=Benchmark', '-c', 'user.email=benchmark@example.invalid', '-c', 'commit.gpgsign=false']
    done = subprocess.run(['git', *identity, *args], cwd=root, capture_output=True, check=True)
    return done.stdout.decode('utf-8', 'replace')


def main() -> int:
    """Measure and print; see the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clone', type=Path)
    parser.add_argument('--runs', type=int, default=3, help='how often each first index is made')
    parser.add_argument('--times', type=int, default=9, help='how often each short command is run')
    parser.add_argument('--query', default='Fix the handling of errors in the parser')
    args = parser.parse_args()
    print(f'load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores')
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, args.clone.resolve().name)
        git(Path(folder), 'clone', '-q', '--no-hardlinks', str(args.clone.resolve()), str(root))
        git(root, 'checkout', '-q', '-B', 'benchmark')
        good = first_index(root, args.runs)
        good = reindex(root, args.times) and good
        good = checkout(root, args.times) and good
        good = render(root, args.times, args.query) and good
    print(f'load {os.getloadavg()[0]:.1f} at the end')
    return 0 if good else 1


def first_index(root: Path, runs: int) -> bool:
    """The first `ctxkit update` against parsing the same bytes on one core."""
    parses, indexes = [], []
    for _ in range(runs):
        shutil.rmtree(root / '.ctx', ignore_errors=True)
        shutil.rmtree(root / '.git' / 'ctxkit', ignore_errors=True)
        parses.append(parse(root))
        indexes.append(run([*CTXKIT, 'update'], root, watch=True))
    status = status_of(root)
    megabytes = parses[0]['bytes'] / 1e6
    print(f'{root.name}: {status["files"]} files, {status["chunks"]} chunks; parsed {megabytes:.1f} MB')
    alone = median([one['seconds'] for one in parses])
    wall = median([one.wall for one in indexes])
    ratios = [index.wall / one['seconds'] for index, one in zip(indexes, parses, strict=True)]
    work = [index.cpu / one['processor_seconds'] for index, one in zip(indexes, parses, strict=True)]
    say(
        'first index / parsing on one core, wall',
        median(ratios),
        1.5,
        'x',
        f'{wall:.1f} s / {alone:.1f} s; of the runs {", ".join(f"{one:.2f}" for one in ratios)}',
    )
    say(
        'the same in processor time, halved for two cores',
        median(work) / 2,
        1.5,
        'x',
        f'{median([one.cpu for one in indexes]):.1f} s of both cores',
    )
    peak = max(one.tree for one in indexes)
    say('peak memory of all processes', peak, 350, 'MB')
    return peak <= 350


def parse(root: Path) -> dict[str, float]:
    """Tree-sitter alone on what the index slices, in a process of its own."""
    done = subprocess.run([*PARSE, str(root)], capture_output=True, check=True, cwd=Path(__file__).parents[2])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def reindex(root: Path, times: int) -> bool:
    """A commit that changes ten files, then `ctxkit update` until context.xml describes it."""
    paths = [path for path in git(root, 'ls-files', '-z', '*.py', '*.js', '*.go').split('\0') if path]
    step = max(1, len(paths) // (FILES * times))
    took: list[Took] = []
    good = True
    for number in range(times):
        for path in paths[number::step][:FILES]:
            with (root / path).open('a', encoding='utf-8') as out:
                out.write(f'\n\ndef added_by_the_benchmark_{number}(value):\n    return value + {number}\n')
        git(root, 'commit', '-qam', f'change {number}')
        took.append(run([*CTXKIT, 'update'], root))
        good = good and fresh(root) and status_of(root)['sliced_files'] <= FILES
    walls = [one.wall for one in took]
    say(
        're-index after a ten-file commit, process start included',
        median(walls),
        1.0,
        's',
        f'{min(walls):.2f} to {max(walls):.2f} s; processor time {median([one.cpu for one in took]):.2f} s',
    )
    return good


def checkout(root: Path, times: int) -> bool:
    """Going back and forth between two commits that were indexed before."""
    git(root, 'branch', '-f', 'seen', 'HEAD~3')
    branch = git(root, 'symbolic-ref', '--short', 'HEAD').strip()
    took: list[Took] = []
    work = 0
    for number in range(2 * times + 2):
        git(root, 'checkout', '-q', ['seen', branch][number % 2])
        one = run([*CTXKIT, 'update'], root)
        if number > 1:
            took.append(one)
            status = status_of(root)
            work += status['sliced_files'] + status['embedded_chunks'] + (not fresh(root))
    say(
        'checkout of a branch seen before, until context.xml is fresh',
        median([one.wall for one in took]),
        0.5,
        's',
        f'processor time {median([one.cpu for one in took]):.2f} s',
    )
    say('files sliced and chunks embedded for it', work, 0, '')
    return work == 0


def render(root: Path, times: int, query: str) -> bool:
    """Cold processes against the imports that nobody can avoid."""
    commands = {
        'render': [*CTXKIT, 'render'],
        'click, sqlite3': [sys.executable, '-c', 'import click, sqlite3'],
        'render --query': [*CTXKIT, 'render', '--query', query],
        'onnxruntime': [sys.executable, '-c', 'import onnxruntime'],
    }
    took: dict[str, list[Took]] = {name: [] for name in commands}
    for number in range(times + 2):
        for name, command in commands.items():
            one = run(command, root)
            if number > 1:
                took[name].append(one)
    wall = {name: median([one.wall for one in runs]) for name, runs in took.items()}
    for ours, theirs, target in (('render', 'click, sqlite3', 3.0), ('render --query', 'onnxruntime', 1.5)):
        say(
            f'ctxkit {ours} / python -c "import {theirs}"',
            wall[ours] / wall[theirs],
            target,
            'x',
            f'{wall[ours] * 1000:.0f} ms / {wall[theirs] * 1000:.0f} ms',
        )
    memory = median([one.alone for one in took['render']])
    say('memory of ctxkit render', memory, 50, 'MB')
    return memory <= 50


def fresh(root: Path) -> bool:
    """Whether context.xml describes HEAD."""
    return f'commit="{git(root, "rev-parse", "HEAD")[:12]}"' in (root / '.ctx' / 'context.xml').read_text('utf-8')


def status_of(root: Path) -> dict[str, int]:
    """status.json."""
    found: dict[str, int] = json.loads((root / '.ctx' / 'status.json').read_text('utf-8'))
    return found


def median(values: list[float]) -> float:
    """The median."""
    return statistics.median(values)


def say(what: str, value: float, target: float, unit: str, detail: str = '') -> None:
    """One line a figure."""
    verdict = 'ok' if value <= target else 'MISSED'
    print(f'{what:<62}{value:8.2f} {unit:<2} (<= {target:g})  {verdict}{"  " + detail if detail else ""}', flush=True)


if __name__ == '__main__':
    began = time.monotonic()
    code = main()
    print(f'{time.monotonic() - began:.0f} s in all')
    sys.exit(code)
