"""Find code that stands in several files, and the file that people edit: the others are made from it.

A library in one header, a bundle or an older release kept for tests repeats whole functions. Shown beside the original,
they say nothing and take half of the room.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ctxkit.index.record import KIND_CODES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.lexical import Table

# Pages of a manual are repeated from release to release, and the smallest is the oldest.
CODE = frozenset(KIND_CODES[kind] for kind in ('function', 'method', 'class'))
MOST = 100  # best candidates that are compared; each costs reading its place
SIMILAR = 0.5  # of the score of the best copy: less, and the request means that copy, by its path or a line of it


def copies(corpus: Corpus, table: Table, best: NDArray[np.int64], score: NDArray[np.float32]) -> list[int]:
    """Those of the first `best` chunks that are copies of another, same name and same text, in a different file.

    Of equal chunks, the one in the smallest file is the original: what is put together from files is larger than each.
    """
    import numpy as np

    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for chunk in map(int, best[:MOST]):
        if corpus.kind_code(chunk) in CODE:
            place = corpus.place(chunk)
            alike[place.symbol, place.digest].append(chunk)
    sizes = np.bincount(table.file)
    out = []
    for chunks in alike.values():
        files = {int(table.file[chunk]) for chunk in chunks}
        if len(files) == 1:
            continue
        least = SIMILAR * score[chunks[0]]
        original = min(_files(chunks, table, score, least), key=lambda file: sizes[file])
        out += [chunk for chunk in chunks if table.file[chunk] != original]
    return out


def _files(chunks: list[int], table: Table, score: NDArray[np.float32], least: float) -> list[int]:
    """The files of those chunks that score at least so much."""
    return [int(table.file[chunk]) for chunk in chunks if score[chunk] >= least]
