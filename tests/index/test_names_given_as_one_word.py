"""A name that is typed in a hurry, `tosafeform` for `toSafeForm`, means what the code calls so."""

from __future__ import annotations

import pytest
from helpers_main import opened, search, update

from ctxkit.index.request import in_code_spelling

CODE = {
    'lib/forms.js': 'function toSafeForm(value, depth) {\n  return value && toSafeForm(value.inner, depth + 1)\n}\n',
    'lib/depth.js': '// How deep the recursion goes.\nfunction recursionDepth(depth) {\n  return depth\n}\n',
    'lib/host.js': '// The hostname of a host.\nfunction hostName(url) {\n  return url.hostname\n}\n',
    'lib/snake.py': 'def fit_bounds(box):\n    return box\n\n\nclass Pool:\n    def drainAll(self):\n        pass\n',
    'lib/use.js': 'export const run = (box) => outerThing(box)\n',
}


@pytest.fixture
def written(git_repo):
    root = git_repo(CODE)
    update(root)
    with opened(root) as corpus:
        yield lambda text: in_code_spelling(text, corpus)


def test_a_name_is_read_as_the_code_writes_it(written):
    assert written('tosafeform: wrong depth') == 'toSafeForm: wrong depth'
    assert written('Fitbounds ignores the box. Why does drainall hang?') == (
        'fit_bounds ignores the box. Why does drainAll hang?'
    )


def test_other_words_stay(written):
    for text in (
        'the hostname is wrong',  # a word of the code as well
        'unknownname does nothing, boxes neither',
        'outerthing',  # called here, defined elsewhere
        'see lib/tosafeform.js, tosafeform.py and x-tosafeform',
        'ToSafeForm TOSAFEFORM to_safe_form',
        'tosafeform ' + 'word ' * 1000,  # pasted
    ):
        assert written(text) == text


def test_such_a_name_leads_to_the_function_before_what_has_the_other_words(git_repo):
    root = git_repo(CODE)
    update(root)
    assert search(root, 'tosafeform recursion depth')[0].symbol == 'toSafeForm'
    assert search(root, 'recursion depth')[0].symbol == 'recursionDepth'


def test_it_is_a_word_of_the_code(git_repo):
    root = git_repo(CODE)
    update(root)
    with opened(root) as corpus:
        assert corpus.has_word('tosafeform') and corpus.has_word('outerthing')  # no typing error, and about this code
        assert not corpus.has_word('othername')
