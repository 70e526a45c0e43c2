"""Folding: neighbouring chunks of one file that say the same thing become one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ctxkit.slicing.chunk import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.embedding import Encoder

MAX_FOLD_TOKENS = 512


class Foldable(Protocol):
    """What folding looks at: a chunk as sliced, or a place of the index."""

    @property
    def kind(self) -> str:
        """'function', 'class', ..."""

    @property
    def parent(self) -> int:
        """The number of the chunk around it, -1 at top level."""


def folds(
    places: Sequence[Foldable],
    vectors: NDArray[np.float32],
    threshold: float,
    size: Callable[[int], int],
    limit: int = MAX_FOLD_TOKENS,
) -> list[list[int]]:
    """Chunk numbers grouped: each group of two or more is one fold; chunks alone are not listed.

    A chunk joins the fold of the sibling before it (same parent and kind of thing) when the cosine of the two is at
    least `threshold` and the fold stays within `limit` tokens; `size` gives the tokens of a chunk by its number, and
    is asked only where the cosine would do. Deterministic: one pass in file order.
    """
    import numpy as np

    out: list[list[int]] = []
    group: list[int] = []
    tokens = 0
    # Not with BLAS, which sums in an order of its own on each machine.
    near = [False, *(np.einsum('ij,ij->i', vectors[:-1], vectors[1:]) >= threshold).tolist()]
    for number, place in enumerate(places):
        before = number - 1
        added = 0  # not known
        if near[number] and _siblings(places[before], place):
            tokens = tokens or size(before)
            if tokens <= limit:
                added = size(number)
                if tokens + added <= limit:
                    group.append(number)
                    tokens += added
                    continue
        if len(group) > 1:
            out.append(group)
        group, tokens = [number], added
    return [*out, group] if len(group) > 1 else out


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
    groups = folds(places, encoder.encode(texts), threshold, lambda number: int(rows[number]['tokens']), limit)
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
