"""Which definition a name of C# means: types by their namespaces and type parameters, methods by their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.csharp_files import CSharpFiles
from ctxkit.units.csharp_text import Call, call_in
from ctxkit.units.language_files import known_of
from ctxkit.units.seen import TEST_MARKS, Resolution, as_guess

LONGEST = 60  # lines that a call runs over
MOST = 200  # definitions of a name whose parameters are read
WIDEST = 20_000  # characters of them
_NO_TYPES = 'using|namespace|return|new|case|is|as|in|class|struct|interface|enum|record|await|throw|or|and|not|static'


def possible(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> list[int]:
    """Those of some definitions that a call can mean: types after `new`, else methods that take the arguments."""
    if reference.kind != 'call' or len(candidates) > MOST:
        return list(candidates)
    use = _Use(corpus, chunk, reference)
    if use.call.how == 'unknown':
        return list(candidates)
    return use.methods(candidates) if use.call.how == 'call' else [one for one in candidates if use.is_type(one)]


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> Resolution | None:
    """What a name means that is one of a type, or that is called on one; None for what other rules decide.

    `candidates` are the possible definitions.
    """
    use = _Use(corpus, chunk, reference)
    if reference.kind != 'call' or use.call.how in ('new', 'attribute'):
        return use.type_()
    if not reference.qualifier:
        return use.of_opened(candidates)
    return use.of_type() if reference.qualifier[:1].isupper() else None


class _Use:
    """One use of a name, and where it stands."""

    def __init__(self, corpus: Corpus, chunk: int, reference: Reference) -> None:
        self.corpus, self.chunk, self.reference = corpus, chunk, reference
        self.files = known_of(corpus, CSharpFiles)
        self.path = corpus.path(chunk)
        first = reference.line - 1
        rows = self.files.rows(self.path)
        text = '\n'.join(rows[first : first + LONGEST])[:WIDEST]
        before = '\n'.join(rows[max(0, first - 2) : first]) + '\n'
        found = call_in(text, before, reference.name, bool(reference.qualifier), reference.kind)
        self.call = found or Call('unknown', None, None)

    def is_type(self, target: int) -> bool:
        return self.corpus.place(target).kind == 'class'

    def methods(self, candidates: Sequence[int]) -> list[int]:
        """Those of some definitions that can be called with the arguments; all methods if none seems to fit."""
        methods = [one for one in candidates if not self.is_type(one)]
        count = self.call.arguments
        taken = [self.files.parameters(one) for one in methods] if count is not None else []
        fitting = [one for one, each in zip(methods, taken, strict=False) if each is None or count in each]
        return fitting or methods

    def type_(self) -> Resolution:
        """The type that is named; none for an attribute that marks a test."""
        if self.call.how == 'attribute' and self.reference.name in TEST_MARKS:
            return [], False
        name, count = self.reference.name, self.call.types
        for one in [f'{name}Attribute', name] if self.call.how == 'attribute' else [name]:
            found = self.types(f'{self.reference.qualifier}.{one}'.lstrip('.'), count)
            if found:
                return ([self.files.main(found)], True) if self.files.is_one(found) else as_guess(found)
        found = [] if self.call.how == 'attribute' else self.files.named(name)
        return as_guess([one for one in found if count is None or self.files.type_parameters(one) == count])

    def types(self, name: str, count: int | None) -> list[int]:
        """The parts of the type that a name means here: nested in the types around, else of a namespace in sight."""
        symbol = self.corpus.place(self.chunk).symbol
        parts = symbol.split('.') if symbol else []
        for depth in range(len(parts), -1, -1):
            found = [
                one
                for one in self.files.named('.'.join((*parts[:depth], name)))
                if count is None or self.files.type_parameters(one) == count
            ]
            near = self.files.nearest(self.path, found)
            if near:
                return near
        space, _, last = name.rpartition('.')
        found = self.files.named(last) if space else []
        found = [one for one in found if count is None or self.files.type_parameters(one) == count]
        return [one for one in found if space in self.files.namespaces(self.corpus.path(one))]

    def of_type(self) -> Resolution | None:
        """A method that is called on a type; None if no type of the name is in sight, or a variable may have it."""
        head = self.reference.qualifier
        if not re.fullmatch(r'[\w.]+', head) or self.is_variable(head.partition('.')[0]):
            return None
        types = self.types(head, None)
        if not types:
            return None
        owners = {(self.corpus.place(one).symbol, space) for one in types for space in self.spaces(one)}
        found = [
            one
            for one in self.corpus.defining(self.reference.name)[: MOST * 5]
            if any((self.corpus.place(one).symbol.rpartition('.')[0], space) in owners for space in self.spaces(one))
        ]
        fitting = self.methods(found)
        return (fitting, True) if len(fitting) == 1 else as_guess(fitting) if fitting else None

    def of_opened(self, candidates: Sequence[int]) -> Resolution | None:
        """The method of a type that the file has opened (`using static Kit.Tools`), if it is the only possible one."""
        if len(candidates) != 1 or self.is_type(candidates[0]):
            return None
        owner = self.corpus.place(candidates[0]).symbol.rpartition('.')[0]
        names = {f'{space}.{owner}'.strip('.') for space in self.spaces(candidates[0])}
        return (list(candidates), True) if owner and names.intersection(self.files.usings(self.path)) else None

    def spaces(self, chunk: int) -> Sequence[str]:
        return tuple(self.files.namespaces(self.corpus.path(chunk)))

    def is_variable(self, name: str) -> bool:
        """Whether the file seems to have a property, field or parameter of that name."""
        declares = re.compile(rf'(?!(?:{_NO_TYPES})\s)(?<!\w)[\w.]+[>?\]]*\s+{re.escape(name)}\s*(?:[;={{,)]|=>)')
        return any(name in row and declares.search(row) for row in self.files.rows(self.path))
