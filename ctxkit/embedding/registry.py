"""The person's own models: copied into the platform's data folder, listed by name, checked, chosen.

A model is always given by name, never as a path: the repository's settings cannot name one at all, and the person's own
can name only what `add` put here.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxkit.embedding.folder import BUNDLED, FILES, NAME, Model, models_folder, read, read_mapping, sha256
from ctxkit.errors import CtxError
from ctxkit.safety.paths import real_folder, write_whole

# Keys of `model.yaml` that are kept; `add` computes the digests and sets the name.
SETTINGS = (
    'dimension',
    'pooling',
    'normalize',
    'query_prefix',
    'passage_prefix',
    'max_tokens',
    'fold_threshold',
    'licence',
    'source',
)
TRIAL = 'def parse_headers(lines):\n    return dict(line.split(": ", 1) for line in lines)'


def installed(models: Path | None = None) -> list[Model]:
    """The bundled model, then the person's own by name; unreadable ones are left out."""
    out = [read(BUNDLED, check=False)]
    folder = models or models_folder()
    for child in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            out.append(read(child, check=False))
        except CtxError:
            continue
    return out


def add(source: Path, name: str = '', models: Path | None = None) -> Model:
    """Copy a model folder, try it, and return it. Raises CtxError, leaving nothing behind, if it does not work.

    `source` contains `model.onnx` (perhaps below `onnx/`) and `tokenizer.json`; a `model.yaml` may set what is not the
    default. If it gives no dimension, that is read from the graph.
    """
    given = read_mapping(source / 'model.yaml') if (source / 'model.yaml').is_file() else {}
    name = name or str(given.get('name') or re.sub('[^a-z0-9._-]', '-', source.resolve().name.lower()))
    if not NAME.fullmatch(name) or name == 'bundled':
        raise CtxError(f'{name!r} cannot be a model name', 'give one with --name: lower-case letters, digits, - _ .')
    target = (models or models_folder()) / name
    if target.exists():
        raise CtxError(f'a model {name} already exists', f'remove {target}, or give another --name')
    graph = next((p for p in (source / 'model.onnx', source / 'onnx' / 'model.onnx') if p.is_file()), None)
    if graph is None or not (source / 'tokenizer.json').is_file():
        raise CtxError(
            f'{source}: no model.onnx with a tokenizer.json',
            'see docs/models.md for the files that a model folder needs',
        )
    real_folder(target)
    try:
        shutil.copyfile(graph, target / 'model.onnx')
        shutil.copyfile(source / 'tokenizer.json', target / 'tokenizer.json')
        data = {key: given[key] for key in SETTINGS if key in given}
        data = {'name': name, 'sha256': {file: sha256(target / file) for file in FILES}, **data}
        data.setdefault('dimension', _dimension(target))
        _write(target, data)
        model = read(target)
        from ctxkit.embedding.onnx import OnnxEncoder

        OnnxEncoder(model).encode([TRIAL])
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return model


def set_threshold(model: Model, threshold: float) -> None:
    """Write a calibrated folding threshold into the model's own `model.yaml`. Raises CtxError for the bundled one."""
    if model.folder == BUNDLED:
        raise CtxError('the threshold of the bundled model is fixed', 'calibrate a model that you added')
    data = read_mapping(model.folder / 'model.yaml')
    _write(model.folder, {**data, 'fold_threshold': round(threshold, 3)})


def chosen(text: str, name: str) -> str:
    """The text of the person's settings file with `model.name` set, and nothing else changed."""
    line = f'  name: {name}'
    section = re.search(r'^model:[ \t]*(#.*)?$', text, re.M)
    if section is None:
        return f'{text}{"" if not text or text.endswith(chr(10)) else chr(10)}model:\n{line}\n'
    head, body = text[: section.end()], text[section.end() :]
    size = re.match(r'(\n([ \t].*)?)*', body)
    inside = body[: size.end()] if size else ''
    changed, count = re.subn(r'(?m)^[ \t]+name:.*$', line, inside, count=1)
    return head + (changed if count else f'\n{line}{inside}') + body[len(inside) :]


def choose(name: str, environ: Mapping[str, str], models: Path | None = None) -> Path:
    """Make a model the person's own choice; return the settings file written. Raises CtxError for a damaged model."""
    from ctxkit.config import user_config_file
    from ctxkit.embedding import load

    load(name, models=models)
    file = user_config_file(environ)
    before = file.read_text(encoding='utf-8') if file.is_file() else ''
    real_folder(file.parent)
    write_whole(file, chosen(before, name))
    return file


def _dimension(folder: Path) -> int:
    """The dimension that the graph itself declares."""
    import onnxruntime  # type: ignore[import-untyped]

    try:
        session = onnxruntime.InferenceSession(str(folder / 'model.onnx'), providers=['CPUExecutionProvider'])
    except Exception as error:
        raise CtxError(f'onnxruntime cannot load it: {str(error).splitlines()[0][:200]}', 'check the file') from error
    size = session.get_outputs()[0].shape[-1]
    if not isinstance(size, int):
        raise CtxError('the graph does not state its dimension', 'set `dimension:` in model.yaml')
    return size


def _write(folder: Path, data: Mapping[str, Any]) -> None:
    lines = ',\n'.join(f'  {json.dumps(key)}: {json.dumps(value)}' for key, value in data.items())
    write_whole(folder / 'model.yaml', '{\n' + lines + '\n}\n')
