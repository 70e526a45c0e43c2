"""Which words mean nearly the same, by the bundled model: `ctxkit/index/near.bin`, read by `ctxkit/index/near.py`.

    near.py MODEL_FOLDER OUT [--most 20] [--least 0.2] [--frequent 14000]

Words are compared as search terms: a stem is asked by its most frequent form, and as near as the nearest of its forms.
The mean of the forms would blur: rare ones are little trained. Stop words and single letters are left out, and so is
what holds anything but letters.
"""

# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ctxkit.embedding.folder import read
from ctxkit.index.near import KIND_COSINE, KIND_COUNT, KIND_TERM, KIND_WORD, SCALE
from ctxkit.index.terms import STOP, stem, term_id

BLOCK = 1024


def stems(tokenizer: Path) -> dict[str, list[int]]:
    """Each stem of the vocabulary with the rows of its forms."""
    vocabulary = json.loads(tokenizer.read_text('utf-8'))['model']['vocab']
    out: dict[str, list[int]] = defaultdict(list)
    for word, row in vocabulary.items():
        if word.isascii() and word.isalpha() and word.islower() and len(word) > 1 and word not in STOP:
            out[stem(word)].append(row)
    return {one: rows for one, rows in out.items() if one not in STOP}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('model', type=Path)
    parser.add_argument('out', type=Path)
    parser.add_argument('--most', type=int, default=20, help='near words of a word')
    parser.add_argument('--frequent', type=int, default=14_000, help='rows; rarer words are near to none')
    parser.add_argument('--least', type=float, default=0.2, help='the cosine from which words are near')
    args = parser.parse_args()
    offset, dtype, shape = read(args.model).tables['table']
    table = np.memmap(args.model / 'model.onnx', dtype=dtype, mode='r', offset=offset, shape=shape).astype(np.float32)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)
    rows = stems(args.model / 'tokenizer.json')
    # By the id of the term, so that a term is found by halving; of two stems with one id the more frequent stays.
    by_id = {term_id(one): one for one in sorted(rows, key=lambda one: -min(rows[one]))}
    terms = np.array(sorted(by_id), KIND_TERM)
    if len(terms) > np.iinfo(KIND_WORD).max:
        raise SystemExit(f'{len(terms)} words: more than {KIND_WORD} can number')
    forms = [rows[by_id[int(term)]] for term in terms]  # the more frequent a word, the lower its row
    heads = np.cumsum([0, *map(len, forms)])[:-1]
    rare = np.array([min(each) >= args.frequent for each in forms])
    asked, all_forms = table[[min(each) for each in forms]], table[[row for each in forms for row in each]]
    starts, words, cosines = [0], [], []
    for first in range(0, len(terms), BLOCK):
        near = np.maximum.reduceat(asked[first : first + BLOCK] @ all_forms.T, heads, axis=1)
        near[:, rare] = -1
        near[np.arange(len(near)), first + np.arange(len(near))] = -1
        for row, some in zip(near, np.argpartition(-near, args.most, axis=1)[:, : args.most], strict=True):
            best = some[np.argsort(-row[some], kind='stable')]
            best = best[row[best] >= args.least]
            words.append(best.astype(KIND_WORD))
            cosines.append(np.round(row[best] * SCALE).astype(KIND_COSINE))
            starts.append(starts[-1] + len(best))
    parts = [np.array([len(terms)], KIND_COUNT), terms, np.array(starts, KIND_COUNT), *words, *cosines]
    args.out.write_bytes(b''.join(part.tobytes() for part in parts))
    print(f'{len(terms)} words, {starts[-1] / len(terms):.1f} near ones each, {args.out.stat().st_size} bytes')


main()
