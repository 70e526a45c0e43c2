"""What the installed hooks add to git before it returns, over empty sh hooks, and when the context is fresh.

    python benchmarks/hooks/run.py [--runs 20] [--rebase]

Both kinds of hooks are measured in turn, in one repository each, with the machine's worker at rest before each command.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ctxkit.events import requests
from ctxkit.events.install import install
from ctxkit.events.shim import HOOKS
from ctxkit.repo import find
from ctxkit.safety import lock

FILES = 50


def git(root: Path, *args: str) -> float:
    """Run git as an editor does, with its output captured; returns the seconds it took."""
    start = time.perf_counter()
    subprocess.run(['git', *args], cwd=root, capture_output=True, check=True)
    return time.perf_counter() - start


def repository(folder: Path, name: str) -> Path:
    """A repository of 50 small files with one commit."""
    root = folder / name
    root.mkdir()
    git(root, 'init', '-q', '-b', 'main')
    for number in range(FILES):
        (root / f'module_{number}.py').write_text(f'def function_{number}():\n    return {number}\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'first')
    return root


def settle(root: Path) -> None:
    """Wait until the worker is done."""
    common = find(root).common_dir
    while requests.pending(common) or lock.is_held(common / 'ctxkit' / 'worker.lock'):
        time.sleep(0.02)


def commit(root: Path, number: int) -> float:
    """Change a file and commit it; the seconds of the commit."""
    (root / 'module_1.py').write_text(f'def function_1():\n    return {number}\n')
    git(root, 'add', 'module_1.py')
    return git(root, 'commit', '-qm', f'change {number}')


def checkout(root: Path, number: int) -> float:
    """Go to the commit before; the seconds of the checkout."""
    return git(root, 'checkout', '-q', '--detach', f'HEAD~{1 + number % 2}')


def rebase(root: Path, picks: int) -> float:
    """Rebase a branch of `picks` commits onto one that main is ahead; the seconds."""
    git(root, 'checkout', '-q', '-B', 'side', 'main~1')
    for number in range(picks):
        (root / f'side_{number}.py').write_text('x = 1\n')
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', f'side {number}')
    settle(root)
    took = git(root, 'rebase', '-q', 'main')
    settle(root)
    git(root, 'checkout', '-q', 'main')
    return took


def until_fresh(root: Path, number: int) -> float:
    """Seconds from the start of a commit to a context.xml that describes it."""
    start = time.perf_counter()
    commit(root, number)
    head = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=root, capture_output=True, text=True, check=True).stdout
    status = root / '.ctx' / 'status.json'
    while not status.exists() or json.loads(status.read_text()).get('commit') != head.strip():
        time.sleep(0.005)
    return time.perf_counter() - start


def main() -> int:
    """Print the figures; 1 where the hooks add more than 10 ms."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--runs', type=int, default=20)
    options.add_argument('--rebase', action='store_true', help='also a rebase of 20 commits')
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        home = folder / 'home'
        home.mkdir()
        os.environ.update(HOME=str(home), XDG_CACHE_HOME=str(home / '.cache'), XDG_CONFIG_HOME=str(home / '.config'))
        os.environ.update(
            {
                f'GIT_{who}_{what}': value
                for who in ('AUTHOR', 'COMMITTER')
                for what, value in (('NAME', 'A'), ('EMAIL', 'a@example.invalid'))
            }
        )
        os.environ.pop('PYTHONDONTWRITEBYTECODE', None)
        empty, ours = repository(folder, 'empty'), repository(folder, 'ours')
        for hook in HOOKS:
            file = empty / '.git' / 'hooks' / hook
            file.parent.mkdir(exist_ok=True)
            file.write_text('#!/bin/sh\nexit 0\n')
            file.chmod(0o755)
        install(find(ours), sys.executable)
        commit(ours, -1)
        commit(empty, -1)
        worst = 0.0
        for name, action in (('commit', commit), ('checkout', checkout)):
            times: dict[Path, list[float]] = {empty: [], ours: []}
            for number in range(given.runs):
                for root in (empty, ours):
                    settle(ours)
                    times[root].append(action(root, number) * 1000)
                    if name == 'checkout':
                        settle(ours)
                        git(root, 'checkout', '-q', 'main')
            before, after = (statistics.median(times[root]) for root in (empty, ours))
            worst = max(worst, after - before)
            print(
                f'git {name:<9} empty hooks {before:5.1f} ms, ours {after:5.1f} ms: adds {after - before:4.1f} ms, '
                f'x{after / before:.2f}  (median of {given.runs}; target: adds <= 10 ms)'
            )
        settle(ours)
        fresh = []
        for number in range(5):
            fresh.append(until_fresh(ours, 1000 + number))
            settle(ours)
        print(f'commit to fresh context.xml   {statistics.median(fresh):.2f} s in {FILES} files  (target: <= 1 s)')
        if given.rebase:
            before, after = rebase(empty, 20), rebase(ours, 20)
            print(f'rebase of 20 commits          empty hooks {before:.2f} s, ours {after:.2f} s')
    return int(worst > 10)


if __name__ == '__main__':
    sys.exit(main())
