"""Whether a request needs the web. The rules are a table, `need.rules`; nothing is asked of a model."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ctxkit.rules import first, table

RULES = Path(__file__).with_name('need.rules')
# In this order; the first rule that is found decides.
VERDICTS = (('asked', True), ('no', False), ('yes', True), ('static', False), ('outside', True))
MAX_READ = 4000  # characters of a request that are looked at


class Need(NamedTuple):
    """The answer, and the rule that gave it (`version (en): release notes`)."""

    needed: bool
    reason: str


def needs_web_search(prompt: str) -> Need:
    """Whether the prompt needs what only the web can know: now, versions, comparisons, news.

    Images, local code and the conversation itself do not; a request that fits no rule does not either.
    """
    text = ' '.join(prompt.replace('’', "'").split())[:MAX_READ]
    rules = table(RULES)
    for verdict, needed in VERDICTS:
        rule = first(rules, verdict, text)
        if rule is not None:
            found = rule.pattern.search(text)
            said = f': {found[0].strip()[:60]}' if found else ''
            return Need(needed, f'{rule.reason} ({rule.language}){said}')
    return Need(False, 'nothing in it changes with time')
