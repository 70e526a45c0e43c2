"""Translate programmers' terms from Italian, German, Spanish, French, Russian and Chinese to English for the model.

Code is written in English almost everywhere, so a request in another language shares no word with it. A small table of
stems (`terms.tsv`) translates the usual words of such requests; names and English words are left as they are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

WORD = re.compile(r'[^\W\d_]+', re.UNICODE)
RUN = re.compile(r'\w+')
CHINESE = '[\u4e00-\u9fff]+'  # compiling takes a millisecond, so it is done only for such a request
# Words that mark the language. The table is used for Latin letters only if there are two of these, or a letter that
# English does not have; so English requests are never touched. One is enough if it means nothing in English; two that
# have an English meaning are enough if no English word is among them and the table changes a word.
FOREIGN = frozenset(
    'il lo la gli le un una di del della delle dei da dal che per con non come dove quando viene sono nel nella '
    'der die das den dem ein eine einer einen und nicht mit von vom für fuer zum zur wie wird werden wenn beim aus auf '
    'el los las una uno del al que para por con como donde cuando se es en '
    'les des du une et est dans pour avec sur qui quand où ne pas au aux d l'.split()
)

CLEAR = FOREIGN - frozenset('come con per die se es al d l mit non'.split())  # only those without a meaning in English
ENGLISH = frozenset('the of to is are and for with from how what where when which this that if not by it be'.split())
SMALL = frozenset('in im am zu de en ein a e o y i из в на с и для как при не по от до за'.split())
NOISE = FOREIGN | SMALL
LONGEST = 40  # letters of a word; no stem of the table is half as long


@lru_cache(maxsize=2)  # ranking, choosing lines and the model translate the same request
def translate(query: str, keep: bool = True) -> str:
    """The request, followed by the English words for its foreign terms; an English request is returned unchanged.

    Without `keep`, translated words and the small words of other languages are left out, because they are noise for a
    model.
    """
    said = [word.lower() for word in RUN.findall(query)]
    marks = [word for word in said if word in FOREIGN]
    foreign = not query.isascii() and any(letter.isalpha() and not letter.isascii() for letter in query)
    clear = CLEAR.intersection(marks)
    sure = foreign or len(clear) > 1
    if not sure and (len(marks) + len(clear) < 2 or not ENGLISH.isdisjoint(said)):
        return query
    words: list[str] = []
    found: list[str] = []
    for word in WORD.findall(query):
        english = _chinese(word) if re.search(CHINESE, word) else _stem(_plain(word))
        found += english
        if not english and word.lower() not in NOISE:
            words.append(word)
    if not found or (not sure and set(' '.join(found).split()) <= set(said)):
        return query
    return ' '.join([*([query] if keep else words), *dict.fromkeys(' '.join(found).split())])


def is_foreign(text: str) -> bool:
    """Whether a text may be in another language than English, judged by a single mark."""
    return not text.isascii() or any(word.lower() in CLEAR for word in RUN.findall(text))


def _stem(plain: str) -> list[str]:
    """The English of a word, by its longest prefix that is a known stem and at least half of it; [] for none."""
    exact, stems, _ = _table()
    if plain in exact:
        return [exact[plain]]
    if len(plain) > LONGEST:
        return []
    for form in (plain, plain.removeprefix('ge')):  # German participles: geprüft, gespeichert
        for size in range(len(form), max(2, len(form) // 2 - 1), -1):
            if form[:size] in stems:
                return [stems[form[:size]]]
    return []


def _chinese(text: str) -> list[str]:
    """The English of the terms in a run of Chinese; at each character the longest term is taken."""
    known = _table()[2]
    out: list[str] = []
    at = 0
    while at < len(text):
        size = next((n for n in (4, 3, 2, 1) if text[at : at + n] in known), 0)
        if size:
            out.append(known[text[at : at + size]])
        at += size or 1
    return out


def _plain(word: str) -> str:
    """`word` in lower case without accents."""
    parts = unicodedata.normalize('NFD', word.lower().replace('ß', 'ss'))
    return ''.join(c for c in parts if not unicodedata.combining(c))


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Whole words, stems, and Chinese words, each mapped to English."""
    exact: dict[str, str] = {}
    stems: dict[str, str] = {}
    chinese: dict[str, str] = {}
    for line in Path(__file__).with_name('terms.tsv').read_text('utf-8').splitlines():
        if line.startswith('#') or not line.strip():
            continue
        english, *columns = line.split('\t')
        for stem in ','.join(columns).split(','):
            table = chinese if re.match(CHINESE, stem) else exact if stem.startswith('=') else stems
            key = _plain(stem.lstrip('='))
            if key:
                table[key] = f'{table[key]} {english}' if key in table else english
    return exact, stems, chinese
