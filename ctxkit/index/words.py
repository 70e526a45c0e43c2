"""Read the words of a file as numbers, once for all that is made from them: search terms and a model's word pieces.

A repository repeats its words. So a word is split, stemmed, hashed and cut into pieces only when it is first met; for a
file, it then suffices to look its words up and to gather, with numpy, the ids that they stand for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Bytes that are not part of a word become spaces; those of UTF-8 sequences stay.
_SPACE = 32
_SPACES = bytes(code if code >= 128 or chr(code).isalnum() or code == 95 else _SPACE for code in range(256))
MOST_WORDS = 200_000  # words (about 40 MB) after which a process forgets them all


class Lexicon(dict[bytes, int]):
    """Word -> its number, assigned when first looked up. Words are bytes, so that files need not be decoded."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[bytes] = []
        self._meanings: dict[str, Meaning] = {}

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self.words)
        self.words.append(word)
        return number

    def meaning(self, name: str, ids_of: Callable[[bytes], Sequence[int]]) -> Meaning:
        """The ids that `ids_of` gives for the words; made once for each `name`."""
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
        """(the ids of these words in one array; where those of each word begin in it, followed by its end)."""
        import numpy as np

        for word in self._words[len(self._ends) - 1 :]:
            self._ids.extend(self._ids_of(word))
            self._ends.append(len(self._ids))
        ids, ends = np.frombuffer(self._ids, np.uint32), np.frombuffer(self._ends, np.uint32)
        first = ends[numbers].astype(np.int64)
        sizes = ends[numbers + 1] - first
        found = ids[gathered(first, sizes)]
        del ids, ends  # an array cannot grow while numpy has a view of it
        return found, np.concatenate(([0], np.cumsum(sizes)))


_LEXICON = [Lexicon()]


def lexicon() -> Lexicon:
    """The lexicon of this process; a new one when it has more than MOST_WORDS."""
    if len(_LEXICON[0]) > MOST_WORDS:
        _LEXICON[0] = Lexicon()
    return _LEXICON[0]


def forget() -> None:
    """Drop the lexicon of this process: after a first index, it is tens of megabytes that are not needed again."""
    _LEXICON[0] = Lexicon()


class Words(NamedTuple):
    """The words of a text as numbers and, for each of some byte ranges, its first word and the first after it."""

    lexicon: Lexicon
    numbers: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def meant(self, meaning: Meaning) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
        """(ids of all words in one array; for each row, where its ids begin in it; how many they are)."""
        ids, at = meaning.of(self.numbers)
        start = at[self.first]
        return ids, start, at[self.last] - start


def words_in(text: bytes, ranges: NDArray[np.int64]) -> Words:
    """The words of `text`, and which of them start in each of `ranges` (rows of start and end, in bytes)."""
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
    """For each row the positions first, first + 1, ... first + size - 1, all in one array."""
    import numpy as np

    return np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
