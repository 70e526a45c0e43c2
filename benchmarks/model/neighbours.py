"""What share of neighbouring definitions a model folds, by threshold; and of random pairs of the same repository.

    neighbours.py --extracts EXTRACTS [--split dev] [--share 0.19] [--show N] [MODEL ...]

Neighbours follow each other in a file and have the same parent. 0.82 on MiniLM, which the threshold stands for, folds 18 to
21 % of them: the threshold that folds --share is printed for each model. --show prints N folded pairs' names, to look at.
"""

# ruff: noqa: E402, E501

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / 'training'), str(Path(__file__).resolve().parent)]

from corpus import sources
from quality import encoder_of

from ctxkit.embedding.text import head


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('models', nargs='*')
    parser.add_argument('--extracts', type=Path, required=True)
    parser.add_argument('--split', default='dev')
    parser.add_argument('--share', type=float, default=0.19)
    parser.add_argument('--show', type=int, default=0)
    parser.add_argument('--no-tests', action='store_true')
    parser.add_argument('--pairs', type=int, default=400, help='of each repository, at most')
    args = parser.parse_args()
    pairs, others, names = [], [], []
    generator = random.Random(0)
    for source in sources(args.split):
        file = args.extracts / f'{source.name.replace("/", "+")}.jsonl'
        rows = (
            [
                r
                for r in map(json.loads, file.open(encoding='utf-8'))
                if r['kind'] != 'class' and not (args.no_tests and r['test'])
            ]
            if file.is_file()
            else []
        )
        texts = [head(r['path'], r['symbol']) + r['code'] for r in rows]
        parents = [(r['path'], r['symbol'].rpartition(r['name'])[0]) for r in rows]
        near = [i for i in range(1, len(rows)) if parents[i] == parents[i - 1]]
        for i in generator.sample(near, min(args.pairs, len(near))):
            pairs.append((texts[i - 1], texts[i]))
            names.append(f'{source.name} {rows[i]["path"]}: {rows[i - 1]["symbol"]} + {rows[i]["symbol"]}')
        others += [tuple(generator.sample(texts, 2)) for _ in range(args.pairs // 2)]
    print(f'{len(pairs)} neighbours, {len(others)} random pairs')
    for name in args.models or ['bundled']:
        label, encoder = encoder_of(name)
        near, far = (
            (encoder.encode([a for a, _ in p]) * encoder.encode([b for _, b in p])).sum(axis=1) for p in (pairs, others)
        )
        print(
            f'{label}: neighbours median {np.median(near):.2f}, p90 {np.quantile(near, 0.9):.2f}; random median '
            f'{np.median(far):.2f}, p90 {np.quantile(far, 0.9):.2f}; {args.share:.0%} of neighbours are folded at '
            f'{np.quantile(near, 1 - args.share):.3f}'
        )
        print('| threshold | neighbours folded | random pairs folded |\n|---|---|---|')
        for threshold in (0.6, 0.7, 0.75, 0.78, 0.8, 0.82, 0.85, 0.9):
            print(f'| {threshold} | {(near >= threshold).mean():.1%} | {(far >= threshold).mean():.2%} |')
        folded = [n for n, value in enumerate(near) if value >= encoder.fold_threshold]
        for number in generator.sample(folded, min(args.show, len(folded))):
            print(f'  {near[number]:.2f} {names[number]}')


if __name__ == '__main__':
    main()
