"""The default token counter: an upper estimate of what an agent's tokenizer gives, with no vocabulary to load.

Real count over this estimate, on 274 files in ten languages: 0.84 on average (p95 0.95, max 1.03) for a published
Claude tokenizer, 0.73 (0.86, 1.05) for o200k. The embedding model's own tokenizer counts half; never use it here.
"""

from __future__ import annotations

import math
import re
from collections import Counter

# ASCII letters in pieces of 4, digits of 3, `_`, other marks in runs of 2, a line break with its indent: one each.
_ASCII = re.compile(r'[A-Za-z]{1,4}|[0-9]{1,3}|_|[!-/:-@\[-^`{-~]{1,2}|\n[ \t]*')
_OTHER = re.compile(r'[^\x00-\x7f]')
# Told by number, since a pattern of such ranges takes milliseconds to compile.
_WIDE = (
    *(range(0x1100, 0x1200), range(0x2E80, 0xA000), range(0xA960, 0xA980), range(0xAC00, 0xD800)),
    *(range(0xF900, 0xFB00), range(0xFF00, 0xFFF0), range(0x20000, 0x40000)),
)
_GREEK_CYRILLIC = range(0x370, 0x530)


def count(text: str) -> int:
    """The number of tokens that `text` is counted as, rounded up."""
    total = float(len(_ASCII.findall(text)))
    if not text.isascii():
        wide = letters = others = 0
        for char, number in Counter(_OTHER.findall(text)).items():
            code = ord(char)
            if code in _GREEK_CYRILLIC:
                letters += number
            elif any(code in part for part in _WIDE):
                wide += number
            else:
                others += number
        total += 1.3 * wide + 0.6 * letters + others
    return math.ceil(total)
