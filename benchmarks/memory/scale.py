"""How long 1,000 conversations of 1 MB take: `python benchmarks/memory/scale.py [--conversations 1000] [--short]`.

Most of a long conversation is tool output, so most of these bytes are. Prints seconds for the first run and for a
second one with nothing new, and the peak memory of the process and its readers together, each with its target.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generate import DAY, NOW, git  # noqa: E402
from phrasings import AGENT_CHATTER, PHRASINGS  # noqa: E402
from writers import Turn, claude, codex, pi  # noqa: E402

from ctxkit import repo as repos  # noqa: E402
from ctxkit.settings import Settings  # noqa: E402


def conversation(rng: random.Random, size: int, number: int) -> list[Turn]:
    """About `size` bytes: one in eight of them prose, the rest output of tools."""
    english = PHRASINGS['en']
    output = '\n'.join(f'{rng.random():.12f} src/part{n}.py: warning: something about line {n * 7}' for n in range(300))
    turns = [Turn('human', english['decision']['tuned'][number % 14].format(a=f'tool{number}', b=f'former{number}'))]
    written = 0
    while written < size:
        turns += [
            Turn('human', rng.choice(english['chatter']['tuned'])),
            Turn('agent', ' '.join(rng.choices(AGENT_CHATTER, k=40))),
            Turn('tool', f'make step{rng.randrange(40)}', output),
        ]
        written += 1900 + len(output) * 1.08
    return turns


def peak(run: subprocess.Popen) -> int:
    """Watch a process and its children; returns the peak of their resident bytes together (0 without /proc)."""
    most = 0
    while run.poll() is None:
        total = 0
        for entry in Path('/proc').glob('[0-9]*'):
            try:
                stat = (entry / 'stat').read_text().rsplit(')', 1)[1].split()
                if int(entry.name) == run.pid or int(stat[1]) == run.pid:
                    total += int(stat[21]) * os.sysconf('SC_PAGE_SIZE')
            except (OSError, IndexError, ValueError):
                continue
        most = max(most, total)
        time.sleep(0.05)
    return most


def timed(root: Path, home: Path, turn: str) -> tuple[float, float, int]:
    """Seconds, seconds of processor time and peak bytes of one run in a process of its own, its readers included."""
    begun, used = time.monotonic(), os.times()
    process = subprocess.Popen([sys.executable, __file__, '--child', str(root), str(home), turn])
    most = peak(process)
    assert process.returncode == 0
    after = os.times()
    spent = after.children_user + after.children_system - used.children_user - used.children_system
    return time.monotonic() - begun, spent, most


def child(root: Path, home: Path, again: bool) -> None:
    """`ctxkit memory rebuild` the first time, what runs after a git event the second time."""
    from ctxkit.memory.run import run

    settings = Settings()
    settings = replace(settings, memories=replace(settings.memories, enabled=True))
    report = run(repos.find(root), settings, home, {}, NOW, everything=not again)
    print(f'  read {report.read}, facts {len(report.facts)}, failed {report.failed}', flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--conversations', type=int, default=1000)
    parser.add_argument('--short', action='store_true', help='50 conversations, for CI; no time is judged')
    parser.add_argument('--child', nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(Path(args.child[0]), Path(args.child[1]), args.child[2] == 'again')
        return 0
    number = 50 if args.short else args.conversations
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder) / 'app', Path(folder) / 'home'
        root.mkdir()
        git(root, 'init', '-q', when=NOW)
        (root / 'a.py').write_text('def one():\n    return 1\n')
        git(root, 'add', '-A', when=NOW - 29 * DAY)
        git(root, 'commit', '-qm', 'first', when=NOW - 29 * DAY)
        rng = random.Random(1)
        total = 0
        for at in range(number):
            start = NOW - 28 * DAY + at * 2000
            file = (claude, codex, pi)[at % 3](home, str(root), f'n{at}', start, conversation(rng, 1_000_000, at))
            os.utime(file, (start + 600, start + 600))
            total += file.stat().st_size
        print(f'{number} conversations, {total / 1e6:.0f} MB, {os.cpu_count()} cores')
        first, first_cpu, most = timed(root, home, 'first')
        second, second_cpu, _ = timed(root, home, 'again')
        print(f'     processor time: {first_cpu:.1f} s, then {second_cpu:.1f} s (a busy machine stretches the rest)')
    reached = True
    for name, value, limit, unit in (
        ('first run', first, 60.0, 's'),
        ('peak memory', most / 1e6, 200.0, 'MB'),
        ('second run, nothing new', second, 1.0, 's'),
    ):
        judged = not args.short or name == 'peak memory'
        ok = value <= limit
        reached = reached and (ok or not judged)
        print(
            f'{"ok  " if ok else "MISS" if judged else "    "} {name}: {value:.2f} {unit} (target <= {limit:g} {unit})'
        )
    return 0 if reached else 1


if __name__ == '__main__':
    sys.exit(main())
