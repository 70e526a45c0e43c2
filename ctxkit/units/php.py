"""Which definition a name of PHP means: by namespaces and their `use`s, classes, and the types the code spells out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.language_files import known_of
from ctxkit.units.php_files import Where
from ctxkit.units.php_text import Chain, written
from ctxkit.units.php_values import Values
from ctxkit.units.seen import Resolution, as_guess, guessed_method


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Callable[[], list[int]]) -> Resolution:
    """(definitions that a reference means, whether the code says so); ([], False) for none. `candidates` gives those
    of its name, of which one is guessed where nothing tells."""
    return _Use(corpus, chunk, reference).resolve(candidates)


class _Use:
    """One use of a name, and where it stands."""

    def __init__(self, corpus: Corpus, chunk: int, reference: Reference) -> None:
        self.corpus, self.chunk, self.reference = corpus, chunk, reference
        self.values = known_of(corpus, Values)
        self.where = Where(corpus.path(chunk), reference.line, self.values.own(chunk))
        self.text = self.values.near(self.where.path, reference.line)

    def resolve(self, candidates: Callable[[], list[int]]) -> Resolution:
        name, qualifier = self.reference.name, self.reference.qualifier
        if self.reference.kind != 'call':
            if name in ('self', 'static', 'parent') and not qualifier:
                return [], False
            return self.class_()
        found = self.chain()
        if found is None:
            return self.other(candidates)
        read, at = found
        if at < 0:
            if read.new:
                return self.made(read.head)
            called = self.only(self.values.functions(self.where, read.head))
            return called if called[0] or '#[' not in self.text.partition('\n')[0] else self.class_()
        types, sure = self.values.result(self.chunk, self.text, read, self.reference.line, at)
        if types is None:
            return self.by_name(candidates)
        said = self.values.meant(types)
        methods = dict[int, None]()
        for one in said.classes:
            own, known = self.values.methods(one, name)
            methods.update(dict.fromkeys(own))
            sure = sure and (known or not own)
        if methods:
            return (list(methods), sure) if len(methods) == 1 else as_guess(list(methods))
        if said.outside and not said.unknown or said.classes and not self.is_own(read, at):
            return [], False
        return self.by_name(candidates)

    def is_own(self, read: Chain, at: int) -> bool:
        """Whether a method is called on the object itself: a trait or an abstract class may have it elsewhere."""
        return at == 0 and read.head in ('$this', 'self', 'static')

    def only(self, found: Sequence[int]) -> Resolution:
        """One is sure; several of one whole name are for different cases."""
        return (list(found), True) if len(found) == 1 else as_guess(list(found)[:3])

    def class_(self) -> Resolution:
        """The class of that name."""
        name = self.values.whole_name(self.where, self.reference.qualifier, self.reference.name, self.text)
        return self.only(self.values.classes(self.where, name))

    def made(self, name: str) -> Resolution:
        """The class of which an object is made."""
        if name.lower() in ('self', 'static'):
            return ([self.where.own], True) if self.where.own >= 0 else ([], False)
        if name.lower() == 'parent':
            return self.only(self.values.parents(self.where.own))
        return self.only(self.values.classes(self.where, self.values.full(self.where, name)[0]))

    def chain(self) -> tuple[Chain, int] | None:
        """(the chain of calls that the reference is part of, the number of its step), -1 for what the chain begins
        with; None if none is found."""
        name, qualifier = self.reference.name, self.reference.qualifier
        near = None
        for read, of_function in self.values.chains(self.where.path, self.reference.line):
            head = read.head.strip('\\').replace('\\', '.')
            if (read.new or read.called and not of_function) and (
                head == f'{qualifier}.{name}'.lstrip('.') or qualifier == '?' and head == name
            ):
                return read, -1
            for number, step in enumerate(read.steps):
                if step.name == name and step.called:
                    said = written(read, number)
                    if said == qualifier:
                        return read, number
                    if read.head.startswith('\\') or '(' in said or '[' in said:  # else it would be the qualifier
                        near = near or (read, number)
        return near if qualifier in ('?', '()') or qualifier.startswith('().') else None

    def other(self, candidates: Callable[[], list[int]]) -> Resolution:
        """What a name means that is not found as a part of a chain: of an attribute, a function, a class."""
        name, qualifier = self.reference.name, self.reference.qualifier
        if not qualifier and name in ('self', 'static', 'parent'):
            return self.made(name)
        if not qualifier or re.search(rf'\\{re.escape(name)}\b', self.text):
            found = self.class_()
            if found[0]:
                return found
            if not qualifier:
                return self.only(self.values.functions(self.where, name))
        return self.by_name(candidates)

    def by_name(self, candidates: Callable[[], list[int]]) -> Resolution:
        """The method that the name alone may mean, or what the receiver is called."""
        receiver = self.reference.qualifier.rpartition('.')[2].removesuffix('()')
        return guessed_method(self.corpus, candidates(), receiver)
