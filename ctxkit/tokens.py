"""The default token counter: an upper estimate of what an agent's tokenizer gives, with no vocabulary to load.

Real count over this estimate, on 274 files in ten languages: 0.84 on average (p95 0.95, max 1.03) for a published
Claude tokenizer, 0.73 (0.86, 1.05) for o200k. The embedding model's own tokenizer counts half; never use it here.
"""

from __future__ import annotations

import math
import re

# ASCII letters in pieces of 4, digits of 3, `_`, other marks in runs of 2, a line break with its indent: one each.
_ASCII = re.compile(r'[A-Za-z]{1,4}|[0-9]{1,3}|_|[!-/:-@\[-^`{-~]{1,2}|\n[ \t]*')
_WIDE = '[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]'
_GREEK_CYRILLIC = '[\u0370-\u052f]'
_OTHER = r'[^\x00-\x7f]'


def count(text: str) -> int:
    """The number of tokens that `text` is counted as, rounded up."""
    total = float(len(_ASCII.findall(text)))
    if not text.isascii():  # `re` keeps these compiled; most texts never need them
        wide, letters = len(re.findall(_WIDE, text)), len(re.findall(_GREEK_CYRILLIC, text))
        total += 1.3 * wide + 0.6 * letters + (len(re.findall(_OTHER, text)) - wide - letters)
    return math.ceil(total)
