"""The words of a file as numbers, read once for all that is made of them: search terms and a model's word pieces.

A repository repeats its words. So a word is split, stemmed, hashed and cut into pieces when it is first met, and all
that is left to do for a file is to look its words up and to gather, with numpy, what they stand for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Bytes that are no part of a word become spaces; those of UTF-8 sequences stay.
_SPACE = 32
_SPACES = bytes(code if code >= 128 or chr(code).isalnum() or code == 95 else _SPACE for code in range(256))
MOST_WORDS = 200_000  # a process forgets them then: about 40 MB


class Lexicon(dict[bytes, int]):
    """word -> its number, given on demand. Words are bytes, so that files need no decoding."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[bytes] = []
        self._meanings: dict[str, Meaning] = {}

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self.words)
        self.words.append(word)
        return number

    def meaning(self, name: str, ids_of: Callable[[bytes], Sequence[int]]) -> Meaning:
        """What the words stand for by `ids_of`; kept under `name`."""
        if name not in self._meanings:
            self._meanings[name] = Meaning(self.words, ids_of)
        return self._meanings[name]


class Meaning:
    """The ids that each word of a lexicon stands for, as flat arrays that grow with it."""

    def __init__(self, words: list[bytes], ids_of: Callable[[bytes], Sequence[int]]) -> None:
        self._words = words
        self._ids_of = ids_of
        self._ids = array('I')
        self._ends = array('I', [0])

    def of(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """(the ids of these words, one after the other; where each word's begin, and the end of the last)."""
        import numpy as np

        for word in self._words[len(self._ends) - 1 :]:
            self._ids.extend(self._ids_of(word))
            self._ends.append(len(self._ids))
        ids, ends = np.frombuffer(self._ids, np.uint32), np.frombuffer(self._ends, np.uint32)
        first = ends[numbers].astype(np.int64)
        sizes = ends[numbers + 1] - first
        found = ids[gathered(first, sizes)]
        del ids, ends  # an array cannot grow while numpy looks at it
        return found, np.concatenate(([0], np.cumsum(sizes)))


_LEXICON = [Lexicon()]


def lexicon() -> Lexicon:
    """The words of this process."""
    if len(_LEXICON[0]) > MOST_WORDS:
        _LEXICON[0] = Lexicon()
    return _LEXICON[0]


def forget() -> None:
    """Drop the words of this process: after a first index they are tens of megabytes that nothing asks for again."""
    _LEXICON[0] = Lexicon()


class Words(NamedTuple):
    """The words of a text and, for each row of byte ranges of it, the first word in it and the first after it."""

    lexicon: Lexicon
    numbers: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def meant(self, meaning: Meaning) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
        """(ids of all words, and by row where those of its words begin and how many they are)."""
        ids, at = meaning.of(self.numbers)
        start = at[self.first]
        return ids, start, at[self.last] - start


def words_in(text: bytes, ranges: NDArray[np.int64]) -> Words:
    """The words of `text`, and which of them start in each of the ranges (rows of start and end, in bytes)."""
    import numpy as np

    known = lexicon()
    # `translate` and `split` are several times as fast as a regular expression.
    plain = b' ' + text.translate(_SPACES)
    words = plain.split()
    space = np.frombuffer(plain, np.uint8) == _SPACE
    starts = np.flatnonzero(space[:-1] > space[1:])
    edges = np.searchsorted(starts, ranges)
    numbers = np.fromiter(map(known.__getitem__, words), np.int64, len(words))
    return Words(known, numbers, edges[:, 0], edges[:, 1])


def gathered(first: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row the positions first, first + 1, ... first + size - 1; without a loop."""
    import numpy as np

    return np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
