"""Read the error message in a request, and measure how much of it a piece of code says in its string literals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST_WORDS = 80
FEWEST = 3  # words that a message has at least
SHORTEST = 2  # words of a literal; a shorter one says nothing
# Patterns are compiled when first used: most requests hold no message, and these take 5 ms.
# Words that head an error, in the languages of consoles.
_HEADS = (
    'error exception warning panic fatal failure fehler erreur ошибка 错误 异常 报错 警告 失败 エラー 例外 失敗'
    ' 오류 예외'
).split()
# `ValueError: what went wrong`, `fatal: …`, `Fehler: …`, `npm ERR! …`, with the lines that follow up to a stack trace;
# or what is in quotes.
_MESSAGE = (
    rf'(?im)^.{{0,200}}?(?:(?:{"|".join(_HEADS)})\w{{0,60}}(?:[^:：\n]|:\d){{0,60}}(?::[ \t]+|：[ \t]*)|\bERR![ \t]+)'
    r'(\S.*(?:\n(?!\s|at |file ).+)*)'
    r'|"([^"\n]{12,})"|“([^”\n]{5,})”|「([^」\n]{5,})」|`([^`\n]{12,})`'
    r"|^.{0,200}:\d+:in [`'].{0,80}?': (.+) \("  # Ruby writes the name of the error after the message
)
_SIGNS = ('"', '“', '「', '`', ':in ', 'err!', *_HEADS)  # a text without any of them holds no message
_AGAIN = r'(?m)^npm ERR!'  # repeated at the start of each line of a message
_WORD = r'[^\W_]+'
_WORD_OR_CHARACTER = '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+'
_LITERAL = r'(?s)"""(.*?)"""|\'\'\'(.*?)\'\'\'|"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`([^`]*)`'
# Text without quotes in a file of translations: `key=text`, `key: text`, `<string name="key">text</string>`.
_VALUE = r'(?m)^[ \t]*["\']?[\w.-]+["\']?[ \t]*[=:][ \t]*([^\s"\'].*)$|>([^<>]{8,})<'
# Gaps in a literal, where a value is inserted: `{name!r}`, `${x}`, `#{x}`, `$x`, `\(x)`, `%s`; or where a line ends.
_GAP = (
    r'[#$%]?\{{1,3}[^{}]*\}{1,3}|\$[^\W\d]\w*|\\\([^()\n]{0,60}\)|%[-+ #0-9.*]*(?:\([^()\n]{0,60}\))?[a-zA-Z]|\\\w|\n'
)


class Said(NamedTuple):
    """How much of a message a piece of code says, as a share of its words, and where the literal that says most is."""

    share: float
    start: int = 0
    end: int = 0


def message(text: str) -> tuple[str, ...]:
    """The words of the error messages and quoted phrases in a text, in lower case; at most MOST_WORDS."""
    lower = text.lower()
    if not any(sign in lower for sign in _SIGNS):
        return ()
    words: list[str] = []
    for found in re.finditer(_MESSAGE, text):
        phrase = re.sub(_AGAIN, '', next(filter(None, found.groups()), ''))
        found_words = _words(phrase)
        if len(phrase.split()) >= FEWEST or _weight([*filter(_is_character, found_words)]) >= FEWEST:
            words += found_words
    return tuple(words[:MOST_WORDS])


def how_much_said(words: tuple[str, ...], code: str, values: bool = False) -> Said:
    """How much of a message (its `words`) the string literals in `code` say; with `values`, unquoted texts as well."""
    text, known = f' {" ".join(words)} ', frozenset(words)
    covered: set[int] = set()
    most, where = 0, (0, 0)
    gap, word = re.compile(_GAP), re.compile(_WORD if ''.join(words).isascii() else _WORD_OR_CHARACTER)
    for found in _literals(code, values):
        own: set[int] = set()
        for part in gap.split(next(filter(None, found.groups()), '')):
            begin = word.search(part)
            if begin is None or begin[0].lower() not in known:  # quickly skips nearly all of a docstring
                continue
            these = word.findall(part.lower())
            at = text.find(f' {" ".join(these)} ')
            if at >= 0 and _says_something(part, these):
                first = text.count(' ', 0, at)
                own.update(range(first, first + len(these)))
        covered |= own
        if len(own) > most:
            most, where = len(own), found.span(found.lastindex or 0)
    return Said(len(covered) / len(words), *where)


def _literals(code: str, values: bool) -> Iterator[re.Match[str]]:
    yield from re.finditer(_LITERAL, code)
    if values:
        yield from re.finditer(_VALUE, code)


def _words(text: str) -> list[str]:
    """The words of a text in lower case; in languages without spaces, each character is one."""
    return re.findall(_WORD if text.isascii() else _WORD_OR_CHARACTER, text.lower())


def _says_something(part: str, words: list[str]) -> bool:
    """Whether a part of a literal is more than a name (`Content-Type`, `app/utils`)."""
    return _weight(words) >= SHORTEST and (' ' in part.strip() or any(map(_is_character, words)))


def _weight(words: Sequence[str]) -> float:
    """How many words these are; a character of a language without spaces counts as half a word."""
    return sum(0.5 if _is_character(word) else 1 for word in words)


def _is_character(word: str) -> bool:
    return len(word) == 1 and word >= '\u3040'
