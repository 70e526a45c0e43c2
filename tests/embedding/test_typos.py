"""Typing errors in requests: mended for the model, nothing else touched."""

from __future__ import annotations

import pytest

from ctxkit.embedding import load
from ctxkit.embedding.typos import mend

WORDS = {
    word: n for n, word in enumerate('session config blueprint register template request signed cookie concept'.split())
}


@pytest.mark.parametrize(
    ('typed', 'meant'),
    [
        ('sesion', 'session'),
        ('sessiion', 'session'),
        ('sessoin', 'session'),
        ('sessiom', 'session'),
        ('tempalte of a reqest', 'template of a request'),
    ],
)
def test_one_wrong_letter_is_mended(typed: str, meant: str) -> None:
    assert mend(typed, WORDS.get) == meant


@pytest.mark.parametrize(
    'request_',
    ['session', 'Register the blueprint, signed!', 'conf', 'bbolt kubernetes', '12345', '', 'пример sxesxion'],
)
def test_what_is_known_short_or_far_is_left_alone(request_: str) -> None:
    assert mend(request_, WORDS.get) == request_


def test_the_most_frequent_of_several_words_is_taken() -> None:
    assert mend('cokcept cookit', {'concept': 9, 'cookie': 1, 'cookin': 0}.get) == 'concept cookin'


def test_parts_of_identifiers_are_mended_too() -> None:
    assert mend('registerBlueprnt', WORDS.get) == 'register blueprint'


def test_a_word_of_the_code_is_no_typing_error() -> None:
    assert mend('sesion of a reqest', WORDS.get, is_name={'sesion'}.__contains__) == 'sesion of a request'


def test_the_model_is_asked_with_the_words_of_the_code_as_they_are() -> None:
    encoder = load()
    asked = encoder.encode_query('where the sesion is stored', {'sesion'}.__contains__)
    assert asked.tolist() == encoder.encode(['where the sesion is stored'])[0].tolist()


def test_a_request_with_typing_errors_lies_where_the_right_one_lies() -> None:
    encoder = load()
    right = encoder.encode_query('where the session is stored in a cookie')
    wrong = encoder.encode_query('where the sesion is stored in a cokie')
    assert float(right @ wrong) > 0.999
    assert float(right @ encoder.encode(['where the sesion is stored in a cokie'])[0]) < 0.95  # code: as it is


def test_no_word_is_looked_for_that_the_model_would_cut_off() -> None:
    asked = []
    assert mend('sesion ' + 'qwertyuio ' * 5000, lambda word: asked.append(word) or WORDS.get(word), 3)
    assert len(asked) < 3000
