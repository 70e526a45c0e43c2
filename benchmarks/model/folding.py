# ruff: noqa: E402, E501, C901
"""Precision and recall of folding on neighbours labelled by hand (folding_pairs.py), by threshold.

    folding.py [MODEL ...]

MODEL is the name of a model or a folder; the bundled one if none is given. The text before the code names no file, as
the pairs have none: so the figures are for the code alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from folding_pairs import pairs
from quality import encoder_of


def main() -> None:
    labelled = list(pairs())
    same = np.array([label for *_, label in labelled])
    print(f'{len(labelled)} pairs of neighbours, {same.sum()} of the same concern')
    for name in sys.argv[1:] or ['bundled']:
        label, encoder = encoder_of(name)
        a, b = encoder.encode([p[1] for p in labelled]), encoder.encode([p[2] for p in labelled])
        cosine = (a * b).sum(axis=1)
        print(f'{label}: threshold {encoder.fold_threshold}\n| threshold | folded | precision | recall | F1 |\n|---|---|---|---|---|')
        for threshold in sorted({*np.round(np.arange(0.4, 0.95, 0.05), 2).tolist(), encoder.fold_threshold}):
            folded = cosine >= threshold
            hit = (folded & same).sum()
            precision, recall = hit / max(folded.sum(), 1), hit / same.sum()
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            print(f'| {threshold:.2f} | {folded.mean():.2f} | {precision:.2f} | {recall:.2f} | {f1:.2f} |')


if __name__ == '__main__':
    main()
