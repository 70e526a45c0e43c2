"""The share of a repository's neighbours that a model folds, and the threshold at which it folds a wanted share.

A cosine has another meaning in each model. The original 0.82 was measured on all-MiniLM-L6-v2, where it folds 18 to 21
percent of neighbouring definitions; the bundled model's threshold does the same. So another model's threshold is the
one at which it folds as many of the person's own neighbours as the bundled model does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.embedding import Encoder
from ctxkit.repo import Repo

MAX_FILES = 1000
MAX_PAIRS = 2000


class Calibration(NamedTuple):
    """The `threshold` that folds the fraction `share` of `pairs` neighbours, as the bundled model does."""

    threshold: float
    share: float
    pairs: int


def neighbours(repo: Repo, commit: str) -> Iterator[tuple[str, str]]:
    """The passages of neighbouring definitions of the same parent, from files spread over the tree."""
    from ctxkit.embedding.text import passage
    from ctxkit.repo import blobs, tree
    from ctxkit.slicing import language_of, readable, slice_file
    from ctxkit.slicing.chunk import FUNCTIONS

    entries = [entry for entry in tree(repo, commit) if language_of(entry.path) not in ('', 'markdown')]
    step = max(1, len(entries) // MAX_FILES)
    entries = entries[::step]
    contents = dict(blobs(repo, {entry.blob for entry in entries}))
    for entry in entries:
        source = readable(contents.get(entry.blob) or b'')
        last: dict[int, str] = {}
        for chunk in slice_file(entry.path, source, 300_000).chunks:
            if chunk.kind in FUNCTIONS:
                text = passage(entry.path, chunk, source)
                if chunk.parent in last:
                    yield last[chunk.parent], text
                last[chunk.parent] = text


def cosines(encoder: Encoder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The cosine of each pair."""
    first, second = encoder.encode([a for a, _ in pairs]), encoder.encode([b for _, b in pairs])
    return [float(value) for value in (first * second).sum(axis=1)]


def calibrate(encoder: Encoder, bundled: Encoder, repo: Repo, commit: str) -> Calibration:
    """The threshold of `encoder` that corresponds to the bundled model's. Raises CtxError for too few pairs."""
    from ctxkit.errors import CtxError

    pairs = list(neighbours(repo, commit))
    pairs = pairs[:: max(1, len(pairs) // MAX_PAIRS)]
    if len(pairs) < 50:
        raise CtxError(f'only {len(pairs)} neighbouring definitions here', 'calibrate in a repository with more code')
    known = cosines(bundled, pairs)
    share = sum(value >= bundled.fold_threshold for value in known) / len(pairs)
    mine = sorted(cosines(encoder, pairs), reverse=True)
    folded = max(1, round(share * len(pairs)))
    threshold = (mine[folded - 1] + mine[min(folded, len(mine) - 1)]) / 2
    return Calibration(round(threshold, 3), share, len(pairs))
