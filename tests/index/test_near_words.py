"""What code calls by another word than the request is found by words that mean nearly the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers_main import opened, search, update

from ctxkit.embedding.folder import BUNDLED, read
from ctxkit.index.lexical import NEAR_MOST, Table, scores
from ctxkit.index.near import near_terms
from ctxkit.index.request import parse
from ctxkit.index.terms import STOP, stem, term_id

CODE = {
    'jar.py': 'def rm_hdr(jar):\n    jar.hdr = None\n\n\ndef paint(jar):\n    jar.colour = 3\n',
    'mem.py': 'def mem_limit(pool):\n    return pool.mem\n\n\ndef memory_of(pool):\n    return pool.memory\n',
}


@pytest.fixture
def scored(git_repo):
    """A function: the symbols that a request's words find, with their scores."""
    root = git_repo(CODE)
    update(root)

    def ask(text, near=True):
        with opened(root) as corpus:
            found = scores(corpus, Table.of(corpus), parse(text), near=near).chunk
            return {corpus.place(n).symbol: float(score) for n, score in enumerate(found) if score > 0}

    return ask


def test_code_that_says_it_in_other_words_is_found(scored):
    assert 'rm_hdr' in scored('delete the header of somebody')
    assert not scored('delete the header of somebody', near=False)


def test_what_has_the_word_itself_comes_before_what_has_a_near_one(scored):
    found = scored('how much memory is there')
    assert found['memory_of'] > found['mem_limit'] > 0


def test_a_near_word_counts_less_where_the_code_has_the_word_itself(scored):
    found = scored('memory header')
    # `hdr` is all that the code has for a header; `mem` stands beside `memory`
    assert found['rm_hdr'] > found['mem_limit']


@pytest.mark.parametrize('asked', ['memory', 'call delete_header() first'])
def test_a_name_and_what_holds_one_mean_what_they_say(scored, asked):
    assert scored(asked) == scored(asked, near=False)


def test_a_long_request_means_what_it_says(scored):
    words = sorted({word for word in 'abcdefghijklmnopqrstuvwxyz' if word not in STOP})
    long = ' '.join(f'{a}{b}q' for a in words for b in words[:3])
    assert len(parse(long).terms) > NEAR_MOST
    assert not scored(f'delete the header {long}')
    assert scored('delete the header now')


def test_a_search_finds_it_too(git_repo):
    assert search(git_repo(CODE), 'delete the header')[0].symbol == 'rm_hdr'


def test_an_unknown_word_is_near_to_none():
    assert near_terms(term_id('qzxkw')) == []
    assert near_terms(0) == [] and near_terms(2**32 - 1) == []


def test_the_near_words_are_those_of_the_bundled_model():
    offset, dtype, shape = read(BUNDLED).tables['table']
    table = np.memmap(BUNDLED / 'model.onnx', dtype=dtype, mode='r', offset=offset, shape=shape)
    vocabulary = json.loads((BUNDLED / 'tokenizer.json').read_text('utf-8'))['model']['vocab']
    forms = {}
    for word, row in vocabulary.items():
        if word.isalpha() and word.islower() and len(word) > 1 and word not in STOP:
            forms.setdefault(term_id(stem(word)), []).append(row)
    for word in ('delete', 'header', 'validation', 'queue', 'retry'):
        near = near_terms(term_id(stem(word)))
        asked = table[min(forms[term_id(stem(word))])].astype(np.float32)
        assert near == sorted(near, key=lambda pair: -pair[1])
        for term, cosine in near:
            rows = table[forms[term]].astype(np.float32)
            found = rows @ asked / np.linalg.norm(rows, axis=1) / np.linalg.norm(asked)
            assert cosine == pytest.approx(float(found.max()), abs=0.005)
