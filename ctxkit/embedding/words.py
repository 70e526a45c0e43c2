"""Text to word pieces in plain Python, equal to the bundled `tokenizer.json`.

An identifier is split where case or digits change, lower-cased, and cut into the longest known pieces. Code repeats
its identifiers, so the pieces of each are remembered: this is several times faster than the general tokenizer and
needs no import. A test holds the two against each other.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

# The Kelvin sign and the dotted capital I are the only other characters whose lower case is (or starts with) ASCII.
IDENTIFIER = re.compile('[A-Za-z0-9\u212a\u0130]+')
BOUNDARY = re.compile(r'(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])')
WORD = re.compile(r'[a-z]+|[0-9]+')
MAX_WORD = 64
MAX_REMEMBERED = 200_000


class WordPieces:
    """The vocabulary and what has been cut so far."""

    def __init__(self, tokenizer: Path) -> None:
        """Read the vocabulary out of a `tokenizer.json` of the bundled kind."""
        vocabulary: dict[str, int] = json.loads(tokenizer.read_bytes())['model']['vocab']
        self._vocabulary = vocabulary
        self._unknown = vocabulary['[UNK]']
        self._longest = max(map(len, vocabulary))
        self._known: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str, limit: int) -> list[int]:
        """The first `limit` piece ids of the text."""
        known = self._known
        out: list[int] = []
        for identifier in IDENTIFIER.findall(text):
            pieces = known.get(identifier)
            if pieces is None:
                pieces = self._learn(identifier)
            out += pieces
        del out[limit:]
        return out

    def _learn(self, identifier: str) -> tuple[int, ...]:
        """Cut an identifier and remember it, in bounded memory."""
        if len(self._known) >= MAX_REMEMBERED:
            self._known.clear()
        pieces: list[int] = []
        for word in WORD.findall(BOUNDARY.sub(' ', identifier).lower()):
            pieces += self._cut(word)
        self._known[identifier] = found = tuple(pieces)
        return found

    def _cut(self, word: str) -> list[int]:
        """Longest piece first; a word that cannot be cut whole, or is too long, is one unknown."""
        vocabulary = self._vocabulary
        whole = vocabulary.get(word)
        if len(word) > MAX_WORD:
            return [self._unknown]
        if whole is not None:
            return [whole]
        out: list[int] = []
        start, size = 0, len(word)
        while start < size:
            prefix = '##' if start else ''
            end = min(size, start + self._longest)
            while end > start:
                piece = vocabulary.get(prefix + word[start:end])
                if piece is not None:
                    break
                end -= 1
            else:
                return [self._unknown]
            assert piece is not None
            out.append(piece)
            start = end
        return out
