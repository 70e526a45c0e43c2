"""What a search finds first, without a word about scores."""

from __future__ import annotations

import numpy as np
import pytest
from helpers_main import search, symbols, update

from ctxkit.index.record import quantise
from ctxkit.index.search import Hit, _saturate
from ctxkit.index.terms import split, stem, whole

CODE = {
    'shop/cart.py': 'class Cart:\n    """Things to buy."""\n\n    def total_price(self, discount):\n'
    '        """Sum of the prices with the discount taken off."""\n        return sum(self.prices) - discount\n',
    'shop/parse.py': 'def parse_date(text):\n    """A date from ISO text."""\n    return text.split("-")\n\n\n'
    'def use():\n    return parse_date("2026-01-01")\n',
    'tests/test_cart.py': 'def test_total_price():\n    """The sum of the prices with the discount taken off."""\n'
    '    assert Cart().total_price(1) == parse_date\n',
    'docs/cart.md': '# Total price\n\nThe total price is the sum of the prices with the discount taken off.\n',
    'vendor/cart.py': 'def total_price(discount):\n    """Sum of the prices with the discount taken off."""\n',
    'web/userName.js': 'export function getUserName(account) {\n  return account.displayName\n}\n',
    'locale/zh.py': 'def 计算总价(购物车):\n    """计算购物车的总价。"""\n    return 购物车\n',
}


@pytest.fixture(scope='module')
def work(tmp_path_factory):
    import subprocess

    from helpers_main import write

    root = tmp_path_factory.mktemp('search')
    write(root, CODE)
    for args in (
        ['init', '-q'],
        ['add', '-A'],
        ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid', 'commit', '-qm', 'x'],
    ):
        subprocess.run(['git', *args], cwd=root, check=True)
    update(root)
    return root


@pytest.mark.parametrize(
    'query',
    [
        'total_price',
        'Cart.total_price',
        'the total price with a discount',
        'total_price()',
        'fix: wrong total price when a discount is given',
    ],
)
def test_source_comes_before_tests_documentation_and_vendored_code(work, query):
    assert search(work, query)[0][:1] == ('shop/cart.py',)


def test_test_comes_first_when_tests_are_asked_for(work):
    assert search(work, 'tests of the total price')[0].path == 'tests/test_cart.py'


@pytest.mark.parametrize('query', ['parse_date', 'parseDate', 'where is a date parsed'])
def test_definition_comes_before_its_use(work, query):
    assert symbols(work, query)[0] == 'parse_date'


@pytest.mark.parametrize('query', ['getUserName', 'get_user_name', 'user name', 'display name of an account'])
def test_identifier_in_any_style(work, query):
    assert 'getUserName' in symbols(work, query)[:2]


@pytest.mark.parametrize('query', ['计算总价', '总价', '购物车的总价'])
def test_languages_without_blanks(work, query):
    assert symbols(work, query)[0] == '计算总价'


def test_several_places_of_one_file_leave_room_for_others(work):
    assert len({place.path for place in search(work, 'price discount', count=4)}) >= 3


def test_score_falls(work):
    scores = [place.score for place in search(work, 'price of a cart', count=50)]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 0


def test_order_is_the_same_each_time(work):
    assert search(work, 'price discount') == search(work, 'price discount')


@pytest.mark.parametrize(
    'query',
    [
        'parse.py:6',
        'File "/srv/app/site-packages/shop/parse.py", line 6, in use',
        'at Shop.Use() in C:\\work\\shop\\parse.py:line 6',
        'shop/parse.py(6): unknown date',
        'total price of the cart is wrong at shop/parse.py:6:12',
    ],
)
def test_a_line_of_a_file_leads_to_the_function_around_it(work, query):
    assert search(work, query)[0].symbol == 'use'


@pytest.mark.parametrize('query', ['cart.py:900', 'nothing.py:6', 'version 3.12:6', 'parse.py:0'])
def test_a_line_that_no_file_has_leads_nowhere_in_particular(work, query):
    search(work, query)


def test_further_hits_of_a_file_count_less_but_no_project_of_one_file_is_sunk():
    hits = [Hit(number, 1.0) for number in range(20)]
    ranked = _saturate([*hits, Hit(20, 0.4)], np.array([0] * 20 + [1]), 0.5)
    assert [hit.score for hit in ranked[:3]] == [1.0, 0.5, 0.4]
    assert {hit.score for hit in ranked[3:]} == {0.25}


@pytest.mark.parametrize(
    ('word', 'parts'),
    [
        ('getUserName', ['get', 'user', 'name']),
        ('HTTPServer2', ['http', 'server', '2']),
        ('parse', ['parse']),
        ('snake_case_name', ['snake', 'case', 'name']),
        ('XMLHttpRequest', ['xml', 'http', 'request']),
    ],
)
def test_words_are_cut_where_their_case_changes(word, parts):
    assert [part for part in split(word) if not part.endswith('\x00')] == [stem(part) for part in parts]


def test_an_identifier_is_one_term_in_every_style():
    assert whole('get_user_name') == whole('getUserName') == whole('GetUserName')
    assert whole('get_user_name') in split('getUserName')


def test_forms_of_a_word_meet():
    for forms in (
        ('parse', 'parses', 'parsing', 'parsed'),
        ('query', 'queries'),
        ('box', 'boxes'),
        ('match', 'matches', 'matching'),
    ):
        assert len({stem(form) for form in forms}) == 1, forms


def test_data_is_no_word():
    assert split('a' * 101) == []


def test_vectors_in_a_byte_keep_their_angle():
    rows = np.random.default_rng(3).normal(size=(60, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    small = np.frombuffer(quantise(rows), np.int8).reshape(60, 64).astype(np.float32)
    small /= np.linalg.norm(small, axis=1, keepdims=True)
    assert np.abs(rows @ rows.T - small @ small.T).max() < 0.01
    assert quantise(np.zeros((0, 64), np.float32)) == b''
    assert quantise(np.zeros((1, 64), np.float32)) == b'\0' * 64
