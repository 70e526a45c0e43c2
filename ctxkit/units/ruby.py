"""Which definition a name of Ruby means: by constants, which name a class in all files, and what classes inherit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.language_files import known_of
from ctxkit.units.ruby_files import RubyFiles
from ctxkit.units.seen import Resolution, as_guess

# Classes that Ruby itself has: what the tree adds to them says nothing of their constructors.
CORE = frozenset(
    'Array BasicObject Class Comparable Data Date DateTime Dir Encoding Enumerable Enumerator Exception File Float '
    'Hash IO Integer Kernel Module Mutex Numeric Object Proc Range Regexp Set StandardError String StringIO Struct '
    'Symbol Thread Time'.split(),
)


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> Resolution | None:
    """(definitions that a reference means, whether the code says so); None for what a name alone must tell."""
    use = _Use(corpus, chunk, reference)
    if reference.kind != 'call':
        return use.constant()
    if not reference.qualifier or reference.qualifier == 'self':
        return use.own(candidates)
    if reference.qualifier == 'self.class':
        return use.of_class(use.around)
    if re.fullmatch(r'[A-Z]\w*(?:\.[A-Z]\w*)*', reference.qualifier):
        full = use.files.resolve(reference.qualifier, use.around)
        return use.of_class(full) if full else None
    return None


class _Use:
    """One use of a name, and where it stands."""

    def __init__(self, corpus: Corpus, chunk: int, reference: Reference) -> None:
        self.corpus, self.chunk, self.reference = corpus, chunk, reference
        self.files = known_of(corpus, RubyFiles)
        self.around = self.files.class_around(chunk)

    def constant(self) -> Resolution | None:
        """The class or module that is named."""
        name = f'{self.reference.qualifier}.{self.reference.name}'.lstrip('.')
        full = self.files.resolve(name, self.around)
        found = self.files.named(full) if full else []
        return self.one_class(found) if found else None

    def own(self, candidates: Sequence[int]) -> Resolution | None:
        """What is called on the object itself: a method of its class, or of what that is derived from."""
        name = self.reference.name
        if not self.reference.qualifier and self.is_variable(name):
            return [], False
        if not self.around:
            return None
        path, symbol = self.corpus.path(self.chunk), self.corpus.place(self.chunk).symbol
        inner = [
            one
            for one in candidates
            if self.corpus.path(one) == path and self.corpus.place(one).symbol == f'{symbol}.{name}'
        ]
        for found in (inner, *self.methods(self.around)):
            if found:
                return self.only(found, self.is_of_class())
        if self.assigns:
            return [], False
        free = [one for one in candidates if '.' not in self.corpus.place(one).symbol and self.corpus.path(one) == path]
        if free and not self.reference.qualifier:
            return None
        return as_guess(list(candidates))

    def is_of_class(self) -> bool | None:
        """Whether the code around is run by the class itself; None where that is not known: in a block of the class."""
        place = self.corpus.place(self.chunk)
        return None if place.kind == 'class' else self.files.is_singleton(self.chunk)

    def of_class(self, full: str) -> Resolution | None:
        """What is called on a class."""
        for found in self.methods(full):
            if found:
                meant, sure = self.only(found, True)
                return meant, sure and bool(meant) and (self.files.is_singleton(meant[0]) or self.files.is_module(full))
        if self.reference.name != 'new' or full in CORE:
            return ([], False) if self.assigns else None
        for found in (self.files.methods(full, 'initialize'), self.files.inherited(full, 'initialize')):
            if found:
                return found[-1:], len(found) == 1
        return self.one_class(self.files.named(full))

    @cached_property
    def assigns(self) -> bool:
        """Whether the name is assigned to: `self.size = 1` calls `size=`."""
        rows = self.files.rows(self.corpus.path(self.chunk))
        row = rows[self.reference.line - 1] if self.reference.line <= len(rows) else ''
        return re.search(rf'\.\s*{re.escape(self.reference.name)}\s*=(?![=~>])', row) is not None

    def methods(self, full: str) -> Iterator[list[int]]:
        """The methods of a class that the name can mean, then those of the nearest of its bases that has any."""
        name = self.reference.name
        for find in (self.files.methods, self.files.inherited):
            if self.assigns:
                yield find(full, f'{name}=') or [one for one in find(full, name) if self.files.is_writer(one)]
            else:
                yield find(full, name)

    def one_class(self, parts: Sequence[int]) -> Resolution:
        """The longest of the places that open a class; a guess if one file has several, as blocks of a test may."""
        longest = max(parts, key=lambda one: self.corpus.place(one).end_byte - self.corpus.place(one).start_byte)
        return [longest], len({self.corpus.path(one) for one in parts}) == len(parts)

    def only(self, found: Sequence[int], of_class: bool | None) -> Resolution:
        """The one of some methods of a name that is meant; of one for objects and one for the class, by the caller."""
        if len(found) > 1 and of_class is not None:
            found = [one for one in found if self.files.is_singleton(one) is of_class] or found
        return (list(found), True) if len(found) == 1 else as_guess(list(found))

    def is_variable(self, name: str) -> bool:
        """Whether a bare name is a variable of the method around: bound there, and never called with arguments."""
        if name[-1:] in '?!':
            return False
        text = self.corpus.text(self.chunk)
        word = rf'(?<![\w.@:$&]){re.escape(name)}(?![\w?!])'
        block = rf'(?:\{{|\bdo)\s*\|[^|\n]*{word}[^|\n]*\|'
        bound = rf'{word}\s*(?:\|\||&&|[-+*/])?=(?![=~>])|{block}|\bdef [^\n]*[(, *&]{re.escape(name)}\b'
        return bool(re.search(bound, text)) and not re.search(rf'{word}(?:\(|[ \t]+[\w"\':@\[{{&*])', text)
