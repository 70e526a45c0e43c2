"""Text to vectors: one small `Encoder` interface, whichever model is behind it.

    load(name)         the bundled model, or a folder that the person added with `ctxkit model add`
    encoder_for(name)  the same, loaded once a process
    passage(...)       the text that the model gets for a chunk (in `text`)

The bundled model is a weighted mean of token vectors. It is evaluated directly from the tables inside its own
`model.onnx`, with numpy alone (`static`), because importing onnxruntime would take longer than the answer; any other
model runs in onnxruntime (`onnx`). A test compares the two evaluations of the bundled model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


IsName = Callable[[str], bool]  # whether the code contains a word


class Encoder(Protocol):
    """A model as the rest of ctxkit sees it."""

    @property
    def model_id(self) -> str:
        """Name and fingerprint: changes with any byte of the model, so vectors of two models never mix."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def fold_threshold(self) -> float:
        """The cosine from which neighbours say the same thing."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One L2-normalized row for each passage (zeros for a text without words), whatever it is batched with."""

    def encode_query(self, text: str, is_name: IsName | None = None) -> NDArray[np.float32]:
        """The L2-normalized vector of a request. A word that `is_name` knows is never taken for a typing error."""


@runtime_checkable
class PieceEncoder(Encoder, Protocol):
    """A model that cuts a word into the same pieces whatever surrounds it, so each word is cut only once.

    A passage may then be given as its pieces: `encode_pieces` of them equals `encode` of the text.
    """

    @property
    def most_pieces(self) -> int:
        """The maximum number of pieces of a passage; the rest is cut off."""

    def spell(self, word: bytes) -> Sequence[int]:
        """The pieces of a word: bytes between others that are no ASCII letter, digit, underscore, or part of UTF-8."""

    def encode_pieces(self, ids: NDArray[np.uint32], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
        """A row for each passage; `ids` holds the pieces of all passages in order, `sizes` how many each has."""


def load(name: str = 'bundled', models: Path | None = None) -> Encoder:
    """The model of that name, its files checked against their sha256.

    `models` is the person's folder of added models (the platform's data folder if None). A name can only come from the
    person's own settings and is never a path. Raises CtxError if the model is unknown or not intact.
    """
    from ctxkit.embedding.folder import find, read, verify
    from ctxkit.in_thread import in_thread

    model = read(find(name, models), check=False)
    verified = in_thread(lambda: verify(model))  # hashing 9 MB is hidden behind the import of numpy
    if model.tables:
        import numpy  # noqa: F401

        from ctxkit.embedding.static import StaticEncoder

        verified()
        return StaticEncoder(model)
    from ctxkit.embedding.onnx import OnnxEncoder

    verified()
    return OnnxEncoder(model)


_LOADED: dict[str, Encoder] = {}


def encoder_for(name: str) -> Encoder:
    """The encoder of a model, loaded once a process."""
    if name not in _LOADED:
        _LOADED[name] = load(name)
    return _LOADED[name]
