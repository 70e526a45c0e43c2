"""Export trained tables as a model folder: model.onnx (opset 17, int8 table), tokenizer.json, model.yaml.

    export.py --data DIR --tables MODEL.npz [MODEL.npz ...] --out FOLDER --name NAME [--max-tokens 512] [--threshold T]

Several tables of the same vocabulary are averaged, each first turned by the rotation that brings it nearest to the first;
the rows keep the mean of their lengths.
The graph takes `input_ids` and `attention_mask` (batch x tokens) and gives `sentence_embedding`, normalised.
"""

# ruff: noqa: E402, E501, C901

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ctxkit.embedding.folder import read
from ctxkit.embedding.static import StaticEncoder

SAMPLE, LONGEST = 60_000, 256  # definitions, and pieces of each, that show how vectors spread


def graph(tables: dict[str, np.ndarray], limit: int, repeat: float) -> onnx.ModelProto:
    """The static embedding as an ONNX graph; a piece that is there n times counts n^repeat for each."""
    vectors = tables['table'].astype(np.float32)
    scale = np.maximum(np.abs(vectors).max(axis=1) / 127, 1e-9).astype(np.float32)
    quantised = np.clip(np.round(vectors / scale[:, None]), -127, 127).astype(np.int8)
    context = len(tables['around']) // 2
    nodes, constants = [], []

    def const(name: str, value: object, dtype: type | None = None) -> str:
        constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def op(kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    const('table', quantised)
    const('scale', scale)
    const('poslog', tables['position'][:limit].astype(np.float32))
    const('damp', np.arange(1, limit + 1, dtype=np.float64) ** repeat, np.float32)
    for name, value in (('zero', 0), ('one', 1), ('last', limit - 1)):
        const(name, value, np.int64)
    for name, value in (('axis0', [0]), ('axis1', [1]), ('axis2', [2]), ('pads', [0, context, 0, context])):
        const(name, value, np.int64)
    op('Cast', ['attention_mask'], 'mask', to=TensorProto.FLOAT)
    op('Mul', ['input_ids', 'attention_mask'], 'ids')
    op('Shape', ['ids'], 'shape')
    op('Gather', ['shape', 'one'], 'length', axis=0)
    op('Unsqueeze', ['length', 'axis0'], 'length1')
    op('Range', ['zero', 'length', 'one'], 'range')
    op('Min', ['range', 'last'], 'position')
    weight = op('Gather', ['poslog', 'position'], 'weight')
    op('Pad', ['ids', 'pads'], 'padded')
    for number, offset in enumerate(k for k in range(-context, context + 1) if k):
        const(f'ct{number}', tables['around'][number].astype(np.float16))
        const(f'start{number}', [context + offset], np.int64)
        op('Add', [f'start{number}', 'length1'], f'end{number}')
        op('Slice', ['padded', f'start{number}', f'end{number}', 'axis1'], f'near{number}')
        op('Gather', [f'ct{number}', f'near{number}'], f'half{number}')
        op('Cast', [f'half{number}'], f'said{number}', to=TensorProto.FLOAT)
        weight = op('Add', [weight, f'said{number}'], f'weight{number}')
    op('Exp', [weight], 'exp')
    op('Mul', ['exp', 'mask'], 'masked')
    op('Unsqueeze', ['ids', 'axis2'], 'down')
    op('Unsqueeze', ['ids', 'axis1'], 'across')
    op('Equal', ['down', 'across'], 'equal')
    op('Cast', ['equal'], 'equalf', to=TensorProto.FLOAT)
    op('Unsqueeze', ['mask', 'axis2'], 'column')
    op('MatMul', ['equalf', 'column'], 'count3')
    op('Squeeze', ['count3', 'axis2'], 'count0')
    const('tiny', 1e-12, np.float32)
    op('Cast', ['count0'], 'count', to=TensorProto.INT64)
    op('Sub', ['count', 'one'], 'further0')
    op('Max', ['further0', 'zero'], 'further1')
    op('Min', ['further1', 'last'], 'further')
    op('Gather', ['damp', 'further'], 'damping')
    op('Mul', ['masked', 'damping'], 'damped')
    op('Gather', ['scale', 'ids'], 'scales')
    op('Mul', ['damped', 'scales'], 'final')
    op('Unsqueeze', ['final', 'axis1'], 'row')
    op('Gather', ['table', 'ids'], 'bytes')
    op('Cast', ['bytes'], 'vectors', to=TensorProto.FLOAT)
    op('MatMul', ['row', 'vectors'], 'sum3')
    op('Squeeze', ['sum3', 'axis1'], 'sum')
    op('ReduceL2', ['sum'], 'norm', axes=[1], keepdims=1)
    op('Max', ['norm', 'tiny'], 'safe')
    op('Div', ['sum', 'safe'], 'sentence_embedding')
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ['batch', 'tokens'])
        for name in ('input_ids', 'attention_mask')
    ]
    output = helper.make_tensor_value_info('sentence_embedding', TensorProto.FLOAT, ['batch', vectors.shape[1]])
    model = helper.make_model(
        helper.make_graph(nodes, 'static_code_embedding', inputs, [output], constants),
        opset_imports=[helper.make_opsetid('', 17)],
        producer_name='ctxkit',
    )
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def turned(table: np.ndarray, onto: np.ndarray) -> np.ndarray:
    """A table after the rotation that brings its rows nearest to another's (Procrustes): runs agree up to a rotation."""
    left, _, right = np.linalg.svd(table.T @ onto)
    return table @ (left @ right)


