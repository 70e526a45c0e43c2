"""Correct typing errors in a request: words that neither code nor model knows, one letter away from a word of the code,
and names of several parts, one letter away from a name of the code.

The model corrects such words for its vectors (`embedding.typos`); the lexical search needs the correction, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.embedding.terms import is_foreign
from ctxkit.embedding.typos import LONGEST, SHORTEST, one_letter_away
from ctxkit.index.near import is_known
from ctxkit.index.terms import PART, STOP, WHOLE, stem, term_id, whole

if TYPE_CHECKING:
    from ctxkit.index.corpus import Corpus

# Words in quotes or in a path, and words with a capital, are taken as they are.
_TYPED = rf'(?<![\w./\\\'"`-])[a-z]{{{SHORTEST},{LONGEST}}}(?![\w/\\\'"`-]|\.\w)'
_NAME = r'(?<![\w./\\\'"`-])[A-Za-z_]\w{6,39}(?![\w/\\\'"`-]|\.\w)'
MOST = 8  # unknown words of a request that are looked at; each costs hundreds of look-ups


def mended(text: str, corpus: Corpus) -> str:
    """A request with its typing errors corrected, each to the most frequent word of the code that is one letter away.

    In requests in other languages than English, names alone are corrected.
    """
    names = [name for name in dict.fromkeys(re.findall(_NAME, text)) if _is_unknown_name(name, corpus)][:MOST]
    if names:
        meant = {name: _name_meant(name, corpus) for name in names}
        text = re.sub(_NAME, lambda found: meant.get(found[0], found[0]), text)
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


def _is_unknown_name(name: str, corpus: Corpus) -> bool:
    """Whether this is a name of several parts (`readFile`, `read_file`) that the code does not have."""
    return len(PART.findall(name)) > 1 and not corpus.has_term(term_id(whole(name)))


def _name_meant(name: str, corpus: Corpus) -> str:
    """The most frequent name of the code that is one letter away from a name; the name itself if there is none."""
    others = set(one_letter_away(whole(name).removesuffix(WHOLE)))
    found = [(count, other) for other in others if (count := corpus.frequency(term_id(other + WHOLE)))]
    return corpus.written(max(found)[1]) if found else name
