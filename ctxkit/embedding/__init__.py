"""Text to vectors: one small `Encoder`, whichever model is behind it.

    load(name)         the bundled model, or a folder that the person added with `ctxkit model add`
    encoder_for(name)  the same, loaded once a process
    passage(...)       what is said about a chunk to the model (in `text`)

The bundled model is a weighted mean of token vectors. It is evaluated straight from the tables inside its own
`model.onnx`, with numpy alone (`static`), because importing onnxruntime would cost more than the answer; any other
model runs in onnxruntime (`onnx`). A test holds the two evaluations of the bundled model against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


IsName = Callable[[str], bool]  # whether the code has a word


class Encoder(Protocol):
    """What the rest of ctxkit knows of a model."""

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
        """One L2-normalised row a passage (zeros for a text without words), the same whatever it is batched with."""

    def encode_query(self, text: str, is_name: IsName | None = None) -> NDArray[np.float32]:
        """The L2-normalised vector of a request. What `is_name` knows is never taken for a typing error."""


@runtime_checkable
class PieceEncoder(Encoder, Protocol):
    """A model whose pieces of a word do not depend on what stands around it: each word is cut once, wherever it is.

    A passage may then come as its pieces; `encode_pieces` of them is `encode` of the text.
    """

    @property
    def most_pieces(self) -> int:
        """A passage has no more; what is beyond is cut off."""

    def spell(self, word: bytes) -> Sequence[int]:
        """The pieces of a word: bytes between others that are no ASCII letter, digit, underscore, or part of UTF-8."""

    def encode_pieces(self, ids: NDArray[np.uint32], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
        """A row for each passage; their pieces stand in `ids` one after the other, `sizes` says how many each has."""


def load(name: str = 'bundled', models: Path | None = None) -> Encoder:
    """The model of that name, its files checked against their sha256.

    `models` is the person's folder of added models (the platform's data folder if None): a name can only come from
    the person's own settings and never is a path. Raises CtxError if the model is unknown or not intact.
    """
    from ctxkit.embedding.folder import find, read, verify
    from ctxkit.in_thread import in_thread

    model = read(find(name, models), check=False)
    verified = in_thread(lambda: verify(model))  # hashing 9 MB takes no time beside the import of numpy
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
