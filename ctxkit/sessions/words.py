"""What two texts have in common by name: identifiers, paths, numbers and words, in any of seven languages."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

# A path, a file name, a call, snake_case, camelCase, capitals with a digit, a version: names that are used on purpose.
# Each run of letters is tried only from its beginning, or a run of 20,000 would take ten seconds.
_STRONG = re.compile(
    r'https?://[^\s<>"\')\]]+|(?<![\w./-])[\w.-]*/[\w./-]*\w|(?<!\w)(?:\w+\.[A-Za-z]{1,5}\b(?!\.)|\w+(?:_\w+)+)'
    r'|(?<![a-z])[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|(?<!\w)\w+(?=\(\))|`[^`\n]{2,60}`'
    r'|(?<![A-Z])[A-Z]+-?[0-9]+\b|(?<![0-9])[0-9]+(?:[.,:][0-9]+)+'
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CJK = re.compile('[\u3400-\u9fff\uf900-\ufaff]+')
COMMON_FILE = Path(__file__).with_name('common_words.txt')
_COMMON_CJK = frozenset('的了吗呢是在有和我你他她它给把一个这那什么怎么多少能看下帮写请吧也都还再点')


_NUMBER = re.compile(r'(?<![\w.])[#v$€£]?\d(?:[\d.,:]*\d)?(?:%|\s?(?:ms|s|min|h|[KMGT]i?B|px|€|\$))?(?!\w)')


def strong(text: str) -> frozenset[str]:
    """The names in `text` that are used on purpose, in lower case: paths, identifiers, calls, versions."""
    return frozenset(found.strip('`').lower() for found in _STRONG.findall(text))


def named(text: str) -> list[str]:
    """The names in `text` as written, in order, each once: paths, identifiers, calls, numbers."""
    spans = [
        (found.start(), found.end(), found[0].strip('`'))
        for pattern in (_STRONG, _NUMBER)
        for found in pattern.finditer(text)
    ]
    out: dict[str, None] = {}
    end = 0
    for start, stop, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end and name:
            out[name] = None
            end = stop
    return list(out)


@lru_cache(maxsize=1)
def common_by_language() -> dict[str, frozenset[str]]:
    """Language -> words that many requests share whatever they are about: function words and verbs of requests."""
    out: dict[str, set[str]] = {}
    for line in COMMON_FILE.read_text(encoding='utf-8').splitlines():
        if not line.startswith('#'):
            language, _, words = line.partition(':')
            out.setdefault(language, set()).update(words.split())
    return {language: frozenset(words) for language, words in out.items()}


@lru_cache(maxsize=1)
def common() -> frozenset[str]:
    """The common words of all languages."""
    return frozenset().union(*common_by_language().values())


def language(text: str) -> str:
    """The language of `text` by script and function words: en (also if nothing tells), it, ru, zh, de, es or fr."""
    if _CJK.search(text):
        return 'zh'
    if re.search('[\u0400-\u04ff]', text):
        return 'ru'
    words = re.findall(r'[^\W\d_]+', text.lower())
    hits = {name: sum(word in known for word in words) for name, known in common_by_language().items()}
    return max(hits, key=lambda name: (hits[name], name == 'en'))


def content(text: str) -> frozenset[str]:
    """The stems of the content words in `text`; pairs of characters for Chinese and Japanese."""
    stems = {
        stem(word)
        for word in map(str.lower, _WORD.findall(_CJK.sub(' ', text)))
        if word not in common() and len(word) > 2
    }
    for run in _CJK.findall(text):
        run = ''.join(' ' if char in _COMMON_CJK else char for char in run)
        for piece in run.split():
            stems.update(piece[start : start + 2] for start in range(max(1, len(piece) - 1)))
    return frozenset(stems)


def stem(word: str) -> str:
    """A crude stem that works the same for all languages: the ending is cut off."""
    word = word.split("'")[0].split('’')[0] if word.endswith(("'s", '’s')) else re.split("['’]", word)[-1]
    if not word.isascii() or len(word) > 7:
        return word[: max(4, len(word) - 3)][:7]
    for ending in ('ings', 'ing', 'ies', 'es', 'ed', 's', 'e', 'y'):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
