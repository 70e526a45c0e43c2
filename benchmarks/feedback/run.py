"""Invented names in answers: how many are found, and how many real ones are called invented.

    python benchmarks/feedback/run.py CLONE CLONE CLONE [--answers 200] [--seed 1] [--show]

Targets: invented names found >= 95 %, real names called invented <= 2 % (whatever else is flagged counts as such too).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from answers import Repository, write

from ctxkit import repo
from ctxkit.feedback.judge import judge


def main() -> int:
    """Judge the answers and print the figures; 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--answers', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--show', action='store_true', help='print what was missed and what was wrongly flagged')
    given = parser.parse_args()
    templates = [text.strip() for text in (Path(__file__).parent / 'templates.txt').read_text('utf-8').split('\n%%\n')]
    total = [0, 0, 0, 0]
    print(f'{"repository":20} {"answers":>7} {"invented":>8} {"found":>7} {"real":>6} {"flagged":>8} {"ms each":>8}')
    for place, clone in enumerate(given.clones):
        chance = random.Random(f'{given.seed} {clone.name}')
        repository, tree = Repository(clone, chance), repo.find(clone)
        count = given.answers * (place + 1) // len(given.clones) - given.answers * place // len(given.clones)
        figures, seconds = [0, 0, 0, 0], 0.0
        for number in range(count):
            answer = write(repository, templates[(number + place) % len(templates)])
            before = time.monotonic()
            flagged = set(judge(tree, answer.text).invented)
            seconds += time.monotonic() - before
            found = {name for name in answer.invented if any(same(name, other) for other in flagged)}
            wrong = {name for name in flagged if not any(same(other, name) for other in answer.invented)}
            for at, value in enumerate((len(answer.invented), len(found), len(answer.real), len(wrong))):
                figures[at] += value
            if given.show and (wrong or found != answer.invented):
                print(f'  missed {sorted(answer.invented - found)} flagged {sorted(wrong)}')
                for name in answer.invented - found:
                    print(*(f'    {line}' for line in answer.text.splitlines() if name in line), sep='\n')
        print(row(clone.name, count, figures, seconds))
        total = [a + b for a, b in zip(total, figures, strict=True)]
    print(row('all', given.answers, total, 0.0))
    good = total[1] >= 0.95 * total[0] and total[3] <= 0.02 * total[2]
    print(f'targets: found >= 95 %, flagged <= 2 %: {"reached" if good else "MISSED"}')
    return 0 if good else 1


def same(name: str, other: str) -> bool:
    """Whether a planted name and a flagged one are the same thing (`Class.method` may be flagged by its last part)."""
    return name == other or name.endswith('.' + other) or other.endswith('.' + name)


def row(name: str, answers: int, figures: list[int], seconds: float) -> str:
    """One line of the table."""
    invented, found, real, wrong = figures
    each = f'{1000 * seconds / answers:8.0f}' if seconds else f'{"":8}'
    return (
        f'{name:20} {answers:>7} {invented:>8} {found / max(invented, 1):>7.1%} {real:>6} '
        f'{wrong / max(real, 1):>8.1%} {each}'
    )


if __name__ == '__main__':
    sys.exit(main())
