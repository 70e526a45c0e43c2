"""Turn words of code into search terms: split identifiers, stem the parts lightly, hash them to 32 bits.

The same functions serve indexing and queries, so that `getUserName`, `get_user_name` and "user names" match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from zlib import adler32, crc32

WORD = re.compile(r'[^\W\d]\w*|\d+')
PART = re.compile(r'[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+')
# Sets beyond Latin take milliseconds to compile, so this one is compiled only for text that is not ASCII.
_CJK = '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]'
WHOLE = '\x00'  # last character of the term of a whole identifier
MAX_WORD = 100  # longer runs are data (base64, hashes), not words

# Words that ask rather than name, and verbs of commit subjects: they are ignored in requests.
STOP = frozenset(
    'a an and are as at be been but by can could do does for from had has have how i if in into is it its me my no not '
    'of on or our should so than that the their them then there these they this to us was we what when where which who '
    'why will with would you your fix fixes fixed add adds added make makes made use uses used using update updates '
    'updated remove removes removed change changes changed improve improves improved allow allows support supports '
    'implement implements implemented ensure handle correctly instead some also only more now new when via '
    'feat chore refactor perf bug issue'.split()
)


def stem(word: str) -> str:
    """A lower-case word without its most common English ending; short words are left alone."""
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
    """The terms of one word: its stemmed parts, and the whole identifier if it has several parts."""
    if len(word) > MAX_WORD:
        return []
    parts = PART.findall(word)
    out = [term for part in parts for term in _of_part(part)]
    return [*out, whole(word)] if len(parts) > 1 else out


@lru_cache(maxsize=1 << 14)
def _of_part(part: str) -> tuple[str, ...]:
    """The terms of a part of an identifier: its stem, or in a language without spaces the pairs of its characters.

    Cached, because parts are few and common.
    """
    lower = part.lower()
    if part[-1] == 's' and part[:-1].isupper() and len(part) > 2:  # `URLs`, `IDs`
        return (lower[:-1],)
    if lower.isascii() or not re.search(_CJK, lower):
        return (stem(lower),)
    return tuple(lower[i : i + 2] for i in range(max(1, len(lower) - 1)))


def is_plain(name: str) -> bool:
    """Whether a name is a single word in lower case, which prose may contain by chance."""
    return name.islower() and '_' not in name


def whole(word: str) -> str:
    """The term of a whole identifier, whatever its style: `get_user`, `getUser` and `GetUser` have the same."""
    return word.replace('_', '').lower() + WHOLE


@lru_cache(maxsize=1 << 14)
def term_id(term: str) -> int:
    """The 32-bit id of a term. Collisions are rare and cost a little rank, never correctness of a link."""
    return _hashed(term.encode('utf-8', 'surrogatepass'))


def _hashed(term: bytes) -> int:
    return crc32(term) ^ (adler32(term) * 0x9E3779B1 & 0xFFFFFFFF)


def ids_of(word: bytes) -> Sequence[int]:
    """The term ids of the words in a run of letters, digits and bytes beyond ASCII.

    The same as `split` and `term_id` give, in 0.7 of the time: a repository has a hundred thousand such runs.
    """
    if len(word) > MAX_WORD:
        return ()
    if word.isdigit():
        return (_hashed(word),)
    text = word.decode('utf-8', 'ignore')
    return _ids(text) if text.isascii() else [one for found in WORD.findall(text) for one in _ids(found)]


def _ids(word: str) -> Sequence[int]:
    parts = PART.findall(word)
    if len(parts) == 1:
        return _IDS[parts[0]]
    ids = [one for part in parts for one in _IDS[part]]
    if parts:
        ids.append(_hashed(whole(word).encode('utf-8', 'surrogatepass')))
    return ids


class _Ids(dict[str, tuple[int, ...]]):
    """Part of an identifier -> the ids of its terms. Numbers are not kept: they are many and seldom repeat."""

    def __missing__(self, part: str) -> tuple[int, ...]:
        if part.isdigit():
            return (_hashed(part.encode()),)
        if len(self) >= 1 << 15:
            self.clear()
        found = self[part] = tuple([_hashed(term.encode('utf-8', 'surrogatepass')) for term in _of_part(part)])
        return found


_IDS = _Ids()


@lru_cache(maxsize=1 << 16)
def definition_id(name: str) -> int:
    """The term id under which chunks that define exactly `name` are indexed."""
    return _hashed(f'\x01{name}'.encode('utf-8', 'surrogatepass'))


@lru_cache(maxsize=1 << 16)
def reference_id(name: str) -> int:
    """The term id under which chunks that refer to exactly `name` are indexed."""
    return _hashed(f'\x02{name}'.encode('utf-8', 'surrogatepass'))
