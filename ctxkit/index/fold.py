"""Fold neighbouring chunks of one file that say the same thing into one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ctxkit.slicing.chunk import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.embedding import Encoder

MAX_FOLD_TOKENS = 512


class Foldable(Protocol):
    """What folding needs to know of a chunk: a sliced chunk and a place of the index both have it."""

    @property
    def kind(self) -> str:
        """'function', 'class', ..."""

    @property
    def parent(self) -> int:
        """The number of the chunk around it, -1 at top level."""


def similar_runs(places: Sequence[Foldable], vectors: NDArray[np.float32], threshold: float) -> list[list[int]]:
    """Runs of two or more neighbouring chunks that say the same thing, as chunk numbers; `folds` cuts them by size.

    Each chunk of a run is a sibling of the one before it (same parent, same kind of thing), and the cosine of the two
    is at least `threshold`.
    """
    import numpy as np

    # Not with BLAS, whose order of summation, and so the last bits, differ between machines.
    near = np.flatnonzero(np.einsum('ij,ij->i', vectors[:-1], vectors[1:]) >= threshold)
    runs: list[list[int]] = []
    for before in near.tolist():
        if _siblings(places[before], places[before + 1]):
            if not runs or runs[-1][-1] != before:
                runs.append([before])
            runs[-1].append(before + 1)
    return runs


def folds(runs: Iterable[Sequence[int]], size: Callable[[int], int], limit: int = MAX_FOLD_TOKENS) -> list[list[int]]:
    """The runs of `similar_runs` cut into folds of two or more chunks that together have at most `limit` tokens.

    `size` gives the tokens of a chunk by its number and is called once for each. Deterministic: one pass in file order.
    """
    out: list[list[int]] = []
    for run in runs:
        groups = [[run[0]]]
        tokens = 0  # not known
        for before, number in pairwise(run):
            added = 0  # not known
            tokens = tokens or size(before)
            if tokens <= limit:
                added = size(number)
                if tokens + added <= limit:
                    groups[-1].append(number)
                    tokens += added
                    continue
            groups.append([number])
            tokens = added
        out += [group for group in groups if len(group) > 1]
    return out


def _siblings(a: Foldable, b: Foldable) -> bool:
    return a.parent == b.parent and (a.kind == b.kind or (a.kind in FUNCTIONS and b.kind in FUNCTIONS))


class _Row(NamedTuple):
    kind: str
    parent: int


def folds_of_rows(
    rows: Sequence[dict[str, Any]], encoder: Encoder, threshold: float, limit: int
) -> list[dict[str, Any]]:
    """The folds of one file's chunks, given and returned as the JSON objects of the command line."""
    texts = [
        f'{row["path"].rpartition("/")[2].partition(".")[0]} {row.get("symbol", "")}\n{row["text"]}' for row in rows
    ]
    places = [_Row(row['kind'], row['parent']) for row in rows]
    runs = similar_runs(places, encoder.encode(texts), threshold)
    groups = folds(runs, lambda number: int(rows[number]['tokens']), limit)
    leading = {group[0]: group for group in groups}
    inside = {number for group in groups for number in group[1:]}
    out = []
    for number, row in enumerate(rows):
        if number not in inside:
            members = [rows[one] for one in leading.get(number, [number])]
            out.append(
                {
                    'path': row['path'],
                    'symbols': [one.get('symbol', '') for one in members],
                    'kind': row['kind'],
                    'start_line': row['start_line'],
                    'end_line': members[-1]['end_line'],
                    'tokens': sum(one['tokens'] for one in members),
                    'text': '\n\n'.join(one['text'] for one in members),
                }
            )
    return out
