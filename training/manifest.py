"""Write `model.yaml` beside an exported static model: digests, and where the tables lie inside `model.onnx`.

    manifest.py FOLDER --name NAME --threshold 0.82 [--max-tokens 512]

The tables are the graph's own initialisers, found by their raw bytes: nothing is stored twice. The manifest is written
as JSON, one key a line, which is YAML too: the encoder then needs no YAML parser.
"""

# ruff: noqa: E402, E501, C901

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ctxkit.embedding.folder import FILES, sha256

NAMES = {'table': 'table', 'scale': 'scale', 'poslog': 'position', 'damp': 'damp'}


def tables(file: Path) -> dict[str, list]:
    """(offset, dtype, shape) of each table of the graph."""
    data = file.read_bytes()
    out = {}
    for tensor in onnx.load(file).graph.initializer:
        around = tensor.name.startswith('ct') and tensor.name[2:].isdigit()
        name = f'around{tensor.name[2:]}' if around else NAMES.get(tensor.name)
        if not name:
            continue
        values = numpy_helper.to_array(tensor)
        raw = values.tobytes()
        offset = data.find(raw)
        if offset < 0 or data.find(raw, offset + 1) >= 0:
            raise SystemExit(f'{tensor.name}: its bytes are not found exactly once in {file}')
        out[name] = [offset, values.dtype.str, list(values.shape)]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folder', type=Path)
    parser.add_argument('--name', required=True)
    parser.add_argument('--threshold', type=float, default=0.82)
    parser.add_argument('--max-tokens', type=int, default=512)
    args = parser.parse_args()
    found = tables(args.folder / 'model.onnx')
    data = {
        'name': args.name,
        'dimension': found['table'][2][1],
        'pooling': 'none',
        'normalize': True,
        'query_prefix': '',
        'passage_prefix': '',
        'max_tokens': args.max_tokens,
        'fold_threshold': args.threshold,
        'licence': 'MIT',
        'source': 'trained from random initialisation; see MODEL_CARD.md',
        'sha256': {name: sha256(args.folder / name) for name in FILES},
        'tables': found,
    }
    lines = ',\n'.join(f'  {json.dumps(key)}: {json.dumps(value)}' for key, value in data.items())
    (args.folder / 'model.yaml').write_text('{\n' + lines + '\n}\n', encoding='utf-8')


main()
