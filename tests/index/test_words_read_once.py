"""The words of a file are read once, in whichever process: what is made of them is as if each had been read alone."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from helpers_main import update

import ctxkit
from ctxkit import repo as git_repo_of
from ctxkit.embedding import load
from ctxkit.embedding.text import MAX_CHARACTERS, passage
from ctxkit.index import words
from ctxkit.index.build import build
from ctxkit.index.embed import embed
from ctxkit.index.record import make
from ctxkit.index.scan import scan
from ctxkit.index.store import Store
from ctxkit.index.terms import MAX_WORD, WORD, ids_of, split, term_id
from ctxkit.settings import SliceSettings

ODD = {
    'mark.cs': b'\xef\xbb\xbfusing System;\n\nclass HTTPServer2 { int get\xc3\x9cser() { return 1; } }\n',
    'lines.py': b'def one():\r\n    return parseHTTPResponse(x1y2)\r\n',
    'invalid.py': b'def caf\xe9():\n    return "\xff\xfe"\n\n\nclass A:\n    x = \xe9_name\n\n    def f(self): pass\n',
    'letters.md': 'K İstanbul ſtraße 数据 naïve_bayes ΑΒΓ\n'.encode(),
    'many.py': b'def f():\n' + b'    return_value_%d = otherValue\n' * 400,
    'folder/.env': b'A=1\n',
    'empty.py': b'',
    'marks.txt': b'!!! ((( ===\n',
    'sur\udce9.py': b'def g(): return 1\n',
}


@pytest.fixture(scope='module')
def encoder():
    return load()


def files():
    for file in sorted(Path(ctxkit.__file__).parent.rglob('*.py'))[:40]:
        yield f'{file.parent.name}/{file.name}', file.read_bytes()
    yield from ODD.items()


def test_vectors_from_words_are_those_of_the_passages(encoder):
    """All at once, and each file and each text alone."""
    given = [(path, make(path, source, 1_000_000)) for path, source in files()]
    together = embed(encoder, given)
    at = looked = 0
    for path, made in given:
        alone = embed(encoder, [(path, made)])
        assert alone.tobytes() == together[at : at + len(made.chunks)].tobytes(), path
        for row, chunk in zip(alone, made.chunks, strict=True):
            text = passage(path, chunk, made.source)
            if len(text) < MAX_CHARACTERS:
                assert row.tobytes() == encoder.encode([text])[0].tobytes(), (path, chunk.symbol)
                looked += 1
        at += len(made.chunks)
    assert looked > 200 and at == len(together)


def test_a_process_that_forgets_its_words_makes_the_same(encoder, monkeypatch):
    def all_of_it():
        made = [(path, make(path, source, 1_000_000)) for path, source in files()]
        return [one.record for _, one in made], embed(encoder, made)

    records, vectors = all_of_it()
    monkeypatch.setattr(words, 'MOST_WORDS', 10)
    again, others = all_of_it()
    assert len(words.lexicon()) <= 10
    assert again == records and np.array_equal(others, vectors)


def held(folder: Path) -> list[tuple[object, ...]]:
    """All that a store holds, without the numbers that it gave."""
    db = sqlite3.connect(folder / 'index.db')
    try:
        return db.execute(
            'SELECT blob, hint, format, language, skipped, broken, chunks, places, refs, postings, columns, data, '
            'alike FROM file LEFT JOIN vector ON vector.file = file.id ORDER BY blob, hint'
        ).fetchall()
    finally:
        db.close()


def test_index_is_the_same_whatever_the_number_of_processes(git_repo, tmp_path, encoder):
    code = 'class C{0}:\n    def run{0}(self):\n        return {0}\n'
    root = git_repo({f'p{number % 7}/m{number}.py': code.format(number) for number in range(130)})
    repo = git_repo_of.find(root)
    entries, _ = scan(repo, git_repo_of.resolve(repo), SliceSettings())
    found = []
    for processes in (1, 2, 3):
        folder = tmp_path / str(processes)
        with Store(folder) as store:
            built = build(repo, store, entries, model_id=encoder.model_id, now=1e9, workers=processes)
        assert (built.sliced_files, built.embedded_chunks, len(built.rows)) == (130, 260, 130)
        found.append(held(folder))
        assert not multiprocessing.active_children()
    assert found[0] == found[1] == found[2] and len(found[0]) == 130


def test_what_a_killed_worker_had_taken_is_done_by_the_caller(git_repo, monkeypatch):
    """Killed before its first batch is stored: the caller finds its end of the pipe closed."""
    root = git_repo({f'm{number}.py': f'def function_{number}():\n    return {number}\n' for number in range(140)})
    start = multiprocessing.process.BaseProcess.start

    def start_and_kill(self):
        start(self)
        self.kill()

    monkeypatch.setattr(multiprocessing.context.SpawnProcess, 'start', start_and_kill)
    done = update(root)
    assert (done.files, done.sliced_files) == (140, 140)


def test_terms_of_a_word_are_those_of_a_request():
    for text in (
        'get_user_name getUserName HTTPServer2 URLs IDs x __init__ ___ 1234 v2 classes parsing',
        'naïve Größe перевод_слова 读取文件 ファイルX9 ١٢٣٤٥ x² 𝟙𝟚 e\u0301t\u00e9 ' + 'long' * 40,
    ):
        for word in text.split():
            wanted = [term_id(term) for one in WORD.findall(word) for term in split(one)]
            assert list(ids_of(word.encode())) == (wanted if len(word.encode()) <= MAX_WORD else []), word
