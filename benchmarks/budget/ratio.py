"""How near is the built-in estimate to what agents' tokenizers count, file by file?

    npm install --prefix FOLDER gpt-tokenizer @anthropic-ai/tokenizer
    python -m benchmarks.budget.ratio --tokenizers FOLDER CLONE...

Some files of each clone, the same at each run. Real count over estimate, for code, prose and data apart: above 1 the
estimate is too small, far below it room is wasted. Counted with o200k (OpenAI) and the tokenizer that Anthropic
published. Needs node. Exit code 1 if the estimate of code is further off than the targets.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from benchmarks.budget.run import NAMES, counted
from benchmarks.budget.words import some_files
from ctxkit.tokens import count

PROSE = {'.md', '.mdx', '.rst', '.txt', '.adoc', '.html', ''}
DATA = {'.json', '.yml', '.yaml', '.toml', '.xml', '.csv', '.lock', '.sum', '.mod', '.cfg', '.ini', '.pem', '.key'}
SMALLEST = 300  # characters: in less a token more or less says nothing
TARGET = 0.93  # for code, on average, by the tokenizer that counts more


def main() -> int:
    """Count, print; exit 1 if code is further off than the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--tokenizers', type=Path, required=True, help='the folder that npm installed into')
    args = parser.parse_args()
    files = [(kind, text) for clone in args.clones for kind, text in some_files(clone) if len(text) >= SMALLEST]
    ratios: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for (kind, text), counts in zip(
        files, counted([text for _, text in files], args.tokenizers.resolve()), strict=True
    ):
        group = 'prose' if kind in PROSE else 'data' if kind in DATA else 'code'
        for name, real in zip(NAMES, counts, strict=True):
            ratios[group, name].append(real / count(text))
    for (group, name), found in sorted(ratios.items()):
        found.sort()
        p95, p99 = (found[int(share * (len(found) - 1))] for share in (0.95, 0.99))
        print(
            f'{group:<6}{name:<7}{len(found):>5} files: mean {statistics.mean(found):.3f}, '
            f'p95 {p95:.3f}, p99 {p99:.3f}, max {found[-1]:.3f}, above 1.05: {sum(one > 1.05 for one in found)}'
        )
    mean = max(statistics.mean(ratios['code', name]) for name in NAMES)
    print(f'code by the one that counts more: {mean:.3f} (target >= {TARGET})  {"ok" if mean >= TARGET else "MISSED"}')
    return int(mean < TARGET)


if __name__ == '__main__':
    sys.exit(main())
