"""The bundled model: intact, equal to its own ONNX graph and tokenizer, and the same whatever the batch."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from ctxkit.embedding import load
from ctxkit.embedding.folder import BUNDLED, read
from ctxkit.embedding.static import StaticEncoder
from ctxkit.embedding.words import FEW, WordPieces
from ctxkit.errors import CtxError

TEXTS = [
    'def parseHTTPHeaders(raw_lines: list[str]) -> dict:\n    return {k: v for k, v in split2pairs(raw_lines)}',
    'class XMLHttpRequest2Base:\n    MAX_RETRIES3 = 10',
    'fn main() { let mut counter = 0u64; loop { counter += 1; if counter > 1_000_000 { break; } } }',
    'how are routes registered',
    '',
    '   \n\t ()[]{};',
    'Ünïcödé İstanbul \u212aelvin naïve 北京 функция x',
    'supercalifragilisticexpialidocious_qzxwvut ' + 'a' * 70,
    'x ' * 3000,
    ' '.join(f'name{i} value_{i} otherThing{i * 7}' for i in range(700)),
]


@pytest.fixture(scope='module')
def encoder() -> StaticEncoder:
    found = load()
    assert isinstance(found, StaticEncoder)
    return found


def test_pieces_equal_the_tokenizer_file():
    from tokenizers import Tokenizer

    general = Tokenizer.from_file(str(BUNDLED / 'tokenizer.json'))
    mine = WordPieces(BUNDLED / 'tokenizer.json')
    for text in TEXTS:
        assert mine.ids(text, 100_000) == general.encode(text).ids, text[:60]


def test_vectors_equal_the_onnx_graph(encoder):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(BUNDLED / 'model.onnx'), options, providers=['CPUExecutionProvider'])
    pieces = WordPieces(BUNDLED / 'tokenizer.json')
    limit = read(BUNDLED).max_tokens
    for text in TEXTS:
        ids = np.array([pieces.ids(text, limit)], np.int64)
        if ids.size:
            out = session.run(None, {'input_ids': ids, 'attention_mask': np.ones_like(ids)})[0][0]
            assert np.abs(out - encoder.encode([text])[0]).max() < 2e-6, text[:60]


def test_onnx_graph_gives_the_same_with_padding():
    import onnxruntime

    session = onnxruntime.InferenceSession(str(BUNDLED / 'model.onnx'), providers=['CPUExecutionProvider'])
    pieces = WordPieces(BUNDLED / 'tokenizer.json')
    ids = pieces.ids(TEXTS[0], 100)
    plain = np.array([ids], np.int64)
    padded = np.array([ids + [5] * 9], np.int64)
    mask = np.array([[1] * len(ids) + [0] * 9], np.int64)
    a = session.run(None, {'input_ids': plain, 'attention_mask': np.ones_like(plain)})[0]
    b = session.run(None, {'input_ids': padded, 'attention_mask': mask})[0]
    assert np.abs(a - b).max() < 2e-6


def test_vectors_do_not_depend_on_the_batch(encoder):
    many = TEXTS * 3 + TEXTS[::-1]
    together = encoder.encode(many)
    alone = np.stack([encoder.encode([text])[0] for text in many])
    assert together.tobytes() == alone.tobytes()
    assert encoder.encode(TEXTS[::-1])[::-1].tobytes() == encoder.encode(TEXTS).tobytes()


def test_vectors_are_unit_length_and_empty_text_is_zero(encoder):
    norms = np.sqrt((encoder.encode(TEXTS) ** 2).sum(axis=1))
    assert np.allclose(norms[[0, 1, 2, 3, 6, 7, 8, 9]], 1, atol=1e-5)
    assert norms[4] == norms[5] == 0
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_the_right_function_is_nearer(encoder):
    code = [
        'def add_route(self, path, handler):\n    self.routes.append(Route(path, handler))',
        'def close_connection(sock):\n    sock.shutdown(2)\n    sock.close()',
        'def to_json(value):\n    return json.dumps(value, default=str)',
    ]
    vectors = encoder.encode(code)
    for number, question in enumerate(
        ('register a handler for a url path', 'shut down the socket', 'serialize an object to a json string')
    ):
        assert int(np.argmax(vectors @ encoder.encode_query(question))) == number


def test_query_path_imports_neither_onnxruntime_nor_tokenizers():
    code = (
        'import sys\nfrom ctxkit.embedding import load\nload().encode_query("x")\n'
        'print([m for m in ("onnxruntime", "tokenizers", "yaml") if m in sys.modules])'
    )
    assert subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout == '[]\n'


def test_a_changed_file_is_refused(tmp_path):
    for name in ('model.onnx', 'tokenizer.json', 'model.yaml'):
        (tmp_path / name).write_bytes((BUNDLED / name).read_bytes())
    read(tmp_path)
    data = bytearray((tmp_path / 'model.onnx').read_bytes())
    data[5000] ^= 1
    (tmp_path / 'model.onnx').write_bytes(data)
    with pytest.raises(CtxError, match='not the one in model.yaml'):
        read(tmp_path)


def test_tables_outside_the_file_are_refused(tmp_path):
    for name in ('model.onnx', 'tokenizer.json'):
        (tmp_path / name).write_bytes((BUNDLED / name).read_bytes())
    manifest = json.loads((BUNDLED / 'model.yaml').read_text('utf-8'))
    manifest['tables']['table'][0] = 10**9
    (tmp_path / 'model.yaml').write_text(json.dumps(manifest))
    with pytest.raises(CtxError, match='outside the file'):
        StaticEncoder(read(tmp_path))


def test_the_model_fits_the_wheel_and_says_where_it_is_from():
    assert sum(file.stat().st_size for file in BUNDLED.iterdir()) <= 12_000_000
    assert (BUNDLED / 'MODEL_CARD.md').read_text('utf-8').count('licence') >= 1
    assert read(BUNDLED).licence == 'MIT'


def test_memory_of_remembered_identifiers_is_bounded(encoder, monkeypatch):
    monkeypatch.setattr('ctxkit.embedding.words.MAX_REMEMBERED', 10)
    pieces = WordPieces(BUNDLED / 'tokenizer.json')
    expected = [encoder._pieces.ids(f'someName{i}', 9) for i in range(50)]
    assert [pieces.ids(f'someName{i}', 9) for i in range(50)] == expected
    assert len(pieces._known) <= 10


def test_pieces_of_a_request_are_found_without_reading_the_vocabulary():
    whole: dict[str, int] = json.loads((BUNDLED / 'tokenizer.json').read_bytes())['model']['vocab']
    pieces = WordPieces(BUNDLED / 'tokenizer.json')
    for piece, number in list(whole.items())[::40]:
        assert pieces._look_up(piece) == number, piece
    assert pieces._look_up('model') == whole['model'] and pieces._look_up('vocab') == whole.get('vocab')
    for other in (
        'WordPiece',
        'type"',
        'unk_token',
        '##type"',
        'version',
        'added_tokens',
    ):
        assert pieces._look_up(other) == whole.get(other)
    assert pieces._vocabulary == {}


def test_few_words_and_many_are_cut_alike():
    read_whole = WordPieces(BUNDLED / 'tokenizer.json')
    read_whole._missed = FEW
    found = 0
    for text in TEXTS:
        for line in text.splitlines():
            searched = WordPieces(BUNDLED / 'tokenizer.json')
            assert searched.ids(line, 10_000) == read_whole.ids(line, 10_000), line
            found += not searched._vocabulary
    assert found and read_whole._vocabulary  # most lines need no more than the search, the others went over to reading


def test_a_vocabulary_with_white_space_is_read_whole(tmp_path):
    file = tmp_path / 'tokenizer.json'
    file.write_text(json.dumps(json.loads((BUNDLED / 'tokenizer.json').read_bytes()), indent=1))
    text = 'Fix the handling of errors in parseHeaders2 and sympify zzyzx'
    assert WordPieces(file).ids(text, 99) == WordPieces(BUNDLED / 'tokenizer.json').ids(text, 99)
    file.write_text('{"model":{"vocab":{"a":0}}}')
    with pytest.raises(CtxError, match='no vocabulary|not a vocabulary'):
        WordPieces(file)
