"""What counts as a word of the code: any part of a name, a text or a path, as long as the tree holds it."""

from __future__ import annotations

from helpers_main import opened, update


def test_the_words_of_texts_and_paths_are_known_until_they_are_gone(git_repo):
    root = git_repo(
        {'serde/base.py': 'def read_yaml(toml):\n    """With plist."""\n', 'old.py': 'def bencode():\n    pass\n'}
    )
    update(root)
    (root / 'old.py').unlink()
    with opened(root) as corpus:
        words = ('serde', 'yaml', 'toml', 'plists', 'bencode', 'old', 'jsonc')
        assert [corpus.has_word(word) for word in words] == [True, True, True, True, False, False, False]
