"""Words of code as search terms: identifiers split, lightly stemmed, hashed to 32 bits.

The same functions serve indexing and queries, so that `getUserName`, `get_user_name` and "user names" meet.
"""

from __future__ import annotations

import re
import zlib
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORD = re.compile(r'[^\W\d]\w*|\d+')
_PART = re.compile(r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+')
# Sets beyond Latin take milliseconds to compile, so this one is compiled when a text holds such a character.
_CJK = '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]'
WHOLE = '\x00'  # ends the term of a whole identifier
MAX_WORD = 100  # longer runs are data (base64, hashes), not words

# Words that ask rather than name, and verbs of commit subjects: they rank nothing.
STOP = frozenset(
    'a an and are as at be been but by can could do does for from had has have how i if in into is it its me my no not '
    'of on or our should so than that the their them then there these they this to us was we what when where which who '
    'why will with would you your fix fixes fixed add adds added make makes made use uses used using update updates '
    'updated remove removes removed change changes changed improve improves improved allow allows support supports '
    'implement implements implemented ensure handle correctly instead some also only more now new when via '
    'feat chore refactor perf bug issue'.split()
)


def stem(word: str) -> str:
    """A lower-case word without its plainest English ending; short words are left alone."""
    n = len(word)
    if n > 4:
        if word.endswith('ies'):
            return word[:-3] + 'y'
        if word.endswith('sses') or word.endswith('xes') or word.endswith('ches') or word.endswith('shes'):
            return word[:-2]
        if word.endswith('ing') and n > 5:
            return _undouble(word[:-3])
        if word.endswith('ed'):
            return _undouble(word[:-2])
        if word.endswith('e'):
            return word[:-1]
    if n > 3 and word.endswith('s') and not word.endswith(('ss', 'us', 'is')):
        return stem(word[:-1]) if word.endswith('es') else word[:-1]
    return word


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in 'lsz':
        return word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith('e') else word


def split(word: str) -> list[str]:
    """The terms of one word: its parts, stemmed, and the whole identifier where it has several parts."""
    if len(word) > MAX_WORD:
        return []
    parts = _PART.findall(word)
    out = [term for part in parts for term in terms_of_part(part)]
    return [*out, whole(word)] if len(parts) > 1 else out


def terms_of_part(part: str) -> list[str]:
    """The terms of a part of an identifier: its stem; the pairs of characters of a language without spaces."""
    lower = part.lower()
    if lower.isascii() or not re.search(_CJK, lower):
        return [stem(lower)]
    return [lower[i : i + 2] for i in range(max(1, len(lower) - 1))]


def whole(word: str) -> str:
    """An identifier as one term, whatever its style: `get_user`, `getUser` and `GetUser` are the same."""
    return word.replace('_', '').lower() + WHOLE


@lru_cache(maxsize=1 << 16)
def term_id(term: str) -> int:
    """The 32-bit id of a term. Collisions are rare and cost a little rank, never correctness of a link."""
    data = term.encode('utf-8', 'surrogatepass')
    return zlib.crc32(data) ^ (zlib.adler32(data) * 0x9E3779B1 & 0xFFFFFFFF)


def definition_id(name: str) -> int:
    """The id under which the chunks that define exactly `name` are found."""
    return term_id(f'\x01{name}')


def reference_id(name: str) -> int:
    """The id under which the chunks that refer to exactly `name` are found."""
    return term_id(f'\x02{name}')


# Bytes that are no part of a word become spaces; those of UTF-8 sequences stay.
_SPACES = bytes(code if code >= 128 or chr(code).isalnum() or code == 95 else 32 for code in range(256))


def words_of(source: bytes) -> list[bytes]:
    """The words of a piece of a file. `translate` and `split` are several times as fast as a regular expression."""
    return source.translate(_SPACES).split()


class _Parts(dict[str, tuple[int, ...]]):
    """part of an identifier -> ids of its terms. Parts are few and common, so each is stemmed and hashed once."""

    def __missing__(self, part: str) -> tuple[int, ...]:
        ids = self[part] = tuple(term_id(term) for term in terms_of_part(part))
        return ids


class Vocabulary(dict[bytes, int]):
    """word -> its number, filled on demand; `expand` gives the terms of many numbers at once.

    One a process, since a repository repeats its words. Words are bytes, so that files need no decoding.
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts = _Parts()
        self._terms = array('I')
        self._ends = array('I', [0])

    def __missing__(self, word: bytes) -> int:
        if len(word) <= MAX_WORD:
            text = word.decode('utf-8', 'ignore')
            for plain in (text,) if text.isascii() else WORD.findall(text):
                parts = _PART.findall(plain)
                for part in parts:
                    self._terms.extend(self._parts[part])
                if len(parts) > 1:
                    self._terms.append(term_id(whole(plain)))
        number = len(self._ends) - 1
        self._ends.append(len(self._terms))
        self[word] = number
        return number

    def expand(self, numbers: list[int]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """(the terms of all the words, one after the other; how many terms each word gave)."""
        import numpy as np

        terms, starts = np.frombuffer(self._terms, np.uint32), np.frombuffer(self._ends, np.uint32)
        word = np.array(numbers, np.int64)
        first = starts[word].astype(np.int64)
        sizes = starts[word + 1] - first
        # positions: for each word the range first..first+size, without a loop
        at = np.repeat(first - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes) + np.arange(int(sizes.sum()))
        found: tuple[NDArray[np.uint32], NDArray[np.int64]] = terms[at], sizes
        del terms, starts  # an array cannot grow while numpy looks at it
        return found
