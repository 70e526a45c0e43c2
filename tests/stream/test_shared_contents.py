"""What a shared store holds is looked at before it is taken: another clone, or somebody else, may have written it."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest
from helpers_main import update

from ctxkit import repo as plumbing
from ctxkit.embedding import encoder_for
from ctxkit.index.build import Content
from ctxkit.index.record import column_type, path_hint, posting_type
from ctxkit.index.store import Key, Store
from ctxkit.repo import find
from ctxkit.stream.shared import decode, encode


@pytest.fixture
def content(git_repo) -> Content:
    root = git_repo(
        {'a.py': 'class A:\n    def total(self):\n        return other()\n\n\ndef other():\n    return 1\n'}
    )
    update(root)
    repo = find(root)
    (entry,) = plumbing.tree(repo, plumbing.resolve(repo))
    key = Key(entry.blob, path_hint(entry.path, 1_000_000))
    with Store(repo.data_dir) as store:
        row = store.content(key, encoder_for('bundled').model_id)
    assert row is not None
    return Content(key, *row)


def taken(content: Content) -> Content | None:
    return decode(content.key, *encode(content), encoder_for('bundled').dimension)


def changed(content: Content, **parts) -> Content:
    return content._replace(record=content.record._replace(**parts))


def test_what_holds_together_is_taken_as_it_was_given(content):
    assert taken(content) == content


def test_a_kind_that_does_not_exist_is_refused(content):
    columns = np.frombuffer(content.record.columns, column_type()).copy()
    columns['kind'][0] = 99
    assert taken(changed(content, columns=columns.tobytes())) is None
    places = json.loads(content.record.places)
    places[0][0] = 'spell'
    assert taken(changed(content, places=json.dumps(places).encode())) is None


@pytest.mark.parametrize(('column', 'value'), [('field', 99), ('chunk', 1 << 20)])
def test_a_posting_of_what_does_not_exist_is_refused(content, column, value):
    postings = np.frombuffer(content.record.postings, posting_type()).copy()
    postings[column][-1] = value
    assert taken(changed(content, postings=postings.tobytes())) is None


def test_parts_that_do_not_fit_each_other_are_refused(content):
    assert taken(content._replace(vectors=content.vectors[:-1])) is None
    assert taken(changed(content, columns=content.record.columns[:-1])) is None
    assert taken(changed(content, references=b'[]')) is None


@pytest.mark.parametrize('name', ['broken', 'chunks'])
def test_a_number_without_an_end_is_refused(content, name):
    record, vectors = encode(content)
    head, _, data = zlib.decompress(record).partition(b'\n')
    other = json.dumps({**json.loads(head), name: float('inf')}).encode() + b'\n' + data
    assert decode(content.key, zlib.compress(other), vectors, len(content.vectors) // content.chunks) is None
