"""Names that a request qualifies (`Add.flatten`, `ignore::WalkBuilder::new`) and the definitions that they are of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.index.record import CLASS, FUNCTION_CODES, KIND_CODES
from ctxkit.index.terms import WHOLE, split, term_id, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctxkit.index.corpus import Corpus

# Compiled by its first use. `?` and `!` end a name of Ruby, or the sentence.
_QUALIFIED = r'(?<![\w/.-])([^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)+)([?!]?)(?![\w/\\])'
MOST_NAMES = 8  # in a request; a text with more is code or a log
MOST_MEANT = 12  # definitions of one name; overloads are several
GENERATIONS = 6  # from a class to its bases, and on to theirs
MOST_BASES = 60  # base classes of one class, in all generations


def qualified_names(text: str) -> tuple[tuple[str, str], ...]:
    """(class or module, name) of each qualified name in a text, of longer ones the last two parts; () of too many."""
    found: dict[tuple[str, str], None] = {}
    for said, mark in re.findall(_QUALIFIED, text):
        owner, name = re.split(r'\W+', said)[-2:]
        found |= dict.fromkeys([(owner, name + mark), (owner, name)])
    return tuple(found) if len(found) <= MOST_NAMES else ()


def defined_as(corpus: Corpus, owner: str, name: str) -> list[int]:
    """The functions that `owner.name` can mean; [] where there are many.

    They are methods of the class, else those that it inherits from its nearest base, else of a class whose name differs
    in case and underscores alone (`async_client.get`), else functions of a file or folder called `owner`.

    A class so named is found by its words, and is often too large to come before all else.
    """
    named = corpus.likely_defining(name)
    if not named:
        return []
    found = (
        _methods(corpus, named, owner, name)
        or _inherited(corpus, named, owner, name)
        or _methods(corpus, named, owner, name, exact=False)
        or [
            one
            for one in named
            if corpus.kind_code(one) in FUNCTION_CODES
            and owner in _modules(corpus.path(one))
            and corpus.place(one).symbol == name
        ]
    )
    return found if len(found) <= MOST_MEANT else []


def _methods(corpus: Corpus, named: Sequence[int], owner: str, name: str, exact: bool = True) -> list[int]:
    """Those of `named`, chunks that define `name`, that are methods of the class `owner`."""
    parts = [term for term in split(owner) if not term.endswith(WHOLE)]  # the whole of it depends on how it is written
    inside = set(named).intersection(*(corpus.holding(term_id(part), CLASS) for part in parts))
    owners = {one: _owner(corpus, one, name) for one in sorted(inside) if corpus.kind_code(one) in FUNCTION_CODES}
    return [one for one, its in owners.items() if its and (its == owner if exact else whole(its) == whole(owner))]


def _inherited(corpus: Corpus, named: Sequence[int], owner: str, name: str) -> list[int]:
    """The methods called `name` of the nearest base classes of `owner`, followed by their names."""
    seen, level = {owner}, [owner]
    for _ in range(GENERATIONS):
        classes = [one for base in level for one in corpus.defining_few(base, MOST_MEANT)]
        bases = dict.fromkeys(
            reference.name
            for one in classes
            if corpus.kind_code(one) == KIND_CODES['class']
            for reference in corpus.references(one)
            if reference.kind == 'base'
        )
        level = [base for base in bases if base not in seen][: MOST_BASES - len(seen)]
        seen.update(level)
        found = [one for base in level for one in _methods(corpus, named, base, name)]
        if found or not level:
            return found
    return []


def _owner(corpus: Corpus, chunk: int, name: str) -> str:
    """The class of a definition called `name`; '' where it has none, or is called otherwise."""
    rest, _, last = corpus.place(chunk).symbol.rpartition('.')
    return rest.rpartition('.')[2] if last == name else ''


def _modules(path: str) -> Iterable[str]:
    """The names by which code may call a file: its stem and its folders."""
    *folders, file = path.split('/')
    return {file.partition('.')[0], *folders}
