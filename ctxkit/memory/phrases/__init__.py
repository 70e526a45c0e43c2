"""The phrases with which people decide, rule, aim, correct and ask, one file a language.

A file holds `key: pattern` lines; several lines of a key are alternatives. Keys:
`marks` words that identify the language (separated by blanks); `filler` is stripped from the start; `correction` a
start that corrects; `reject` one-off, hypothetical or reported speech; `goal` `decision` `convention` `question` the
kinds; `pick` an option with groups `new` and `old`; `negative` a rule against something; `withdraw` taking something
back; `about` what is taken back, with a group `topic`; `assent` a whole message that agrees; `agent` what an agent's
sentence needs to be worth an inbox entry.
In patterns `~` is an option of up to five words, matched as short as possible.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

LANGUAGES = ('en', 'it', 'ru', 'zh', 'de', 'es', 'fr')
KEYS = (
    'filler',
    'correction',
    'reject',
    'goal',
    'decision',
    'convention',
    'question',
    'pick',
    'negative',
    'withdraw',
    'about',
    'assent',
    'agent',
)
_OPTION = r"(?:[\w`\"'«“@#./+-]+(?:[ \t]+[\w`\"'»”@#./+-]+){0,4}?)"
_OPTION_CJK = r'(?:[^，。；！？,.;!?\s]{1,16}?)'
_LETTERS = re.compile(r'[a-zà-öø-ÿ]+')


class Options(NamedTuple):
    """The option that a sentence picks, the one that it replaces, and whether it rules something out."""

    chosen: str
    instead_of: str
    negative: bool


@dataclass(frozen=True)
class Phrases:
    """The compiled patterns of one language."""

    language: str
    marks: frozenset[str]
    patterns: dict[str, re.Pattern[str]]
    picks: tuple[re.Pattern[str], ...]

    def has(self, key: str, text: str) -> re.Match[str] | None:
        """The first match of a key's patterns in `text`."""
        return self.patterns[key].search(text)


@functools.cache
def phrases(language: str) -> Phrases:
    """The phrases of a `language` from LANGUAGES."""
    lines: dict[str, list[str]] = {key: [] for key in (*KEYS, 'marks')}
    for line in Path(__file__).with_name(f'{language}.txt').read_text('utf-8').splitlines():
        key, _, pattern = line.partition(':')
        if pattern and not line.startswith('#'):
            lines[key.strip()].append(pattern.strip())
    wide = language == 'zh'
    option = _OPTION_CJK if wide else _OPTION
    compiled = {}
    for key in KEYS:
        if key != 'pick':
            start = r'\A\s*' if key in ('filler', 'correction', 'assent') else ''
            body = '|'.join(f'(?:{pattern})' for pattern in lines[key]) or r'(?!)'
            compiled[key] = re.compile(f'{start}(?:{body})', re.IGNORECASE)
    picks = tuple(re.compile(pattern.replace('~', option), re.IGNORECASE) for pattern in lines['pick'])
    return Phrases(language, frozenset(' '.join(lines['marks']).split()), compiled, picks)


def languages(text: str) -> list[str]:
    """The languages that `text` may be in, likeliest first; English is also tried for unknown Latin script."""
    if re.search('[\u3400-\u9fff]', text):
        return ['zh', 'en'] if re.search('[A-Za-z]{4,} [A-Za-z]{3,} [A-Za-z]{2,}', text) else ['zh']
    if re.search('[а-яё]{2,}', text, re.IGNORECASE):
        return ['ru']
    words = set(_LETTERS.findall(text.casefold()))
    scores = {name: len(words & phrases(name).marks) for name in ('en', 'it', 'de', 'es', 'fr')}
    best = max(scores.values())
    near = [name for name, score in scores.items() if score >= max(best - 1, 0)]
    return sorted(near, key=lambda name: -scores[name])


def options(text: str) -> Options:
    """What `text` picks and rules out, by the phrases of its languages."""
    for language in languages(text):
        known = phrases(language)
        for pattern in known.picks:
            match = pattern.search(text)
            if match:
                groups = match.groupdict()
                new, old = _trim(groups.get('new')), _trim(groups.get('old'))
                return Options(new, old, not new)
        if known.has('negative', text):
            return Options('', '', True)
    return Options('', '', False)


def _trim(option: str | None) -> str:
    text = (option or '').strip(' `"\'«»“”.,')
    return re.sub(
        r'\A(?:the|a|an|our|il|lo|la|i|gli|le|un|una|der|die|das|den|dem|el|los|las|le|les|l\'|du|des) ',
        '',
        text,
        flags=re.IGNORECASE,
    )
