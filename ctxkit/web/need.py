"""Whether a request needs the web, decided by the table of rules `need.rules`; no model is asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ctxkit.rules import Rule, table
from ctxkit.sessions.words import language

RULES = Path(__file__).with_name('need.rules')
MAX_READ = 2000  # characters read of a request
# Tried in this order; the first rule that matches decides.
VERDICTS = (('asked', True), ('no', False), ('yes', True), ('static', False), ('outside', True))
# The meaning of a capital letter differs by language, so these verdicts are tried only in the request's own (and
# `static` in English too).
OWN_LANGUAGE = ('static', 'outside')


class Need(NamedTuple):
    """The answer, and the rule that gave it (`version (en): release notes`)."""

    needed: bool
    reason: str


def needs_web_search(prompt: str) -> Need:
    """Whether the prompt needs what only the web can know: the present, versions, comparisons, news.

    Images, local code and the conversation itself do not need it; nor does a request that matches no rule.
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
