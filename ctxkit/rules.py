"""Tables of patterns kept as data: one rule a line, so that a reader sees all of them and a change is one line.

    verdict  language  reason  pattern          (the pattern is the rest of the line; `#` begins a comment line)
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Rule(NamedTuple):
    """A line of the table; the pattern is searched for without regard to case."""

    verdict: str
    language: str
    reason: str
    pattern: re.Pattern[str]


@lru_cache(maxsize=8)
def table(file: Path) -> tuple[Rule, ...]:
    """The rules of a table that comes with ctxkit, in the order of its lines."""
    rules = []
    for line in file.read_text(encoding='utf-8').splitlines():
        if line.strip() and not line.startswith('#'):
            verdict, language, reason, pattern = line.split(None, 3)
            rules.append(Rule(verdict, language, reason, re.compile(pattern, re.IGNORECASE)))
    return tuple(rules)
