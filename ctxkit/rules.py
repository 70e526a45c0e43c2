"""Tables of patterns kept as data: one rule a line, so that a reader sees all of them and a change is one line.

verdict  language  reason  pattern          (the pattern is the rest of the line; `#` begins a comment line)
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Rule(NamedTuple):
    """A line of the table."""

    verdict: str
    language: str
    reason: str
    pattern: str

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match of the pattern, ignoring case; the pattern is compiled when first needed."""
        return re.compile(self.pattern, re.IGNORECASE).search(text)


@lru_cache(maxsize=8)
def table(file: Path) -> tuple[Rule, ...]:
    """The rules of a table that comes with ctxkit, in the order of its lines."""
    rules = []
    for line in file.read_text(encoding='utf-8').splitlines():
        if line.strip() and not line.startswith('#'):
            verdict, language, reason, pattern = line.split(None, 3)
            rules.append(Rule(verdict, language, reason, pattern))
    return tuple(rules)
