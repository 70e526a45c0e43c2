"""Correct typing errors in a request: words unknown to the model, one letter from words that it knows.

Uncorrected, such a word is cut into pieces that mean something else. It is replaced by the most frequent known word
that begins with the same letter and differs by one letter left out, added, changed or swapped with the next. Code is
never touched, nor are short words, numbers and whole words of the vocabulary.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator

from ctxkit.embedding.words import BOUNDARY, IDENTIFIER, WORD

SHORTEST = 5  # at four letters, too many other words are one letter away
LONGEST = 24  # longer words are names, and each letter costs fifty look-ups


def mend(
    request: str,
    known: Callable[[str], int | None],
    most: int = 512,
    is_name: Callable[[str], bool] | None = None,
) -> str:
    """The first `most` words of the request, corrected; the request itself if there is nothing to correct.

    `known` returns a word's number in the vocabulary, where frequent words come first, or None. A word that `is_name`
    knows belongs to the code asked about (`serde`) and is kept, however near to another.
    """
    words = [
        word
        for identifier in IDENTIFIER.findall(request)
        for word in WORD.findall(BOUNDARY.sub(' ', identifier).lower())
    ][:most]
    mended = [_nearest(word, known, is_name or (lambda _: False)) for word in words]
    return request if mended == words else ' '.join(mended)


def _nearest(word: str, known: Callable[[str], int | None], is_name: Callable[[str], bool]) -> str:
    if len(word) < SHORTEST or not word.isalpha() or len(word) > LONGEST or known(word) is not None:
        return word
    found = [(number, other) for other in one_letter_away(word) if (number := known(other)) is not None]
    return min(found)[1] if found and not is_name(word) else word


def one_letter_away(word: str) -> Iterator[str]:
    """The strings that are one typing error away, with the same first letter."""
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        for letter in string.ascii_lowercase:
            yield before + letter + after
        if not after:
            break
        yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in string.ascii_lowercase:
            yield before + letter + after[1:]
