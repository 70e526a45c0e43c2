# ruff: noqa: E402, E501, C901
"""Precision and recall of folding on neighbours labelled by hand (folding_pairs.py), by threshold.

    folding.py [--bare] [MODEL ...]

MODEL is the name of a model or a folder; the bundled one if none is given. As in an index, a line with a folder, a file and
the definition's name stands before the code; neighbours share all of it but the name. --bare leaves it out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from folding_pairs import pairs
from quality import encoder_of

from ctxkit.embedding.text import head

NAME = re.compile(
    r'(?:def|func|fn|fun|function|void|int|class|static|public|private|const|val|let|init)\b[^(=\n]*?([A-Za-z_]\w*)\s*[(=:<]'
)


def text(language: str, code: str, bare: bool) -> str:
    """The code as the index gives it to a model; the files have no names, so all of a language are in one."""
    match = NAME.search(code) or re.search(r'(\w+)\s*\(', code) or re.search(r'(\w{3,})', code)
    return code if bare else head(f'src/{language}.x', match[1] if match else '') + code


def main() -> None:
    bare = '--bare' in sys.argv
    labelled = [(language, text(language, a, bare), text(language, b, bare), same) for language, a, b, same in pairs()]
    same = np.array([label for *_, label in labelled])
    print(f'{len(labelled)} pairs of neighbours, {same.sum()} of the same concern')
    for name in [a for a in sys.argv[1:] if a != '--bare'] or ['bundled']:
        label, encoder = encoder_of(name)
        a, b = encoder.encode([p[1] for p in labelled]), encoder.encode([p[2] for p in labelled])
        cosine = (a * b).sum(axis=1)
        print(
            f'{label}: threshold {encoder.fold_threshold}\n| threshold | folded | precision | recall | F1 |\n|---|---|---|---|---|'
        )
        for threshold in sorted({*np.round(np.arange(0.4, 0.95, 0.05), 2).tolist(), encoder.fold_threshold}):
            folded = cosine >= threshold
            hit = (folded & same).sum()
            precision, recall = hit / max(folded.sum(), 1), hit / same.sum()
            f1 = 2 * precision * recall / max(precision + recall, 1e-9)
            print(f'| {threshold:.2f} | {folded.mean():.2f} | {precision:.2f} | {recall:.2f} | {f1:.2f} |')


if __name__ == '__main__':
    main()
