"""How exact vectors stay when they are stored small.

    storage.py --extracts EXTRACTS [--split dev]

The documentations' first sentences are asked of vectors in float32, float16 and int8 (one scale a vector): the share of the
first ten places that stays, the mean reciprocal rank, and the bytes a vector.
"""

# ruff: noqa: E402, E501

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / 'training'), str(Path(__file__).resolve().parent)]

from corpus import sources
from quality import reciprocal, tasks

from ctxkit.embedding import load
from ctxkit.embedding.text import head


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--extracts', type=Path, required=True)
    parser.add_argument('--split', default='dev')
    args = parser.parse_args()
    encoder = load()
    kept: dict[str, list[float]] = {'float32': [], 'float16': [], 'int8': []}
    rank: dict[str, list[float]] = {name: [] for name in kept}
    for source in sources(args.split):
        rows, wanted = tasks(source.name.replace('/', '+'), args.extracts)
        full = encoder.encode([head(r['path'], r['symbol']) + r['code'] for r in rows])
        scale = np.maximum(np.abs(full).max(axis=1, keepdims=True) / 127, 1e-12)
        stored = {
            'float32': full,
            'float16': full.astype(np.float16).astype(np.float32),
            'int8': np.round(full / scale).astype(np.int8) * scale,
        }
        for query, goal in wanted['sentence'][:100]:
            vector = encoder.encode_query(query)
            best = set(np.argsort(-(full @ vector))[:10])
            for name, table in stored.items():
                scores = table @ vector
                kept[name].append(len(best & set(np.argsort(-scores)[:10])) / 10)
                rank[name].append(reciprocal(scores, goal))
    print(f'{len(rank["int8"])} requests\n| stored as | bytes | first ten kept | MRR |\n|---|---|---|---|')
    for name, size in (
        ('float32', 4 * encoder.dimension),
        ('float16', 2 * encoder.dimension),
        ('int8', encoder.dimension + 4),
    ):
        print(f'| {name} | {size} | {np.mean(kept[name]):.3f} | {np.mean(rank[name]):.4f} |')


if __name__ == '__main__':
    main()
