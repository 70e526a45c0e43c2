"""An error message in a request, and how much of it a piece of code says word for word in its string literals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_WORDS = 80
FEWEST = 3  # words of a message
SHORTEST = 2  # words of a literal that say something
# `ValueError: what went wrong`, `fatal: …`, `Fehler: …`, `npm ERR! …`, with the lines that follow until those of a
# trace; or what is in quotes.
_MESSAGE = re.compile(
    r'(?im)^.{0,200}?(?:(?:error|exception|warning|panic|fatal|failure|fehler|erreur|ошибка|错误|异常|报错|警告|失败'
    r'|エラー|例外|失敗|오류|예외)\w{0,60}[^:：\n]{0,60}(?::[ \t]+|：[ \t]*)|\bERR![ \t]+)'
    r'(\S.*(?:\n(?!\s|at |file ).+)*)'
    r'|"([^"\n]{12,})"|“([^”\n]{5,})”|「([^」\n]{5,})」'
)
_AGAIN = re.compile(r'(?m)^npm ERR!')  # begins each line of a message
# A language without spaces is read by the character: two in a row, said by a literal, say no more than half a word.
_WORD = re.compile('[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+')
_LITERAL = re.compile(
    r'"""(.*?)"""|\'\'\'(.*?)\'\'\'|"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`([^`]*)`', re.DOTALL
)
# What a file of translations says without quotes: `key=text`, `key: text`, `<string name="key">text</string>`.
_VALUE = re.compile(r'(?m)^[ \t]*["\']?[\w.-]+["\']?[ \t]*[=:][ \t]*([^\s"\'].*)$|>([^<>]{8,})<')
# Where a value is put in: `{name!r}`, `${x}`, `#{x}`, `$x`, `\(x)`, `%s`; and where a line ends.
_GAP = re.compile(
    r'[#$%]?\{+[^{}]*\}+|\$[^\W\d]\w*|\\\([^()\n]{0,60}\)|%[-+ #0-9.*]*(?:\([^()\n]{0,60}\))?[a-zA-Z]|\\\w|\n'
)


class Said(NamedTuple):
    """What a piece of code says of a message: the share of its words, and where: the literal that says most."""

    share: float
    start: int = 0
    end: int = 0


def message(text: str) -> tuple[str, ...]:
    """The words of the error messages and quoted phrases in a text, in lower case; () where there are none."""
    words: list[str] = []
    for found in _MESSAGE.finditer(text):
        said = _AGAIN.sub('', next(filter(None, found.groups()), ''))
        these = _WORD.findall(said.lower())
        if len(said.split()) >= FEWEST or _weight(list(filter(_by_character, these))) >= FEWEST:
            words += these
    return tuple(words[:MOST_WORDS])


def share(words: tuple[str, ...], code: str) -> float:
    """How much of a message the string literals in `code` say: the share of its words that they cover, 0 to 1."""
    return said(words, code).share


def said(words: tuple[str, ...], code: str, values: bool = False) -> Said:
    """What the string literals in `code` say of a message; with `values`, texts without quotes as well."""
    text, known = f' {" ".join(words)} ', frozenset(words)
    covered: set[int] = set()
    most, where = 0, (0, 0)
    for found in _literals(code, values):
        own: set[int] = set()
        for part in _GAP.split(next(filter(None, found.groups()), '')):
            begin = _WORD.search(part)
            if begin is None or begin[0].lower() not in known:  # nearly all of a documentation
                continue
            these = _WORD.findall(part.lower())
            at = text.find(f' {" ".join(these)} ')
            if at >= 0 and _says_something(part, these):
                first = text.count(' ', 0, at)
                own.update(range(first, first + len(these)))
        covered |= own
        if len(own) > most:
            most, where = len(own), found.span(found.lastindex or 0)
    return Said(len(covered) / len(words), *where)


def _literals(code: str, values: bool) -> Iterator[re.Match[str]]:
    yield from _LITERAL.finditer(code)
    if values:
        yield from _VALUE.finditer(code)


def _says_something(part: str, words: list[str]) -> bool:
    """Whether it is more than a name (`Content-Type`, `app/utils`)."""
    return _weight(words) >= SHORTEST and (' ' in part.strip() or any(map(_by_character, words)))


def _weight(words: list[str]) -> float:
    """How many words it is; a character of a language without spaces is half of one."""
    return sum(0.5 if _by_character(word) else 1 for word in words)


def _by_character(word: str) -> bool:
    return len(word) == 1 and word >= '\u3040'
