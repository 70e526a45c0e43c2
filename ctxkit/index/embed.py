"""Turn the chunks of files into vectors, from the words that the index has already read if the model takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxkit.embedding import Encoder, PieceEncoder
from ctxkit.index.record import DOC, SIGNATURE, Made
from ctxkit.index.words import gathered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def embed(encoder: Encoder, files: Sequence[tuple[str, Made]]) -> NDArray[np.float32]:
    """The vectors of all chunks of `files`, (path, what was made of the file), one row each."""
    import numpy as np

    if not isinstance(encoder, PieceEncoder):
        from ctxkit.embedding.text import passage

        return encoder.encode([passage(path, chunk, made.source) for path, made in files for chunk in made.chunks])
    found = [pieces(encoder, made) for _, made in files if made.chunks]
    if not found:
        return np.zeros((0, encoder.dimension), np.float32)
    return encoder.encode_pieces(np.concatenate([ids for ids, _ in found]), np.concatenate([size for _, size in found]))


def pieces(encoder: PieceEncoder, made: Made) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """(the word pieces of all passages of a file in one array, how many each passage has)."""
    import numpy as np

    assert made.words is not None and made.owner is not None
    ids, start, size = made.words.meant(made.words.lexicon.meaning(encoder.model_id, encoder.spell))
    chunk, field = made.owner >> 3, made.owner & 7
    size[(field == SIGNATURE) | (field == DOC)] = 0  # the body contains both
    # A passage is cut after `most_pieces`: the rows of a chunk before this one have used up some of them.
    before = np.cumsum(size) - size
    before -= before[np.searchsorted(chunk, chunk)]
    size = np.minimum(size, np.maximum(encoder.most_pieces - before, 0))
    total = np.bincount(chunk, size, len(made.chunks)).astype(np.int64)
    return ids[gathered(start, size)], total
