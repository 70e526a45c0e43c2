"""Words of nearly the same meaning, such as `delete` and `rmdir`, or `header` and `hdr`: the code may use the other.

`near.bin` is made from the bundled model by `training/near.py`. It holds terms, not vectors, so it serves any model:
the number of terms, their ids in rising order, where the near terms of each begin, the near terms as indexes into the
ids, nearest first, and their cosines.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name('near.bin')
KIND_COUNT, KIND_TERM, KIND_WORD, KIND_COSINE = '<u4', '<u4', '<u2', '|u1'
SCALE = 255  # a cosine of 1


class _Near(NamedTuple):
    terms: NDArray[np.uint32]
    starts: NDArray[np.uint32]
    words: NDArray[np.uint16]
    cosines: NDArray[np.uint8]


def near_terms(term: int) -> list[tuple[int, float]]:
    """(term, cosine) of the terms that mean nearly the same as `term`, the nearest first; [] if none is known."""
    at = _place(term)
    if at is None:
        return []
    table = _table()
    part = slice(int(table.starts[at]), int(table.starts[at + 1]))
    return list(zip(table.terms[table.words[part]].tolist(), (table.cosines[part] / SCALE).tolist(), strict=True))


def is_known(term: int) -> bool:
    """Whether the vocabulary has a word with this term, whether or not it has near ones."""
    return _place(term) is not None


def _place(term: int) -> int | None:
    import numpy as np

    terms = _table().terms
    at = int(np.searchsorted(terms, term))
    return at if at < len(terms) and terms[at] == term else None


@lru_cache(maxsize=1)
def _table() -> _Near:
    import numpy as np

    data = FILE.read_bytes()
    count = int(np.frombuffer(data, KIND_COUNT, 1)[0])
    terms = np.frombuffer(data, KIND_TERM, count, 4)
    starts = np.frombuffer(data, KIND_COUNT, count + 1, 4 + 4 * count)
    words = np.frombuffer(data, KIND_WORD, int(starts[-1]), 8 + 8 * count)
    cosines = np.frombuffer(data, KIND_COSINE, int(starts[-1]), 8 + 8 * count + 2 * int(starts[-1]))
    return _Near(terms, starts, words, cosines)
