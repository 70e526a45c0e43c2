"""An error message in a request, and how much of it a piece of code says word for word in its string literals."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_WORDS = 80
FEWEST = 3  # words of a message
SHORTEST = 2  # words of a literal that say something
# `ValueError: what went wrong`, `fatal: …`, `Fehler: …`, `npm ERR! …`, with the lines that follow until those of a
# trace; or what is in quotes.
_MESSAGE = re.compile(
    r'(?im)^.{0,200}?(?:(?:error|exception|warning|panic|fatal|failure|fehler|erreur|ошибка|错误)\w{0,60}[^:：\n]{0,60}'
    r'(?::[ \t]+|：[ \t]*)|\bERR![ \t]+)'
    r'(\S.*(?:\n(?!\s|at |file ).+)*)'
    r'|"([^"\n]{12,})"|“([^”\n]{12,})”'
)
_AGAIN = re.compile(r'(?m)^npm ERR!')  # begins each line of a message
_WORD = re.compile('[^\\W_]+')
_LITERAL = re.compile(
    r'"""(.*?)"""|\'\'\'(.*?)\'\'\'|"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`([^`]*)`', re.DOTALL
)
# Where a value is put in: `{name!r}`, `${x}`, `#{x}`, `$x`, `\(x)`, `%s`; and where a line ends.
_GAP = re.compile(
    r'[#$]?\{[^{}]*\}|\$[^\W\d]\w*|\\\([^()\n]{0,60}\)|%[-+ #0-9.*]*(?:\([^()\n]{0,60}\))?[a-zA-Z]|\\\w|\n'
)


def message(text: str) -> tuple[str, ...]:
    """The words of the error messages and quoted phrases in a text, in lower case; () where there are none."""
    words: list[str] = []
    for found in _MESSAGE.finditer(text):
        said = _AGAIN.sub('', next(filter(None, found.groups()), ''))
        if len(said.split()) >= FEWEST:
            words += _WORD.findall(said.lower())
    return tuple(words[:MOST_WORDS])


def share(words: tuple[str, ...], code: str) -> float:
    """How much of a message the string literals in `code` say: the share of its words that they cover, 0 to 1."""
    said, known = f' {" ".join(words)} ', frozenset(words)
    covered: set[int] = set()
    for part in _parts(code):
        begin = _WORD.search(part)
        if begin is None or begin[0].lower() not in known:  # nearly all of a documentation
            continue
        these = _WORD.findall(part.lower())
        at = said.find(f' {" ".join(these)} ')
        if at >= 0 and len(these) >= SHORTEST:
            first = said.count(' ', 0, at)
            covered.update(range(first, first + len(these)))
    return len(covered) / len(words)


def _parts(code: str) -> Iterator[str]:
    """What the literals of some code say between the values that are put in."""
    for found in _LITERAL.finditer(code):
        yield from _GAP.split(next(filter(None, found.groups()), ''))
