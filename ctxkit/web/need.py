"""Whether a request needs the web. The rules are a table, `need.rules`; nothing is asked of a model."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ctxkit.rules import Rule, table
from ctxkit.sessions.words import language

RULES = Path(__file__).with_name('need.rules')
MAX_READ = 2000  # characters of a request that are looked at
# In this order; the first rule that is found decides.
VERDICTS = (('asked', True), ('no', False), ('yes', True), ('static', False), ('outside', True))
# What a capital letter says differs by language, so the last two are tried in the request's own.
OWN_LANGUAGE = ('static', 'outside')


class Need(NamedTuple):
    """The answer, and the rule that gave it (`version (en): release notes`)."""

    needed: bool
    reason: str


def needs_web_search(prompt: str) -> Need:
    """Whether the prompt needs what only the web can know: now, versions, comparisons, news.

    Images, local code and the conversation itself do not; a request that fits no rule does not either.
    """
    text = ' '.join(prompt.replace('’', "'").split())[:MAX_READ]
    spoken = language(text)
    rules = [
        rule
        for rule in table(RULES)
        if rule.verdict not in OWN_LANGUAGE
        or rule.language in (spoken, 'en')
        and (rule.verdict == 'static' or rule.language == spoken)
    ]
    for verdict, needed in VERDICTS:
        for rule in rules:
            found = rule.search(text) if rule.verdict == verdict else None
            if found:
                return Need(needed, _reason(rule, found[0]))
    return Need(False, 'nothing in it changes with time')


def _reason(rule: Rule, found: str) -> str:
    return f'{rule.reason} ({rule.language}): {found.strip()[:60]}'
