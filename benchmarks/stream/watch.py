"""Save to unit, and what an idle watcher costs, in a repository of 2,000 files.

    python -m benchmarks.stream.watch [--saves 100] [--idle 20] [--clone FOLDER]

Prints the median and the 95th percentile of the time from the end of a save until its unit stands in the stream, the
share of a core that the idle watcher takes, and its resident memory after the saves (the last two on Linux).
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGETS = {'median': 0.3, 'p95': 1.0, 'core': 1.0, 'memory': 80.0}


def make(root: Path, files: int) -> None:
    """A repository of Python modules that call each other."""
    for number in range(files):
        file = root / f'pkg{number % 40}' / f'm{number}.py'
        file.parent.mkdir(parents=True, exist_ok=True)
        body = ''.join(
            f'def f{number}_{at}(value, other=None):\n    """Step {at}."""\n    total = value + {at}\n'
            f'    return f{(number + 1) % files}_{at}(total, other) if other else total\n\n\n'
            for at in range(12)
        )
        file.write_text(body)
    git(root, 'init', '-q')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'first')


def git(root: Path, *args: str) -> str:
    environ = {
        **os.environ,
        'GIT_AUTHOR_NAME': 'b',
        'GIT_AUTHOR_EMAIL': 'b@example.invalid',
        'GIT_COMMITTER_NAME': 'b',
        'GIT_COMMITTER_EMAIL': 'b@example.invalid',
    }
    return subprocess.run(['git', *args], cwd=root, env=environ, check=True, capture_output=True, text=True).stdout


def save(root: Path, path: str, stream: Path, number: int) -> float:
    """Add a function to a file; seconds until its unit stands in the stream."""
    mark = f'measured_{number}'
    file = root / path
    source = file.read_text('utf-8', 'replace')
    with file.open('w', encoding='utf-8', errors='replace') as out:
        out.write(source + f'\n\ndef {mark}(value):\n    return value + {number}\n')
    began = time.perf_counter()
    while time.perf_counter() - began < 10:
        if mark in stream.read_text('utf-8', 'replace'):
            return time.perf_counter() - began
        time.sleep(0.004)
    raise SystemExit(f'no unit for {path} within 10 s')


def cpu_seconds(pid: int) -> float:
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def memory_mb(pid: int) -> float:
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('VmRSS:'):
            return int(line.split()[1]) / 1024
    return 0.0


def told(name: str, value: float, unit: str) -> bool:
    good = value <= TARGETS[name]
    print(f'{name:8} {value:8.3f} {unit:4} (target {TARGETS[name]:g}) {"ok" if good else "MISSED"}')
    return good


def measure(root: Path, saves: int, idle: float) -> bool:
    python = [sys.executable, '-m', 'ctxkit']
    subprocess.run([*python, 'update'], cwd=root, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    watcher = subprocess.Popen(
        [*python, 'watch'], cwd=root, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        assert watcher.stderr is not None
        watcher.stderr.readline()
        time.sleep(1)
        paths = [path for path in git(root, 'ls-files', '*.py').splitlines() if (root / path).stat().st_size < 60_000]
        stream = root / '.ctx' / 'units.jsonl'
        chosen = random.Random(7).choices(paths, k=saves)  # a fixed seed: the same files in each run
        seconds = []
        for number, path in enumerate(chosen):
            seconds.append(save(root, path, stream, number))
            time.sleep(0.3)
        seconds.sort()
        results = [
            told('median', statistics.median(seconds), 's'),
            told('p95', seconds[int(len(seconds) * 0.95) - 1], 's'),
        ]
        if sys.platform == 'linux':
            time.sleep(3)
            before = cpu_seconds(watcher.pid)
            time.sleep(idle)
            results.append(told('core', 100 * (cpu_seconds(watcher.pid) - before) / idle, '%'))
            results.append(told('memory', memory_mb(watcher.pid), 'MB'))
        return all(results)
    finally:
        watcher.send_signal(signal.SIGTERM)
        watcher.wait(20)
        assert watcher.stderr is not None
        watcher.stderr.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--saves', type=int, default=100)
    parser.add_argument('--idle', type=float, default=20.0)
    parser.add_argument('--files', type=int, default=2000)
    parser.add_argument('--clone', type=Path, help='measure in a copy of this repository instead')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, 'work')
        if given.clone:
            git(Path(folder), 'clone', '-q', '--no-hardlinks', str(given.clone.resolve()), 'work')
        else:
            root.mkdir()
            make(root, given.files)
        print(f'{len(git(root, "ls-files").splitlines())} files, {given.saves} saves')
        good = measure(root, given.saves, given.idle)
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
