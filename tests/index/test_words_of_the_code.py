"""What counts as a word of the code: any part of a name, a text or a path, as long as the tree holds it."""

from __future__ import annotations

import pytest
from helpers_main import opened, symbols, update

from ctxkit.index.terms import WHOLE, split


def test_the_words_of_texts_and_paths_are_known_until_they_are_gone(git_repo):
    root = git_repo(
        {'serde/base.py': 'def read_yaml(toml):\n    """With plist."""\n', 'old.py': 'def bencode():\n    pass\n'}
    )
    update(root)
    (root / 'old.py').unlink()
    with opened(root) as corpus:
        words = ('serde', 'yaml', 'toml', 'plists', 'bencode', 'old', 'jsonc')
        assert [corpus.has_word(word) for word in words] == [True, True, True, True, False, False, False]


@pytest.mark.parametrize('said', ['userIDs', 'URLs of an ID', 'the ORMs'])
def test_the_plural_of_an_acronym_is_its_word(git_repo, said):
    code = {'a.py': 'def orm(user_id, url):\n    pass\n', 'b.py': 'def other(value):\n    return value\n'}
    assert symbols(git_repo(code), said)[:1] == ['orm']


@pytest.mark.parametrize(
    ('word', 'terms'),
    [
        ('IDs', ['id']),
        ('getURLsFor', ['get', 'url', 'for']),
        ('HTTPServer', ['http', 'server']),
        ('CSSsheet', ['cs', 'ssheet']),
        ('Is', ['is']),
    ],
)
def test_where_a_name_is_split(word, terms):
    assert [term for term in split(word) if not term.endswith(WHOLE)] == terms
