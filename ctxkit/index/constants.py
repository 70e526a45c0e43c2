"""Find the code that uses a message in a table, an enum or a file of translations: it names the message's constant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.index.terms import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxkit.index.corpus import Corpus

MOST_CHUNKS = 80  # that may hold a name are read; a name that more hold says nothing
ABOVE = 3  # lines above the literal that can hold its name
_NAME = r'[^\W\d][\w$]*(?:[.-][^\W\d][\w$]*)*'
_SIGN = r'=>|->|=|(?<!:):(?!:)'
_TELLING = r'[a-z0-9][A-Z]|[A-Z]{2}|_|[.-]|^[A-Z][a-z]+[A-Z]?'


def names_of(text: str, start: int, end: int) -> list[str]:
    """Names that the literal text[start:end] may have, the likeliest first: `X = '…'`, `X("…")`, `x: …`.

    First a name before an assignment sign on its line, then other names before it, nearest first, then those above.
    """
    line = text.rfind('\n', 0, start) + 1
    own = text[line:start]
    if own.lstrip().startswith(('#[', '@', '[')):  # an attribute, which stands above what it belongs to
        return re.findall(_NAME, text[end:].partition('\n')[2].partition('\n')[0][:200])[:2]
    out = list(_of_line(own))
    above = text[:line].split('\n')[-2 : -2 - ABOVE : -1]
    for other in above:
        if not other.strip() or other.rstrip().endswith((';', '}', '),', ')')) and not re.search(_SIGN, own):
            break
        out += _of_line(other)
    out = [part for name in out for part in (name, name.partition('.')[2])]  # `messages.X` may be imported as `texts.X`
    return list(dict.fromkeys(name for name in out if len(name) > 2))


def _of_line(line: str) -> Iterator[str]:
    """The names before the first assignment sign, last first, then all names of the line, last first."""
    line = line[-300:]
    sign = re.search(_SIGN, line)
    if sign:
        yield from reversed(re.findall(_NAME, line[: sign.start()]))
    yield from reversed(re.findall(_NAME, line))


def users(corpus: Corpus, names: list[str], inside: int) -> list[int]:
    """The chunks other than `inside` that use a name: the first of `names` that any uses; in the order of the tree.

    A plain word (`unlocked`) counts as used only in quotes, or after a colon or a dot.
    """
    for name in names:
        holding = set.intersection(*(set(corpus.mentioning(word)) for word in WORD.findall(name))) - {inside}
        if len(holding) <= MOST_CHUNKS:
            edge = r'(?<![\w$]){}(?![\w$])' if re.search(_TELLING, name) else r'(?:["\'`]|[:.])\b{}\b'
            pattern = re.compile(edge.format(re.escape(name)))
            found = [chunk for chunk in holding if pattern.search(corpus.text(chunk))]
            if found:
                return sorted(found, key=corpus.in_order)
    return []
