"""Typing errors in a request: words that neither the code nor the model has, one letter from words of the code.

The model mends such words for itself (`embedding.typos`); the words that are looked up in the code need it as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.embedding.terms import is_foreign
from ctxkit.embedding.typos import LONGEST, SHORTEST, one_letter_away
from ctxkit.index.near import is_known
from ctxkit.index.terms import STOP, stem, term_id

if TYPE_CHECKING:
    from ctxkit.index.corpus import Corpus

# What stands in quotes or in a path is meant as it stands, and so is what begins with a capital.
_TYPED = rf'(?<![\w./\\\'"`-])[a-z]{{{SHORTEST},{LONGEST}}}(?![\w/\\\'"`-]|\.\w)'
MOST = 8  # words of a request; each costs hundreds of look-ups


def mended(text: str, corpus: Corpus) -> str:
    """A request in English with its typing errors mended: of the words of the code, the most frequent is meant."""
    unknown = [word for word in dict.fromkeys(re.findall(_TYPED, text)) if not _is_word(word, corpus)][:MOST]
    if not unknown or is_foreign(text):
        return text
    meant = {word: _meant(word, corpus) for word in unknown}
    return re.sub(_TYPED, lambda found: meant.get(found[0], found[0]), text)


def _is_word(word: str, corpus: Corpus) -> bool:
    return word in STOP or is_known(term_id(stem(word))) or corpus.has_word(word)


def _meant(word: str, corpus: Corpus) -> str:
    others = list(one_letter_away(word))
    if not STOP.isdisjoint(others):
        return word
    count, best = max((corpus.frequency(term_id(stem(other))), other) for other in others)
    return best if count else word
