"""What a request says of how to work: add a test, update the changelog, no new dependencies, run the linter.

Nearly each prompt that people type to an agent has such sentences, and none of them names the code that is looked for:
read like the rest, they led to tests, documentation and build files.
"""

from __future__ import annotations

import re

MOST_WORDS = 40  # of such a sentence; a longer one says more than that
LEAST_WORDS = 5  # that must be left
# What is kept up beside the code, and what looks at it.
_KEPT_UP = (
    r'(?:tests?|test[ -]cases?|specs?|suite|changelog|changes\.md|history(?:\.md)?|news|newsfragments?|release notes?'
    r'|docs?|documentation|docstrings?|readme(?:\.md)?|godoc|javadoc|kdoc|rustdoc|benchmarks?|ci'
    r'|linter|lint|clippy|fmt|rubocop|ruff|mypy|flake8|pyright|tox|pytest|eslint|prettier|xo|spotless|gofumpt)\b'
)
_SPARED = (
    r'(?:dependenc(?:y|ies)|packages?|apis?|types?|changes?|updates?|bumps?|refactor\w*|clean-?ups?|compat\w*|entry)\b'
)
_POLITE = (
    r'(?:please|pls|plz|and|also|then|finally|oh|btw|but|so|ok|okay|just|now|of course|ideally|preferably|first|lastly'
    r"|afterwards|(?:can|could|would) (?:you|u)|i(?:'d| would)? (?:also )?(?:like|love|want|expect|be glad about)"
    r'|we (?:need|want|expect)|you (?:should|must|can|may|need to|have to)|there (?:should|must) be'
    r"|it would be (?:good|nice|great) to have|make sure|ensure|remember to|(?:don't|dont|do not) forget to|be sure to"
    r'|that|to|you|some|a|an|the|lots of)\b[\s,:]*'
)
_BEGIN = rf'(?i)\W*(?:{_POLITE})*'
_FEW = r'(?:[\w.`/-]+\s+){0,%d}?[`\w./-]*?\b'  # words between
_VERB = '(?:add|write|include|extend|adapt|update|run|keep|check|document|mention|put|skip|leave|fix)'
_TO_DO = rf'{_VERB}\s+{_FEW % 4}{_KEPT_UP}'
_TO_LEAVE = (
    r'(?:no|without|avoid)\s+(?:(?:new|other|more|any|public|breaking|further|third[ -]party|unrelated|extra|additional'
    rf'|drive-by|api|types?|docs?|code|tests?|behaviou?r|runtime)\s+){{0,3}}(?:{_KEPT_UP}|{_SPARED})'
    r"|(?:don't|dont|do not|never)\s+(?:(?:touch|refactor|reformat|restructure|bump|bother|break)\b"
    rf'|(?:change|add|introduce|update|edit|modify|rename)\s+{_FEW % 4}(?:{_KEPT_UP}|{_SPARED}))'
)
_MANNERS = (
    r'(?:small|minimal|tiny)\s+(?:diff|change|commit|pr)\b'
    r'|keep\s+.{0,40}?\b(?:diff|small|minimal|simple|tidy|style|compat\w*)\b'
    r'|(?:stick|follow)\b.{0,60}?\b(?:style|conventions?|guide\w*|rules|contributing|editorconfig)\b'
    r'|.{0,40}?\b(?:conventional commits?|sign[ -]?off|(?:one|single|separate) commits?)\b|think\s+(?:hard|first)\b'
    r'|(?:explain|describe|tell|show|open|raise|mention|put)\b'
    r'.{0,60}?\b(?:plan|reasoning|root cause|before you|commit message|prs?|pull requests?)\b'
)
_IN_ORDER = (
    r'(?i).*\b(?:must|ha(?:s|ve) to|needs? to|should) (?:\w+ )?(?:pass|be (?:clean|green|happy)|stay|still be)\b'
)
_FENCED = r'(?s)(```.*?(?:```|\Z))'
_SENTENCES = r'((?<=[.!?:])\s+|\n+|;\s+)'


def without_chores(text: str) -> str:
    """A text without the sentences that say how to work. What is hardly more than such comes back as it is."""
    if not re.search(_SENTENCES, text):
        return text
    kept: list[str] = []
    for part in re.split(_FENCED, text):
        pieces = [part] if part.startswith('```') else re.split(_SENTENCES, part)
        for sentence, ending in zip(pieces[::2], [*pieces[1::2], ''], strict=True):
            if not is_chore(sentence, first=not kept):
                kept.append(sentence)
            kept.append(ending)
    said = ''.join(kept)
    return said if len(re.findall(r'\w+', said)) >= LEAST_WORDS else text


def is_chore(sentence: str, first: bool = False) -> bool:
    """Whether a sentence says how to work. The `first` of a request is what it is about if it begins with tests."""
    if sentence.startswith('```') or len(re.findall(r'\w+', sentence)) > MOST_WORDS:
        return False
    if re.match(f'{_BEGIN}(?:{_TO_DO}|{_TO_LEAVE}|{_MANNERS})', sentence):
        return True
    if not first and re.match(f'{_BEGIN}{_FEW % 1}{_KEPT_UP}', sentence):
        return True
    return re.search(rf'(?i)\b{_KEPT_UP}', sentence) is not None and re.match(_IN_ORDER, sentence) is not None
