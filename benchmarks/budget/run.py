"""Finished blocks, counted by the tokenizers of agents: none may be above its budget.

    npm install --prefix FOLDER gpt-tokenizer @anthropic-ai/tokenizer
    python -m benchmarks.budget.run --tokenizers FOLDER CLONE... [--budgets 1500,3600,5100] [--requests 6]

For each clone and budget a block without a request, and one for each of the last subjects of its history. Counted with
o200k (OpenAI) and the tokenizer that Anthropic published; ctxkit itself counts by its own estimate. Needs node. Exit
code 1 if one is above.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ctxkit.render import build
from ctxkit.repo import find
from ctxkit.settings import Settings

NAMES = ('o200k', 'claude')


def main() -> int:
    """Render, count, print; exit 1 if a block is above its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--tokenizers', type=Path, required=True, help='the folder that npm installed into')
    parser.add_argument('--budgets', default='1500,3600,5100')
    parser.add_argument('--requests', type=int, default=6)
    args = parser.parse_args()
    budgets = [int(one) for one in args.budgets.split(',')]
    blocks: list[tuple[str, int, int, str]] = []
    for clone in args.clones:
        blocks += of_clone(clone.resolve(), budgets, args.requests)
    counts = counted([text for *_, text in blocks], args.tokenizers.resolve())
    above = 0
    for number, name in enumerate(NAMES):
        for budget in budgets:
            shares = [
                (count[number] / budget, clone)
                for (clone, of, _, _), count in zip(blocks, counts, strict=True)
                if of == budget
            ]
            above += sum(share > 1 for share, _ in shares)
            most, where = max(shares)
            mean = statistics.mean(share for share, _ in shares)
            print(f'{name:<7} budget {budget}: {len(shares)} blocks, mean {mean:.2f}, most {most:.2f} ({where})')
    filled = statistics.mean(used / budget for _, budget, used, _ in blocks)
    print(f'by our own count they fill {filled:.2f} of their budgets')
    print(f'blocks above their budget: {above} of {2 * len(blocks)} (target 0)  {"ok" if not above else "MISSED"}')
    return int(above > 0)


def of_clone(clone: Path, budgets: list[int], requests: int) -> list[tuple[str, int, int, str]]:
    """(clone, budget, what we counted, text of the element) of each block; the clone is copied first."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, clone.name)
        subprocess.run(['git', 'clone', '-q', str(clone), str(root)], check=True, capture_output=True)
        log = ['git', 'log', f'-{requests}', '--no-merges', '--format=%s']
        said = subprocess.run(log, cwd=root, capture_output=True, check=True).stdout.decode('utf-8', 'replace')
        for query in ['', *said.splitlines()]:
            for budget in budgets:
                block = build(find(root), Settings(), query=query, budget=budget, now=time.time())
                element, end, _ = block.to_xml().partition('</ctxkit>\n')
                out.append((clone.name, budget, block.used, element + end))
    return out


def counted(texts: list[str], tokenizers: Path) -> list[list[int]]:
    """The counts of each text, in the order of NAMES."""
    script = Path(__file__).with_name('count.mjs')
    done = subprocess.run(['node', str(script)], input=json.dumps(texts).encode(), capture_output=True, cwd=tokenizers)
    if done.returncode:
        raise SystemExit(done.stderr.decode('utf-8', 'replace'))
    found: list[list[int]] = json.loads(done.stdout)
    return found


if __name__ == '__main__':
    sys.exit(main())
