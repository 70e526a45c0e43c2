"""A typing error in a request: the word is looked up in the code as it is meant."""

from __future__ import annotations

import pytest
from helpers_main import block, opened, search, update

from ctxkit.index.request import in_code_spelling

CODE = {
    'app/hooks.py': '\n\n'.join(
        ('def run_interceptors(chain):\n    return [interceptor(chain) for interceptor in chain]\n',)
        + ('def interceptor_order():\n    return 1\n',)
    ),
    'app/other.py': 'def chain_runs(runs):\n    return runs\n\n\ndef zorglub(interceptar):\n    return interceptar\n',
}


@pytest.fixture
def root(git_repo):
    root = git_repo(CODE)
    update(root)
    return root


@pytest.fixture
def read(root):
    with opened(root) as corpus:
        yield lambda text: in_code_spelling(text, corpus)


def test_a_word_is_read_as_the_most_frequent_of_the_code_that_is_one_letter_away(read):
    assert read('the intercepxor runs twice, zorglib too') == 'the interceptor runs twice, zorglub too'
    assert read('intercptor, interecptor') == 'interceptor, interceptor'


def test_what_may_be_meant_so_stays(read):
    for text in (
        'interceptar',  # the code has it
        'the interception of changes',  # English has it
        'Intercepxor and INTERCEPXOR',  # names, perhaps
        "'intercepxor' `intercepxor` app/intercepxor.py intercepxor.py x-intercepxor",
        'shoud coudl',  # small words
        'die intercepxor werden nicht gerufen',  # another language
        'qwertyuiop',  # nothing like it
    ):
        assert read(text) == text


def test_a_name_of_several_parts_is_read_as_the_one_of_the_code_that_is_one_letter_away(read):
    assert read('run_intercepxors') == read('runInterceptor') == read('RunIntercepotrs') == 'run_interceptors'
    assert read('interceptr_order läuft falsch') == 'interceptor_order läuft falsch'
    for kept in ('run_interceptors', 'runInterceptors', 'run_other_order', '`run_intercepxors`', 'a.run_intercepxors'):
        assert read(kept) == kept


def test_no_more_than_a_few_words_are_mended(read):
    junk = ' '.join(f'qwert{letter}uiop' for letter in 'abcdefgh')
    assert read(f'{junk} intercepxor') == f'{junk} intercepxor'


def test_the_code_is_found_though_its_name_is_mistyped(root):
    assert search(root, 'intercepxors')[0].path == 'app/hooks.py'
    assert search(root, 'why do intercepxors go twice')[0].symbol == 'run_interceptors'
    assert block(root, 'why do intercepxors go twice').units[0].path == 'app/hooks.py'


def test_what_is_edited_away_is_no_word_to_mend_to(root):
    (root / 'app/hooks.py').unlink()
    with opened(root) as corpus:
        assert in_code_spelling('the intercepxor runs', corpus) == 'the intercepxor runs'
