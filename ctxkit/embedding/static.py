"""The bundled model: a weighted mean of token vectors, directly from the tables inside `model.onnx`.

A piece's weight is exp(position weight + weights from its neighbours), multiplied by a factor for how often the piece
occurs; the vector is the normalized sum. Texts are concatenated in flat arrays, so no padding is computed and memory is
bounded by the block. Each row is summed in the order of its own pieces: the result does not depend on the batch, and
there are no threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.embedding.folder import Model
from ctxkit.embedding.words import WordPieces
from ctxkit.errors import CtxError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.embedding import IsName

BLOCK = 8192  # pieces at a time: their rows nearly fit into a core's cache


class StaticEncoder:
    """An `Encoder` without onnxruntime."""

    def __init__(self, model: Model) -> None:
        """Map the tables. Raises CtxError if they do not fit the file."""
        import numpy as np

        self.model_id = model.model_id
        self.dimension = model.dimension
        self.fold_threshold = model.fold_threshold
        if model.passage_prefix or model.query_prefix:
            raise CtxError(f'{model.folder}: a model with tables cannot have a prefix', 'remove it from model.yaml')
        self.most_pieces = model.max_tokens
        self._pieces = WordPieces(model.folder / 'tokenizer.json')
        file = model.folder / 'model.onnx'
        size = file.stat().st_size
        tables: dict[str, NDArray[Any]] = {}
        for name, (offset, dtype, shape) in model.tables.items():
            kind = np.dtype(dtype)
            if kind.hasobject or offset < 0 or offset + kind.itemsize * int(np.prod(shape)) > size:
                raise CtxError(f'{file}: table {name} lies outside the file', 'install the model again')
            tables[name] = np.memmap(file, dtype=kind, mode='r', offset=offset, shape=shape).view(np.ndarray)
        self._table = tables['table']
        self._scale = np.array(tables['scale'])
        self._position = np.exp(tables['position'])
        around = [name for name in sorted(tables) if name.startswith('around')]
        # How a piece changes its neighbours' weights: a table for each place, from `context` before to `context` after.
        self._around = [np.exp(tables[name].astype(np.float32)) for name in around]
        self._context = len(around) // 2
        self._dampen = np.array(tables['damp'])  # factor by how often a piece occurs

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One L2-normalized row for each text; zeros for a text without words."""
        import numpy as np

        found = [self._pieces.ids(text, self.most_pieces) for text in texts]
        ids = np.fromiter(itertools.chain.from_iterable(found), np.uint32)
        return self.encode_pieces(ids, np.array([len(one) for one in found], np.int64))

    def spell(self, word: bytes) -> Sequence[int]:
        """The pieces of a word. They are not cached here, because the indexer asks only once for each word."""
        return self._pieces.cut(word.decode('utf-8', 'replace'))[: self.most_pieces]

    def encode_pieces(self, ids: NDArray[np.uint32], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
        """Like `encode`, for texts that are already cut into pieces."""
        import numpy as np

        out = np.zeros((len(sizes), self.dimension), np.float32)
        room = min(len(ids), max(BLOCK, self.most_pieces))
        gathered = np.empty((room, self.dimension), np.int8), np.empty((room, self.dimension), np.float32)
        ends = np.cumsum(sizes)
        row = at = 0
        while row < len(sizes):
            last = max(row + 1, int(np.searchsorted(ends, at + BLOCK, 'right')))
            end = int(ends[last - 1])
            if end > at:
                self._sum(ids[at:end], sizes[row:last], gathered, out[row:last])
            row, at = last, end
        return out

    def encode_query(self, text: str, is_name: IsName | None = None) -> NDArray[np.float32]:
        """The vector of a request, with foreign terms in English (`terms`) and typing errors corrected (`typos`).

        A word that `is_name` knows is no typing error.
        """
        from ctxkit.embedding.terms import translate
        from ctxkit.embedding.typos import mend

        request = mend(translate(text, keep=False), self._pieces.number, self.most_pieces, is_name)
        row: NDArray[np.float32] = self.encode([request])[0]
        return row

    def _sum(
        self,
        ids: NDArray[np.uint32],
        length: NDArray[np.int64],
        gathered: tuple[NDArray[np.int8], NDArray[np.float32]],
        out: NDArray[np.float32],
    ) -> None:
        """Write the vectors of texts, whose pieces are concatenated in `ids`, to `out`; `gathered` is room for rows."""
        import numpy as np

        context, total, size = self._context, len(ids), len(self._table)
        rows = np.repeat(np.arange(len(length)), length)
        starts = np.cumsum(length) - length
        position = np.arange(total) - starts[rows]
        # Padding between the texts keeps them from influencing each other.
        at = np.arange(total) + context * (rows + 1)
        padded = np.zeros(total + context * (len(length) + 1), np.int64)
        padded[at] = ids
        weights = np.ones(len(padded) - 2 * context, np.float32)
        weights[at - context] = self._position[position]
        for column, around in enumerate(self._around):
            offset = column + (column >= context)
            weights *= around[padded[offset : offset + len(weights)]]
        weight = weights[at - context]
        # Sorting by (text, piece, position) brings equal pieces together in a fixed order.
        key = np.sort(((rows * size + ids) << 13) | position)
        pair = key >> 13
        heads = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
        row, piece = np.divmod(pair[heads], size)
        counts = np.diff(np.append(heads, total))
        order = np.repeat(starts[row], counts) + (key & 8191)
        share = np.add.reduceat(weight[order], heads) * self._dampen[counts - 1] * self._scale[piece]
        # The same buffer is used each time: fresh memory would cost more than the work in it.
        small, vectors = (each[: len(piece)] for each in gathered)
        np.take(self._table, piece, axis=0, out=small, mode='clip')
        vectors[:] = small
        first = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        sums = np.empty((len(first), self.dimension), np.float32)
        # One call for each text: ten times faster than `np.add.reduceat`, and no BLAS, whose threads would change the
        # sum.
        for number, (low, high) in enumerate(itertools.pairwise([*first.tolist(), len(row)])):
            np.einsum('i,ij->j', share[low:high], vectors[low:high], out=sums[number])
        norm = np.sqrt(np.add.reduce(sums * sums, axis=1, keepdims=True))
        out[row[first]] = sums / np.maximum(norm, np.float32(1e-12))
