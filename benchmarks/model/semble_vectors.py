"""NDCG@10 of models on semble's annotations: vectors alone, and beside plain BM25; whole repositories.

    semble_vectors.py --set DIR --clones DIR [MODEL ...]

DIR of --set holds repos.json and one <name>.json each (the set of `semble_ndcg.py`), --clones a clone <name> each, at the
revision of repos.json. One hit a file; tests, examples and docs count 0.4. No other ranking: what `ctxkit search` adds on
top is measured by semble_ndcg.py.
"""

# ruff: noqa: E501, E402, C901

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[2] / 'training')]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpus import TEST
from quality import Bm25, encoder_of

from ctxkit.embedding.text import passage
from ctxkit.repo import blobs, find, tree
from ctxkit.slicing import language_of, readable, slice_file


def ndcg(results: list[tuple[str, int, int]], targets: list) -> float:
    got = 0.0
    for target in targets:
        target = target if isinstance(target, dict) else {'path': target}
        for rank, (path, first, last) in enumerate(results[:10], 1):
            if path == target['path'] and (
                'start_line' not in target or (first <= target['end_line'] and last >= target['start_line'])
            ):
                got += 1 / math.log2(rank + 1)
                break
    return got / sum(1 / math.log2(i + 1) for i in range(1, min(10, len(targets)) + 1))


def ranked(scores: np.ndarray, places: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The best place of each file, best first."""
    out, seen = [], set()
    for number in np.argsort(-scores, kind='stable'):
        if places[number][0] not in seen:
            seen.add(places[number][0])
            out.append(places[number])
            if len(out) == 10:
                break
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('models', nargs='*')
    parser.add_argument('--set', type=Path, required=True)
    parser.add_argument('--clones', type=Path, required=True)
    args = parser.parse_args()
    models = dict(encoder_of(name) for name in args.models or ['bundled'])
    total: dict[str, list[float]] = {}
    for item in json.loads((args.set / 'repos.json').read_text()):
        repo = find(args.clones / item['name'])
        places, texts = [], []
        entries = [e for e in tree(repo, item['revision']) if language_of(e.path) not in ('', 'markdown')]
        content = dict(blobs(repo, {e.blob for e in entries}))
        for entry in entries:
            source = readable(content[entry.blob] or b'')
            for chunk in slice_file(entry.path, source).chunks:
                places.append((entry.path, chunk.start_line, chunk.end_line))
                texts.append(passage(entry.path, chunk, source))
        penalty = np.array([0.4 if TEST.search(p) or '/doc' in p or p.startswith('doc') else 1.0 for p, _, _ in places])
        lexical = Bm25(texts)
        vectors = {name: encoder.encode(texts) for name, encoder in models.items()}
        score: dict[str, list[float]] = {}
        for query in json.loads((args.set / f'{item["name"]}.json').read_text()):
            targets = query['relevant'] + query.get('secondary', [])
            bm25 = lexical(query['query'])
            ways = {'BM25': bm25 * penalty}
            for name, encoder in models.items():
                value = vectors[name] @ encoder.encode_query(query['query'])
                ways[name] = np.maximum(value, 0) * penalty
                mixed = 0.4 * (bm25 - bm25.mean()) / (bm25.std() + 1e-9) + 0.6 * (value - value.mean()) / (
                    value.std() + 1e-9
                )
                ways[f'{name} .6 + BM25 .4'] = (mixed - mixed.min()) * penalty
            for name, values in ways.items():
                score.setdefault(name, []).append(ndcg(ranked(values, places), targets))
        for name, values in score.items():
            total.setdefault(name, []).append(float(np.mean(values)))
        print(item['name'], len(texts), {name: round(values[-1], 3) for name, values in total.items()}, flush=True)
    for name, values in total.items():
        print(f'| {name} | {np.mean(values):.4f} |')


if __name__ == '__main__':
    main()
