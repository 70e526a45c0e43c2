"""A model as a folder with `model.onnx`, `tokenizer.json` and `model.yaml`: found by name, read and checked."""

from __future__ import annotations

import hashlib
import json
import mmap
import re
from pathlib import Path
from typing import Any, NamedTuple

from ctxkit.errors import CtxError
from ctxkit.places import config_dir

BUNDLED = Path(__file__).parent / 'bundled'
NAME = re.compile(r'[a-z0-9][a-z0-9._-]{0,63}')
POOLINGS = ('none', 'mean', 'cls', 'last')
FILES = ('model.onnx', 'tokenizer.json')


class Model(NamedTuple):
    """The content of `model.yaml`, with defaults filled in.

    `pooling` 'none' means that the graph itself gives one vector a text. `tables` names arrays inside `model.onnx` as
    (byte offset, dtype, shape); only static models have them. `digest` covers everything that shapes a vector.
    """

    name: str
    folder: Path
    dimension: int
    digest: str
    sha256: dict[str, str]
    tables: dict[str, tuple[int, str, tuple[int, ...]]]
    pooling: str = 'mean'
    normalize: bool = True
    query_prefix: str = ''
    passage_prefix: str = ''
    max_tokens: int = 512
    fold_threshold: float = 0.82
    licence: str = ''

    @property
    def model_id(self) -> str:
        """Name and fingerprint."""
        return f'{self.name}-{self.digest[:12]}'


def models_folder() -> Path:
    """The folder of the person's own models on this platform."""
    return config_dir() / 'models'


def find(name: str, models: Path | None = None) -> Path:
    """The folder of a model by its name. Raises CtxError for a name that is unknown or not a plain name."""
    if name == 'bundled':
        return BUNDLED
    if not NAME.fullmatch(name):
        raise CtxError(f'{name!r} is not a model name', 'names are lower-case letters, digits, dot, dash, underscore')
    folder = (models or models_folder()) / name
    if not (folder / 'model.yaml').is_file():
        raise CtxError(f'no model {name}', 'see `ctxkit model list`, or add its folder with `ctxkit model add FOLDER`')
    return folder


def read(folder: Path, check: bool = True) -> Model:
    """Read `model.yaml` and, with `check`, compare the files with the sha256 in it. Raises CtxError."""
    manifest = folder / 'model.yaml'
    data = read_mapping(manifest)
    try:
        model = Model(
            name=str(data.get('name') or folder.name),
            folder=folder,
            dimension=int(data['dimension']),
            digest=_digest(data),
            pooling=str(data.get('pooling', 'mean')),
            normalize=bool(data.get('normalize', True)),
            query_prefix=str(data.get('query_prefix', '')),
            passage_prefix=str(data.get('passage_prefix', '')),
            max_tokens=int(data.get('max_tokens', 512)),
            fold_threshold=float(data.get('fold_threshold', 0.82)),
            licence=str(data.get('licence', '')),
            sha256={str(k): str(v) for k, v in data.get('sha256', {}).items()},
            tables={str(k): (int(v[0]), str(v[1]), tuple(map(int, v[2]))) for k, v in data.get('tables', {}).items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        reason = f'{type(error).__name__} {error}'
        raise CtxError(f'{manifest}: {reason}', 'see docs/models.md for its format') from error
    if model.pooling not in POOLINGS:
        raise CtxError(f'{manifest}: unknown pooling {model.pooling!r}', f'use one of {", ".join(POOLINGS)}')
    if not NAME.fullmatch(model.name) or not 1 <= model.dimension <= 8192 or not 8 <= model.max_tokens <= 8192:
        raise CtxError(f'{manifest}: name, dimension or max_tokens out of range', 'see docs/models.md')
    if check:
        verify(model)
    return model


def verify(model: Model) -> None:
    """Compare a model's files with the sha256 in its `model.yaml`. Raises CtxError."""
    for name in FILES:
        file = model.folder / name
        if sha256(file) != model.sha256.get(name):
            raise CtxError(f'{file}: its sha256 is not the one in model.yaml', 'install or add the model again')


def sha256(file: Path) -> str:
    """The hex digest of a file; '' if it cannot be read.

    The file is hashed in one piece, so that another thread can work meanwhile: piece by piece, each would wait for the
    other.
    """
    try:
        with file.open('rb') as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return hashlib.sha256(data).hexdigest()
    except (OSError, ValueError):  # an empty file cannot be mapped
        return ''


def _digest(data: dict[str, Any]) -> str:
    """A digest of the files' own digests and of each setting that changes a vector."""
    kept = {k: data.get(k) for k in ('sha256', 'pooling', 'normalize', 'query_prefix', 'passage_prefix', 'max_tokens')}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()


def read_mapping(manifest: Path) -> dict[str, Any]:
    """The manifest as a mapping. The bundled one is JSON, a subset of YAML, because importing yaml takes 10 ms."""
    try:
        text = manifest.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise CtxError(f'{manifest}: cannot be read', 'a model folder needs model.yaml; see docs/models.md') from error
    try:
        data = json.loads(text)
    except ValueError:
        import yaml

        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise CtxError(f'{manifest}: not valid YAML', 'see docs/models.md for its format') from error
    if not isinstance(data, dict):
        raise CtxError(f'{manifest}: not a mapping', 'see docs/models.md for its format')
    return data
