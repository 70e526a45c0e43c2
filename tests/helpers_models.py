"""Models to bring, made of the bundled one."""

from __future__ import annotations

from pathlib import Path

from ctxkit.embedding.folder import BUNDLED


def model_folder(place: Path, settings: str) -> Path:
    """The bundled model as anybody would bring it, with `settings` as model.yaml: no tables, so onnxruntime runs it."""
    place.mkdir()
    for name in ('model.onnx', 'tokenizer.json'):
        (place / name).write_bytes((BUNDLED / name).read_bytes())
    (place / 'model.yaml').write_text(settings)
    return place
