"""Cut text into word pieces in plain Python, with the same result as the bundled `tokenizer.json`.

An identifier is split where case or digits change, lower-cased, and cut into the longest known pieces. Code repeats its
identifiers, so the pieces of each are cached: this is several times faster than the general tokenizer and needs no
import. A test compares the two.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from ctxkit.errors import CtxError

# The Kelvin sign and the dotted capital I are the only other characters whose lower case is (or starts with) ASCII.
IDENTIFIER = re.compile('[A-Za-z0-9\u212a\u0130]+')
BOUNDARY = re.compile(r'(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])')
WORD = re.compile(r'[a-z]+|[0-9]+')
# What BOUNDARY and WORD find in ASCII, in one pattern.
PART = re.compile('[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+')
COMPACT = b'"vocab":{"'  # how the vocabulary begins if written without white space
MAX_WORD = 64
MAX_REMEMBERED = 200_000
FEW = 24  # failed searches for a piece before the vocabulary is parsed


class WordPieces:
    """The vocabulary, and a cache of identifiers cut so far."""

    def __init__(self, tokenizer: Path) -> None:
        """Open a `tokenizer.json` of the bundled kind.

        Its vocabulary is not parsed yet, which takes 6 ms: for the words of one request, searching it as text is much
        faster.
        """
        self._text = tokenizer.read_bytes()
        self._begin = self._text.find(COMPACT)
        self._end = self._text.find(b'}', self._begin)
        self._vocabulary: dict[str, int] = {}
        self._longest = self._longest_number = MAX_WORD
        self._missed = FEW if self._begin < 0 else 0
        self._known: dict[str, tuple[int, ...]] = {}
        unknown = self._look_up('[UNK]')
        if unknown is None:
            raise CtxError(f'{tokenizer}: not a vocabulary of word pieces', 'install the model again')
        self._unknown = unknown

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

    def number(self, word: str) -> int | None:
        """The number of a lower-case word that is in the vocabulary as a whole, else None."""
        return self._vocabulary.get(word) if self._vocabulary else self._look_up(word)

    def cut(self, text: str) -> list[int]:
        """The piece ids of a text, without caching its words."""
        pieces: list[int] = []
        for identifier in IDENTIFIER.findall(text):
            plain = identifier if identifier.isascii() else BOUNDARY.sub(' ', identifier).lower()
            for part in PART.findall(plain):
                pieces += self._cut(part.lower())
        return pieces

    def _learn(self, identifier: str) -> tuple[int, ...]:
        """Cut an identifier and cache the result, in bounded memory."""
        if len(self._known) >= MAX_REMEMBERED:
            self._known.clear()
        self._known[identifier] = found = tuple(self.cut(identifier))
        return found

    def _cut(self, word: str) -> list[int]:
        """The pieces of a word, longest first; a word that is too long or cannot be cut completely is one unknown."""
        if len(word) > MAX_WORD:
            return [self._unknown]
        get = self._vocabulary.get if self._vocabulary else self._look_up
        whole = get(word)
        if whole is not None:
            return [whole]
        longest = self._longest_number if word[0].isdigit() else self._longest
        out: list[int] = []
        start, size = 0, len(word)
        while start < size:
            prefix = '##' if start else ''
            end = min(size, start + longest)
            while end > start:
                piece = get(prefix + word[start:end])
                if piece is not None:
                    break
                end -= 1
            else:
                return [self._unknown]
            assert piece is not None
            out.append(piece)
            start = end
        return out

    def _look_up(self, piece: str) -> int | None:
        """The id of a piece; letters, digits and `##` are unescaped in JSON."""
        if self._missed < FEW:
            at = self._text.find(b'"%b":' % piece.encode('ascii'), self._begin + len(COMPACT) - 1, self._end)
            if at < 0:
                self._missed += 1
                return None
            at += len(piece) + 3
            return int(self._text[at : at + 12].partition(b',')[0].rstrip(b'}'))
        if not self._vocabulary:
            self._vocabulary = json.loads(self._text)['model']['vocab']
            self._longest = max(map(len, self._vocabulary))
            # Pieces of digits are short, so the many long numbers in code need not be looked up at full length.
            numbers = re.findall(rb'"(?:##)?([0-9]+)":', self._text)
            self._longest_number = max(map(len, numbers), default=0)
            self._text = b''
        return self._vocabulary.get(piece)