def covariance(folder: Path, data: Path) -> np.ndarray:
    """Of the vectors that a model gives to SAMPLE definitions of the training data, seldom more of large repositories."""
    pairs = np.load(data / 'pairs.npz')
    offset, code, repository = pairs['code_offset'].astype(np.int64), pairs['code'], pairs['repo']
    rows = np.flatnonzero((np.diff(offset) >= 8) & (pairs['test'] == 0))
    chance = np.bincount(repository[rows])[repository[rows]] ** -0.5
    rng = np.random.default_rng(1)
    rows = rng.choice(rows, min(SAMPLE, len(rows)), replace=False, p=chance / chance.sum())
    size = np.minimum(np.diff(offset)[rows], LONGEST)
    ids = np.concatenate([code[offset[row] : offset[row] + n] for row, n in zip(rows, size, strict=True)])
    vectors = StaticEncoder(read(folder)).encode_pieces(ids.astype(np.uint32), size).astype(np.float64)
    return np.cov(vectors.T, bias=True)


def spread(table: np.ndarray, covariance: np.ndarray, power: float) -> np.ndarray:
    """The table with its widest directions drawn in and its narrow ones out: variance^(-power) of each, kept in the mean."""
    variance, axes = np.linalg.eigh(covariance)
    return table @ (axes * (variance / variance.mean()) ** -power) @ axes.T


def write(folder: Path, tables: dict[str, np.ndarray], tokenizer: Path, name: str, args: argparse.Namespace) -> None:
    """The three files of a model."""
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(graph(tables, args.max_tokens, args.repeat), folder / 'model.onnx')
    # Without white space: this form is searched without being read (`embedding/words.py`).
    vocabulary = json.loads(tokenizer.read_text('utf-8'))
    text = json.dumps(vocabulary, ensure_ascii=False, separators=(',', ':'))
    (folder / 'tokenizer.json').write_text(text, encoding='utf-8')
    manifest = [sys.executable, str(Path(__file__).with_name('manifest.py')), str(folder), '--name', name]
    rest = ['--threshold', str(args.threshold), '--max-tokens', str(args.max_tokens)]
    subprocess.run([*manifest, *rest], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--data', type=Path, required=True)
    parser.add_argument('--tables', type=Path, nargs='+', required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--name', required=True)
    parser.add_argument('--max-tokens', type=int, default=512)
    parser.add_argument('--threshold', type=float, default=0.82)
    parser.add_argument('--power', type=float, default=1.0, help='raise the length of each row to this power')
    parser.add_argument('--steeper', type=float, default=1.0, help='multiply what a position says')
    parser.add_argument('--repeat', type=float, default=-0.4, help='power of the count of a piece, for each occurrence')
    parser.add_argument('--spread', type=float, default=0.0, help='power by which the directions are evened out')
    args = parser.parse_args()
    loaded = [dict(np.load(file)) for file in args.tables]
    for one in loaded[1:]:
        one['table'] = turned(one['table'], loaded[0]['table'])
        print(
            f'cosine of the rows with the first table {float((one["table"] * loaded[0]["table"]).sum() / np.linalg.norm(one["table"]) / np.linalg.norm(loaded[0]["table"])):.3f}'
        )
    tables = {key: np.mean([one[key] for one in loaded], axis=0) for key in ('table', 'position', 'around')}
    # Where runs disagree on a row its average is short, and a rare piece would say less than in any of them.
    own = np.mean([np.linalg.norm(one['table'], axis=1, keepdims=True) for one in loaded], axis=0)
    tables['table'] *= own / (np.linalg.norm(tables['table'], axis=1, keepdims=True) + 1e-9)
    # Rare pieces get longer rows than they deserve: a power below 1 evens the lengths out.
    length = np.linalg.norm(tables['table'], axis=1, keepdims=True) + 1e-9
    tables['table'] = tables['table'] * (length / np.median(length)) ** (args.power - 1)
    tables['position'] = tables['position'] * args.steeper
    tokenizer = args.data / 'tokenizer.json'
    if args.spread:
        with tempfile.TemporaryDirectory() as plain:
            write(Path(plain), tables, tokenizer, args.name, args)
            tables['table'] = spread(tables['table'], covariance(Path(plain), args.data), args.spread)
    write(args.out, tables, tokenizer, args.name, args)
    print({file.name: file.stat().st_size for file in sorted(args.out.iterdir())})


main()
