"""The phrases by which people decide, rule, aim, correct and ask, one file a language.

A file holds `key: pattern` lines; several lines of a key are alternatives. Keys:
`marks` words that tell the language (blank-separated); `filler` stripped from the start; `correction` a start that
corrects; `reject` one-off, hypothetical or reported speech; `goal` `decision` `convention` `question` the kinds;
`pick` an option with groups `new` and `old`; `negative` a rule against something; `withdraw` taking something back;
`about` what that speaks of, with a group `topic`;
`assent` a whole message that agrees; `agent` what an agent's sentence needs to be worth an inbox entry.
In patterns `~` is an option of up to five words, taken as short as possible.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
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
    """What a sentence picks, what that replaces, and whether it rules something out."""

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
        """The first match of a key's patterns in the text."""
        return self.patterns[key].search(text)


@functools.cache
def phrases(language: str) -> Phrases:
    """The phrases of one of LANGUAGES."""
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
    """The languages that a text may be in, likeliest first; English stands in for unknown Latin script."""
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
    """What the text picks and rules out, by the phrases of its languages."""
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


def sentences(text: str) -> Iterator[str]:
    """The sentences a person wrote themselves: code, quotations, pasted output and documents are left out.

    People type a few lines; what is longer is mostly pasted (a specification, a log, another model's plan). Of such a
    message only a short first and a short last paragraph are taken as the person's.
    """
    fenced, carried = False, ''
    for line in _own_lines(text):
        stripped = line.strip()
        if stripped.startswith(('```', '~~~')):
            fenced = not fenced
        elif not fenced and stripped and not line.startswith(('    ', '\t')) and not _NOT_PROSE.match(stripped):
            line = _BULLET.sub('', stripped)
            for part in _SPLIT.split(line):
                part = carried + part.strip()
                carried = ''
                if _ABRUPT.fullmatch(part):
                    carried = part.rstrip('.!。！ ') + ', '  # "No." corrects with the sentence that follows
                elif len(part) > 5 or re.search('[\u3400-\u9fff]{4}', part):
                    yield part


def _own_lines(text: str) -> list[str]:
    text = _FENCED.sub('\n', text)
    lines = text.split('\n')
    full = [line for line in lines if line.strip()]
    document = sum(bool(_DOCUMENT.match(line)) for line in full)
    if len(text) <= MAX_TYPED_CHARS and len(full) <= MAX_TYPED_LINES and document < 2:
        return lines
    paragraphs = [part for part in re.split(r'\n\s*\n', text.strip()) if part.strip()]
    ends = paragraphs[:1] + (paragraphs[-1:] if len(paragraphs) > 1 else [])
    out: list[str] = []
    for part in ends:
        rows = part.split('\n')
        if (
            len(part) <= MAX_PARAGRAPH_CHARS
            and len(rows) <= 3
            and not any(_DOCUMENT.match(row) or _BULLET.match(row) or row.rstrip().endswith(':') for row in rows)
        ):
            out += [*rows, '']
    return out


MAX_TYPED_CHARS = 1200
MAX_TYPED_LINES = 12
MAX_PARAGRAPH_CHARS = 400
_FENCED = re.compile(r'^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)', re.MULTILINE | re.DOTALL)
_BULLET = re.compile(r'\A\s*(?:[-*•]|\d{1,2}[.)])\s+')
# Headings, checkboxes, tables, bold labels: a document, not a message.
_DOCUMENT = re.compile(
    r'\s*(?:#{1,6} ?\S|[-*] \[[ xX]\]|\[[ xX]\]|\|.*\||\*\*[^*]+\*\*|={3,}|-{3,}|<[a-z]+|diff --git|@@ |\+\+\+ |--- )'
)
_NOT_PROSE = re.compile(
    r'[>|$<{}#]|\*\*|={3,}|\[[ xX]\]|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|Traceback)\b|at \S+\(|File "|'
    r'\d{4}-\d\d-\d\d[T ]\d\d:|\S+ = |(?:import|from|def|class|const|let|var|if|for|return) \S+.*[;:({]$'
)
_SPLIT = re.compile(r'(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!z\.B\.)\s+|(?<=[。！？])')
_ABRUPT = re.compile(
    r'(?:no|nope|wrong|stop|sbagliato|fermo|нет|неверно|неправильно|стоп|nein|falsch|stopp|halt|mal|incorrecto|non'
    r'|faux|不对|不|错了)[.!。！]+',
    re.IGNORECASE,
)
