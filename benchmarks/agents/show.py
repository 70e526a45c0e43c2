"""What `ctxkit show` takes over the start of a process that imports click: target at most 100 ms.

    python benchmarks/agents/show.py [REPOSITORY]

REPOSITORY has a fresh block (`ctxkit update`); without it a small one is made.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import run

RUNS = 15


def median(folder: Path, command: list[str]) -> float:
    """Median wall time in milliseconds."""
    taken = []
    for _ in range(RUNS):
        before = time.perf_counter()
        subprocess.run(command, cwd=folder, input=b'{}', stdout=subprocess.PIPE, check=True)
        taken.append(1000 * (time.perf_counter() - before))
    return statistics.median(taken)


def main() -> int:
    """Print the figure; 1 if it is above the target."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        if len(sys.argv) < 2:
            run.make_repository(folder)
            run.ctxkit(folder, 'update')
        bare = median(folder, [sys.executable, '-c', 'import click'])
        shown = median(folder, [sys.executable, '-m', 'ctxkit', 'show', '--agent', 'claude-code'])
    good = shown - bare <= 100
    result = 'reached' if good else 'MISSED'
    print(f'ctxkit show: {shown:.0f} ms, {shown - bare:.0f} over python -c "import click"; target <= 100: {result}')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
