"""Any other model: an ONNX encoder in onnxruntime, with the general tokenizer.

Each text runs alone, at its own length. So no padding is computed, memory is bounded by the longest text, and a result
cannot depend on its batch, as it otherwise does in quantized transformers (their scales are computed over the whole
batch). On a processor, batching speeds a transformer up by next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxkit.embedding.folder import Model
from ctxkit.errors import CtxError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.embedding import IsName

INPUTS = frozenset({'input_ids', 'attention_mask', 'token_type_ids', 'position_ids'})


class OnnxEncoder:
    """An `Encoder` over one onnxruntime session."""

    def __init__(self, model: Model) -> None:
        """Load the graph and the tokenizer. Raises CtxError if either cannot be read or is of another kind."""
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        self.model_id = model.model_id
        self.dimension = model.dimension
        self.fold_threshold = model.fold_threshold
        self._model = model
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a sum split among threads could end in other digits
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # texts differ in length: an arena would keep the largest of each
        options.log_severity_level = 3
        file = model.folder / 'model.onnx'
        try:
            self._session = onnxruntime.InferenceSession(str(file), options, providers=['CPUExecutionProvider'])
        except Exception as error:
            reason = str(error).splitlines()[0][:200]
            raise CtxError(f'{file}: onnxruntime cannot load it ({reason})', 'check the file') from error
        try:
            self._tokenizer = Tokenizer.from_file(str(model.folder / 'tokenizer.json'))
        except Exception as error:
            raise CtxError(f'{model.folder / "tokenizer.json"}: not a tokenizer ({error})', 'check the file') from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.max_tokens)
        self._inputs = [item.name for item in self._session.get_inputs()]
        self._output = self._session.get_outputs()[0].name
        if unknown := set(self._inputs) - INPUTS or {'input_ids'} - set(self._inputs):
            raise CtxError(f'{file}: unknown inputs {", ".join(sorted(unknown))}', 'ctxkit can use only text encoders')

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text, pooled and normalized as `model.yaml` says."""
        import numpy as np

        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            out[row] = self._one(self._model.passage_prefix + text)
        return out

    def encode_query(self, text: str, is_name: IsName | None = None) -> NDArray[np.float32]:
        """The vector of a request, with the model's query prefix; its words are left as they are."""
        return self._one(self._model.query_prefix + text)

    def _one(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        ids = self._tokenizer.encode(text).ids
        if not ids:
            return np.zeros(self.dimension, np.float32)
        row = np.array([ids], np.int64)
        feed: dict[str, Any] = {
            'input_ids': row,
            'attention_mask': np.ones_like(row),
            'token_type_ids': np.zeros_like(row),
            'position_ids': np.arange(len(ids), dtype=np.int64)[None],
        }
        try:
            result = self._session.run([self._output], {name: feed[name] for name in self._inputs})[0]
        except Exception as error:
            reason = str(error).splitlines()[0][:200]
            raise CtxError(f'{self._model.name}: {reason}', 'check that this is a text encoder') from error
        vector = self._pool(np.asarray(result, np.float32))
        if vector.shape != (self.dimension,):
            raise CtxError(
                f'{self._model.name}: its vectors have {vector.size} numbers, model.yaml says {self.dimension}',
                'correct dimension or pooling in model.yaml',
            )
        if self._model.normalize:
            vector = vector / max(float(np.sqrt(np.sum(vector * vector))), 1e-12)
        return vector.astype(np.float32)

    def _pool(self, result: NDArray[np.float32]) -> NDArray[np.float32]:
        """One vector from (1, tokens, dimension), or from (1, dimension) if the graph itself pools."""
        pooled: NDArray[np.float32]
        if self._model.pooling == 'none' or result.ndim == 2:
            pooled = result.reshape(-1)
        elif self._model.pooling == 'mean':
            pooled = result[0].mean(axis=0)
        else:
            pooled = result[0, 0 if self._model.pooling == 'cls' else -1]
        return pooled
