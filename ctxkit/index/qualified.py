"""Names that a request qualifies (`Add.flatten`, `ignore::WalkBuilder::new`) and the definitions that they are of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.index.record import CLASS, FUNCTION_CODES
from ctxkit.index.terms import WHOLE, split, term_id, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.index.corpus import Corpus

# Compiled by its first use. `?` and `!` end a name of Ruby, or the sentence.
_QUALIFIED = r'(?<![\w/.-])([^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)+)([?!]?)(?![\w/\\])'
MOST_NAMES = 8  # in a request; a text with more is code or a log
MOST_MEANT = 12  # definitions of one name; overloads are several


def qualified_names(text: str) -> tuple[tuple[str, str], ...]:
    """(class or module, name) of each qualified name in a text, of longer ones the last two parts; () of too many."""
    found: dict[tuple[str, str], None] = {}
    for said, mark in re.findall(_QUALIFIED, text):
        owner, name = re.split(r'\W+', said)[-2:]
        found |= dict.fromkeys([(owner, name + mark), (owner, name)])
    return tuple(found) if len(found) <= MOST_NAMES else ()


def defined_as(corpus: Corpus, owner: str, name: str) -> list[int]:
    """The functions that `owner.name` can mean: methods of the class, else of one whose name differs in case and
    underscores alone (`async_client.get`), else functions of a file or folder called `owner`; [] where there are many.

    A class so named is found by its words, and is often too large to come before all else.
    """
    named = corpus.likely_defining(name)
    if not named:
        return []
    parts = [term for term in split(owner) if not term.endswith(WHOLE)]  # the whole of it depends on how it is written
    inside = set(named).intersection(*(corpus.holding(term_id(part), CLASS) for part in parts))
    owners = {one: _owner(corpus, one, name) for one in sorted(inside) if corpus.kind_code(one) in FUNCTION_CODES}
    found = [one for one, its in owners.items() if its == owner]
    found = found or [one for one, its in owners.items() if its and whole(its) == whole(owner)]
    found = found or [
        one
        for one in named
        if corpus.kind_code(one) in FUNCTION_CODES
        and owner in _modules(corpus.path(one))
        and corpus.place(one).symbol == name
    ]
    return found if len(found) <= MOST_MEANT else []


def _owner(corpus: Corpus, chunk: int, name: str) -> str:
    """The class of a definition called `name`; '' where it has none, or is called otherwise."""
    rest, _, last = corpus.place(chunk).symbol.rpartition('.')
    return rest.rpartition('.')[2] if last == name else ''


def _modules(path: str) -> Iterable[str]:
    """The names by which code may call a file: its stem and its folders."""
    *folders, file = path.split('/')
    return {file.partition('.')[0], *folders}
