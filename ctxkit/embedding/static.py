"""The bundled model: a weighted mean of token vectors, straight from the tables inside `model.onnx`.

A piece weighs exp(its position + what its neighbours say) x (its count)^(-1/2); the vector is the weighted sum,
normalised. Texts lie end to end in flat arrays, so no padding is computed, memory is bounded by the block, and each
row is summed in the order of its own pieces: the result does not depend on the batch, and there are no threads.
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

BLOCK = 4096  # pieces in one go: the gathered rows (float32) stay inside a 4 MB cache


class StaticEncoder:
    """An `Encoder` without onnxruntime."""

    def __init__(self, model: Model) -> None:
        """Map the tables. Raises CtxError if they do not fit the file."""
        import numpy as np

        self.model_id = model.model_id
        self.dimension = model.dimension
        self.fold_threshold = model.fold_threshold
        self._model = model
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
        # [piece, neighbour]: what the piece says to the one that stands `context` before it ... `context` after it.
        self._around = np.exp(np.stack([tables[name] for name in around], axis=1).astype(np.float32))
        self._context = len(around) // 2
        self._dampen = np.arange(1, model.max_tokens + 1, dtype=np.float32) ** np.float32(-0.5)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One L2-normalised row a text; zeros for a text without words."""
        import numpy as np

        out = np.zeros((len(texts), self.dimension), np.float32)
        limit = self._model.max_tokens
        block: list[int] = []
        lengths: list[int] = []
        first = 0
        pad = [0] * self._context
        for row, text in enumerate(texts):
            ids = self._pieces.ids(self._model.passage_prefix + text, limit)
            block += pad
            block += ids
            lengths.append(len(ids))
            if len(block) >= BLOCK:
                self._sum(block, lengths, out[first : row + 1])
                block, lengths, first = [], [], row + 1
        if lengths:
            self._sum(block, lengths, out[first:])
        return out

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a request, its foreign terms in English and its typing errors mended (`terms`, `typos`)."""
        from ctxkit.embedding.terms import translate
        from ctxkit.embedding.typos import mend

        request = mend(translate(text, keep=False), self._pieces.number)
        row: NDArray[np.float32] = self.encode([request])[0]
        return row

    def _sum(self, block: list[int], lengths: list[int], out: NDArray[np.float32]) -> None:
        """Write the vectors of texts that lie in `block`, `context` pads before each."""
        import numpy as np

        context = self._context
        padded = np.fromiter(block, np.int64, len(block))
        length = np.array(lengths, np.int64)
        total = int(length.sum())
        if not total:
            return
        rows = np.repeat(np.arange(len(lengths)), length)
        starts = np.cumsum(length) - length
        position = np.arange(total) - starts[rows]
        at = position + (starts + context * np.arange(1, len(lengths) + 1))[rows]
        said = self._around[np.concatenate([padded, np.zeros(context, np.int64)])]
        weight = self._position[position]
        for column in range(2 * context):
            weight = weight * said[at + (column - context + (column >= context)), column]
        # Sorting by (text, piece, position) brings equal pieces together in a fixed order.
        ids = padded[at]
        key = np.sort(((rows * len(self._table) + ids) << 13) | position)
        pair = key >> 13
        heads = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
        pair = pair[heads]
        row, piece = pair // len(self._table), pair % len(self._table)
        order = starts[key // (len(self._table) << 13)] + (key & 8191)
        counts = np.diff(np.append(heads, total))
        share = np.add.reduceat(weight[order], heads) * self._dampen[counts - 1] * self._scale[piece]
        vectors = self._table[piece].astype(np.float32)
        first = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        sums = np.empty((len(first), self.dimension), np.float32)
        # One call a text: ten times faster than `np.add.reduceat`, and no BLAS, whose threads would change the sum.
        for number, (low, high) in enumerate(itertools.pairwise([*first.tolist(), len(row)])):
            np.einsum('i,ij->j', share[low:high], vectors[low:high], out=sums[number])
        norm = np.sqrt(np.add.reduce(sums * sums, axis=1, keepdims=True))
        out[row[first]] = sums / np.maximum(norm, np.float32(1e-12))
