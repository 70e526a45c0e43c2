"""Correct typing errors in a request: words that neither code nor model knows, one letter away from a word of the code.

The model corrects such words for its vectors (`embedding.typos`); the lexical search needs the correction, too.
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

# Words in quotes or in a path, and words with a capital, are taken as they are.
_TYPED = rf'(?<![\w./\\\'"`-])[a-z]{{{SHORTEST},{LONGEST}}}(?![\w/\\\'"`-]|\.\w)'
MOST = 8  # unknown words of a request that are looked at; each costs hundreds of look-ups


def mended(text: str, corpus: Corpus) -> str:
    """A request with its typing errors corrected, each to the most frequent word of the code that is one letter away.

    Requests in other languages than English are returned unchanged.
    """
    unknown = [word for word in dict.fromkeys(re.findall(_TYPED, text)) if not _is_word(word, corpus)][:MOST]
    if not unknown or is_foreign(text):
        return text
    corrections = {word: _corrected(word, corpus) for word in unknown}
    return re.sub(_TYPED, lambda found: corrections.get(found[0], found[0]), text)


def _is_word(word: str, corpus: Corpus) -> bool:
    return word in STOP or is_known(term_id(stem(word))) or corpus.has_word(word)


def _corrected(word: str, corpus: Corpus) -> str:
    others = list(one_letter_away(word))
    if not STOP.isdisjoint(others):
        return word
    count, best = max((corpus.frequency(term_id(stem(other))), other) for other in others)
    return best if count else word
