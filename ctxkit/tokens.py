"""The default token counter: an upper estimate of what an agent's tokenizer gives, with no vocabulary to load.

The text is cut as tokenizers cut it: into words where the case changes, and runs of marks, digits and white space. What
is common in code (`token_words.py`) is one token. Everything else costs, by its kind, what it costs in the worst case,
so that the estimate is not too low for base64, hexadecimal digits or capitals either.

Real count over this estimate, on 1,695 files of code, nearly all from repositories that the table was not made from:
0.94 on average (p95 0.99, p99 1.02, max 1.07) for a published Claude tokenizer, 0.84 (0.94, 0.98, 1.09) for o200k; a
block mixes many texts and stays below 1. `python -m benchmarks.budget.ratio` and `.run` print such figures. The
embedding model's own tokenizer counts half; never use it here.
"""

from __future__ import annotations

import re
from itertools import groupby

from ctxkit.token_words import MARKS, WORDS

_PIECE = re.compile(r'[a-z]+|[!-/:-@\[-`{-~]+|[A-Z](?:[a-z]+|[A-Z]*(?![a-z]))|[0-9]+|[^\s -~]')
# White space that costs something: each run but for a last space, which goes with what follows. That space costs too
# before a digit, if a digit, a comma, a bar or white space precedes it.
_BLANK = re.compile(r'\s(?:\s*(?=\s)|(?<! )|(?=[0-9])(?<=[0-9,|\s] ))')
_WORDS = frozenset(WORDS.split())
_LONGEST_WORD = max(map(len, _WORDS))
_MARKS = frozenset(MARKS.split())
_MOST_KEPT = 30_000
_LONGEST_KEPT = 100  # characters; longer texts are data and do not recur
# (upper bound, cost in hundredths of a token): a character beyond ASCII costs what the first bound above it says. The
# costs are what letters of real text cost at least.
_SCRIPTS = (
    *((0x370, 120), (0x400, 140), (0x430, 120), (0x530, 70), (0x590, 220)),  # accents, Greek, Cyrillic, Armenian
    *((0x800, 120), (0x1200, 220), (0x13A0, 310), (0x2E80, 200)),  # Hebrew, Arabic; Indic, Thai; Ethiopic; signs
    *(
        (0xAC00, 130),
        (0xD800, 135),
        (0x10000, 200),
        (0x20000, 320),
        (0x110000, 400),
    ),  # Chinese, Japanese, Korean; forms; emoji; rare
)


def count(text: str) -> int:
    """The number of tokens in `text` by the estimate, rounded up."""
    if len(_costs) > _MOST_KEPT:  # in a long-lived process
        _costs.clear()
    words, blanks = text.split(), _BLANK.findall(text)
    return -(-(sum(map(_costs.__getitem__, words)) + sum(map(_costs.__getitem__, blanks))) // 100)


class _Costs(dict[str, int]):
    """Costs in hundredths of a token of blanks, of the text between them and of its pieces; computed when first met."""

    def __missing__(self, text: str) -> int:
        pieces = _PIECE.findall(text)
        cost = sum(map(self.__getitem__, pieces)) if len(pieces) > 1 else _cost(text)
        if len(text) <= _LONGEST_KEPT:
            self[text] = cost
        return cost


def _cost(piece: str) -> int:
    first, size = piece[0], len(piece)
    if first >= '\x80':
        return next(cost for below, cost in _SCRIPTS if ord(first) < below)
    if first.isalpha():
        return _word(piece.lower(), size, piece.isupper() and size > 1)
    if first.isdigit():
        return max(100 * -(-size // 3), 43 * size)
    if first > ' ':
        if size == 1 or piece in _MARKS:
            return 100
        # `//====//` is three runs; some marks pair up at most, however many follow each other
        return max(66 * _runs(piece) + 5 * size, 0 if first in '-=*#/_.~+' else 50 * size)
    if piece == ' ':  # before a digit in a table
        return 130
    # One token for each indent with the line breaks before it, and one more for every 32 characters.
    return 100 * (max(1, _runs(piece.replace('\r\n', '\n')) - 1) + size // 32)


def _word(word: str, size: int, capitals: bool) -> int:
    if size == 1:
        return 100
    if word in _WORDS:
        return max(100, 25 * size) if capitals else 100
    if capitals:
        return 60 * size
    for cut in range(min(size - 1, _LONGEST_WORD), 3, -1):
        if word[:cut] in _WORDS:
            return 100 + 25 * (size - cut)
        if word[-cut:] in _WORDS:
            return 120 + 30 * (size - cut)
    return max(110 + 25 * size, 55 * size - 300)


def _runs(piece: str) -> int:
    return sum(1 for _ in groupby(piece))


_costs = _Costs(dict.fromkeys(_WORDS, 100))
