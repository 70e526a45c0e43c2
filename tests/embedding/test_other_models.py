"""Other models: ONNX encoders as folders, their pooling, prefixes and limits, and the commands around them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers_models import model_folder

from ctxkit.cli.model import model as command
from ctxkit.embedding import load
from ctxkit.embedding.folder import find, models_folder, read, sha256
from ctxkit.embedding.onnx import OnnxEncoder
from ctxkit.embedding.registry import add, chosen, installed
from ctxkit.errors import CtxError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return model_folder(tmp_path / 'Some Model', 'pooling: none\nlicence: MIT\nfold_threshold: 0.7\nmax_tokens: 64\n')


def test_an_added_model_gives_what_its_graph_gives(folder, tmp_path):
    item = add(folder, models=tmp_path / 'models')
    assert item.name == 'some-model'
    assert item.dimension == 256
    encoder = load('some-model', models=tmp_path / 'models')
    assert isinstance(encoder, OnnxEncoder)
    texts = ['def add_route(self, path): pass', '', 'close the socket']
    assert np.abs(encoder.encode(texts) - load().encode(texts)).max() < 2e-6
    assert encoder.fold_threshold == 0.7
    assert encoder.model_id != load().model_id


def test_prefixes_and_limit_change_the_vector_and_the_model_id(folder, tmp_path):
    plain = add(folder, 'plain', tmp_path)
    (folder / 'model.yaml').write_text(
        'pooling: none\nquery_prefix: "query: "\npassage_prefix: "passage: "\nmax_tokens: 8\n'
    )
    prefixed = add(folder, 'prefixed', tmp_path)
    a, b = OnnxEncoder(plain), OnnxEncoder(prefixed)
    assert np.array_equal(b.encode_query('open file'), a.encode_query('query: open file'))
    assert np.array_equal(b.encode(['open file'])[0], a.encode(['passage: open file'])[0])
    long = 'one two three four five six seven eight nine ten'
    assert np.array_equal(b.encode_query(long), a.encode_query('query: one two three four five six seven'))
    assert a.model_id.split('-')[-1] != b.model_id.split('-')[-1]


@pytest.mark.parametrize('pooling', ['mean', 'cls', 'last'])
def test_pooling(pooling, tmp_path):
    encoder = OnnxEncoder.__new__(OnnxEncoder)
    encoder._model = _manifest(tmp_path, pooling)
    states = np.arange(12, dtype=np.float32).reshape(1, 4, 3)
    expected = {'mean': states[0].mean(axis=0), 'cls': states[0, 0], 'last': states[0, 3]}[pooling]
    assert np.array_equal(encoder._pool(states), expected)


def _manifest(folder: Path, pooling: str):
    (folder / 'model.yaml').write_text(json.dumps({'name': 'x', 'dimension': 3, 'pooling': pooling}))
    return read(folder, check=False)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('dimension: 3\npooling: sum\n', 'pooling'),
        ('pooling: mean\n', 'dimension'),
        ('[1, 2]', 'not a mapping'),
        ('a: [', 'not valid YAML'),
        ('dimension: 0\nname: x\n', 'out of range'),
        ('dimension: many\n', 'ValueError'),
    ],
)
def test_a_wrong_manifest_is_one_clear_line(text, said, tmp_path):
    (tmp_path / 'model.yaml').write_text(text)
    with pytest.raises(CtxError) as error:
        read(tmp_path)
    assert said in error.value.format_message()
    assert '\n' not in error.value.format_message()


@pytest.mark.parametrize('name', ['../evil', '/etc', 'a/b', 'C:\\x', '', '.', '..', 'UPPER'])
def test_a_name_is_never_a_path(name, tmp_path):
    with pytest.raises(CtxError):
        find(name, tmp_path)


def test_what_does_not_work_leaves_nothing_behind(folder, tmp_path):
    (folder / 'model.onnx').write_bytes(b'not a graph')
    with pytest.raises(CtxError, match='onnxruntime cannot load it'):
        add(folder, models=tmp_path / 'models')
    assert list((tmp_path / 'models').iterdir()) == []
    (folder / 'tokenizer.json').unlink()
    with pytest.raises(CtxError, match=r'no model.onnx with a tokenizer.json'):
        add(folder, models=tmp_path / 'models')


def test_a_wrong_dimension_is_named(folder, tmp_path):
    (folder / 'model.yaml').write_text('pooling: none\ndimension: 99\n')
    with pytest.raises(CtxError, match='256 numbers'):
        add(folder, models=tmp_path / 'models')


def test_an_added_model_that_was_changed_is_refused(folder, tmp_path):
    item = add(folder, models=tmp_path / 'models')
    with (item.folder / 'tokenizer.json').open('a') as stream:
        stream.write(' ')
    with pytest.raises(CtxError, match='not the one in model.yaml'):
        load('some-model', models=tmp_path / 'models')
    assert [m.name for m in installed(tmp_path / 'models')][1:] == ['some-model']


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ('', 'model:\n  name: x\n'),
        ('units:\n  top_k: 3\n', 'units:\n  top_k: 3\nmodel:\n  name: x\n'),
        (
            'model:\n  other: 2\n  name: old\nunits:\n  top_k: 3\n',
            'model:\n  other: 2\n  name: x\nunits:\n  top_k: 3\n',
        ),
        ('model: # mine\n  other: 2\n', 'model: # mine\n  name: x\n  other: 2\n'),
    ],
)
def test_choosing_a_model_keeps_the_other_settings(before, after):
    assert chosen(before, 'x') == after


def test_commands(folder, git_repo, monkeypatch):
    run = CliRunner()
    assert '* bundled  256 dimensions' in run.invoke(command, ['list']).output
    done = run.invoke(command, ['add', str(folder)])
    assert done.exit_code == 0, done.output
    assert (models_folder() / 'some-model' / 'model.yaml').is_file()
    assert run.invoke(command, ['use', 'nothing']).exit_code == 1
    assert 'some-model is in use' in run.invoke(command, ['use', 'some-model']).output
    assert '* some-model' in run.invoke(command, ['list']).output
    assert 'pooling: none' in run.invoke(command, ['info']).output
    done = run.invoke(command, ['check'])
    assert done.exit_code == 0, done.output
    assert 'same vectors in any batch: yes' in done.output
    functions = '\n\n'.join(
        f'def {verb}_{thing}(self):\n    return self.{thing}.{verb}({i})'
        for i, verb in enumerate(('get', 'set', 'open', 'close', 'read', 'write', 'drop', 'find', 'list', 'move'))
        for thing in ('file', 'user', 'route', 'page', 'row', 'lock')
    )
    monkeypatch.chdir(git_repo({'things.py': functions + '\n'}))
    done = run.invoke(command, ['calibrate', '--write'])
    assert done.exit_code == 0, done.output
    assert 'of 59 neighbouring definitions' in done.output
    # The same model folds the same share at the same threshold, up to the gap to the next cosine and its three digits.
    threshold = read(find('some-model'), check=False).fold_threshold
    from ctxkit.embedding.calibrate import cosines, neighbours
    from ctxkit.repo import find as find_repo
    from ctxkit.repo import resolve

    repo = find_repo(Path.cwd())
    known = cosines(load(), list(neighbours(repo, resolve(repo))))
    wanted = max(1, sum(c >= load().fold_threshold for c in known))
    assert sum(c >= threshold + 0.001 for c in known) <= wanted <= sum(c >= threshold - 0.001 for c in known)


def test_calibrate_says_when_there_is_too_little(git_repo, monkeypatch):
    monkeypatch.chdir(git_repo({'a.py': 'def f():\n    pass\n'}))
    done = CliRunner().invoke(command, ['calibrate'])
    assert done.exit_code == 1
    assert 'neighbouring definitions here' in done.output


MINILM = os.environ.get('MINILM_FOLDER', '')


@pytest.mark.slow
@pytest.mark.skipif(not MINILM, reason='set MINILM_FOLDER to a folder with the MiniLM ONNX file (docs/models.md)')
def test_the_real_minilm(tmp_path):
    item = add(Path(MINILM), 'minilm', tmp_path)
    assert item.dimension == 384
    assert sha256(item.folder / 'model.onnx') == item.sha256['model.onnx']
    one = OnnxEncoder(item)
    texts = ['def close(sock):\n    sock.close()', 'open a file', 'x']
    assert one.encode(texts).tobytes() == np.stack([one.encode([t])[0] for t in texts]).tobytes()
    assert float(one.encode(texts)[0] @ one.encode_query('shut down the socket')) > 0.3
