"""Two models in one index: switching embeds only what is lacking, in the background, and slices nothing again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers_events import settle, updates
from helpers_models import model_folder

from ctxkit.cli.model import model as command
from ctxkit.config import clock, environment
from ctxkit.config import load as settings_of
from ctxkit.embedding import load
from ctxkit.embedding.registry import choose
from ctxkit.index.base import base_file
from ctxkit.index.collect import collect
from ctxkit.index.store import Store
from ctxkit.pipeline import update
from ctxkit.repo import find
from ctxkit.units.places import find_places

THINGS = ('socket', 'file', 'database', 'session')
FILES = {
    f'{thing}.py': f'def open_{thing}(path):\n    return {thing}(path)\n\n\ndef close(it):\n    it.close()\n'
    for thing in THINGS
}


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """A model of another kind: run by onnxruntime, with other vectors."""
    return model_folder(tmp_path / 'second', 'pooling: none\npassage_prefix: "code: "\n')


def counts(root: Path) -> dict[str, int]:
    """How many files have vectors of each model."""
    with Store(find(root).data_dir) as store:
        return {name: len(store.with_vectors(load(name).model_id)) for name in ('bundled', 'second')}


def run_update(root: Path):
    return update(find(root), settings_of(None, environment()), now=clock(os.environ))


def test_switching_to_and_fro_embeds_once_and_slices_once(git_repo, second):
    root = git_repo(FILES)
    first = run_update(root)
    assert first.sliced_files == len(FILES)
    assert CliRunner().invoke(command, ['add', str(second)]).exit_code == 0
    choose('second', environment())
    other = run_update(root)
    assert (other.sliced_files, other.embedded_chunks) == (0, first.embedded_chunks)
    assert counts(root) == {'bundled': len(FILES), 'second': len(FILES)}
    choose('bundled', environment())
    assert run_update(root).embedded_chunks == 0
    choose('second', environment())
    assert run_update(root).embedded_chunks == 0


def test_vectors_that_were_collected_under_the_other_model_are_made_again(git_repo, second):
    root = git_repo(FILES)
    assert CliRunner().invoke(command, ['add', str(second)]).exit_code == 0
    choose('second', environment())
    run_update(root)
    choose('bundled', environment())
    collect(find(root), settings_of(None, environment()), clock(os.environ), 30)
    base_file(find(root)).unlink()
    choose('second', environment())
    find_places(find(root), settings_of(None, environment()), 'open a socket', 3, '', clock(os.environ))
    assert counts(root)['second'] == len(FILES)


def test_using_a_model_embeds_in_the_background(git_repo, git, second, monkeypatch):
    root = git_repo(FILES)
    run_update(root)
    monkeypatch.chdir(root)
    run = CliRunner()
    assert run.invoke(command, ['add', str(second)]).exit_code == 0
    said = run.invoke(command, ['use', 'second']).output
    assert 'in the background' in said
    settle(root)
    assert updates(root)[-1] == 'model'
    assert counts(root) == {'bundled': len(FILES), 'second': len(FILES)}


def test_outside_a_kept_repository_nothing_is_started(git_repo, second, monkeypatch, tmp_path):
    run = CliRunner()
    assert run.invoke(command, ['add', str(second)]).exit_code == 0
    root = git_repo(FILES)
    for folder in (root, tmp_path):
        monkeypatch.chdir(folder)
        assert 'background' not in run.invoke(command, ['use', 'second']).output
    assert not (root / '.git' / 'ctxkit').exists()
