"""Which definition a name of Elixir means: by the module, which has one name in all files, and the arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.elixir_files import ElixirFiles
from ctxkit.units.elixir_text import given
from ctxkit.units.language_files import known_of
from ctxkit.units.seen import Resolution, as_guess

FURTHEST = 3  # aliases of aliases that are followed
LONGEST = 150  # lines that a call runs over
MOST = 40  # definitions of a name; of more, none is guessed
# What every module has without an import, and the words of tests.
KERNEL = frozenset(
    'abs apply binary_part bit_size byte_size ceil div elem exit floor get_in hd inspect is_atom is_binary is_boolean '
    'is_exception is_function is_integer is_list is_map is_nil is_pid is_struct is_tuple length make_ref map_size max '
    'match? min node not pop_in put_elem put_in rem reraise round self send spawn spawn_link struct struct! tap then '
    'throw tl to_charlist to_string trunc tuple_size update_in dbg binding destructure '
    'test describe setup setup_all assert refute assert_raise assert_receive assert_received refute_received flunk '
    'on_exit'.split(),
)


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> Resolution:
    """(definitions that a reference means, whether the code says so); ([], False) for none."""
    return _Use(corpus, chunk, reference).resolve(candidates)


def clauses(corpus: Corpus, chunk: int) -> list[int]:
    """All clauses of the function that a chunk is one of."""
    arities, symbol, path = known_of(corpus, ElixirFiles).arities, corpus.place(chunk).symbol, corpus.path(chunk)
    same = [one for one in corpus.defining(symbol.rpartition('.')[2]) if corpus.path(one) == path]
    return [
        one
        for one in same
        if corpus.place(one).symbol == symbol and (one == chunk or set(arities(one)).intersection(arities(chunk)))
    ]


class _Use:
    """One use of a name, and where it stands."""

    def __init__(self, corpus: Corpus, chunk: int, reference: Reference) -> None:
        self.corpus, self.chunk, self.reference = corpus, chunk, reference
        self.files = known_of(corpus, ElixirFiles)
        self.path = corpus.path(chunk)
        module = self.files.module(chunk)
        self.module = corpus.place(module).symbol if module >= 0 else ''

    def resolve(self, candidates: Sequence[int]) -> Resolution:
        name, qualifier = self.reference.name, self.reference.qualifier
        if name[:1].isupper():  # a struct, or a module that is used
            found = next(filter(None, map(self.files.named, self.full_names(f'{qualifier}.{name}'.lstrip('.')))), [])
            return (found, True) if len(found) == 1 else as_guess(found)
        if not qualifier:
            return self.bare(candidates)
        if qualifier.partition('.')[0] == 'self' or qualifier[0].isupper():
            return self.of_module(candidates)
        called = rf'(?<![:\w]){re.escape(qualifier)}\.{re.escape(name)}\('  # without brackets it is a field
        return self.guess(candidates) if re.search(called, self.corpus.text(self.chunk)) else ([], False)

    def of_module(self, candidates: Sequence[int]) -> Resolution:
        """What is called on a module; one that the tree does not have has nothing of the tree."""
        for full in self.full_names(self.reference.qualifier):
            found = self.of(full, candidates)
            if found:
                return self.by_arguments(found)
            if self.files.named(full):  # made by a macro of what the module uses
                return self.guess([one for one in candidates if self.corpus.place(one).kind == 'function'])
        return [], False

    def bare(self, candidates: Sequence[int]) -> Resolution:
        """What is called without a module: a function of the module around, else of one that is imported."""
        own = [one for one in candidates if self.files.sees(self.chunk, one)]
        inner = max((len(self.corpus.place(one).symbol) for one in own), default=0)
        own = [one for one in own if len(self.corpus.place(one).symbol) == inner]
        for found in (own, *(self.of(full, candidates) for full in self.imported())):
            meant, sure = self.by_arguments(found) if found else ([], False)
            if sure or found is own and found and not self.counts:
                return meant, sure
        if self.reference.name in KERNEL:
            return [], False
        return (own[:1], False) if own else self.guess(candidates)

    def of(self, full: str, candidates: Sequence[int]) -> list[int]:
        """The functions of a module that can be called here."""
        symbol, private = f'{full}.{self.reference.name}', full == self.module
        found = [one for one in candidates if self.corpus.place(one).symbol == symbol]
        return [one for one in found if private or not self.files.is_private(one)]

    def by_arguments(self, found: Sequence[int]) -> Resolution:
        """The first clause of the function that takes as many arguments as the call gives."""
        arities = self.files.arities
        if not self.counts:  # not readable: `schema "posts" do`
            return [found[0]], len({arities(one) for one in found}) == 1
        for count in self.counts:
            fitting = next((one for one in found if count in arities(one)), None)
            if fitting is not None:
                return [fitting], True
        return [found[0]], False

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many arguments the call may give."""
        first = self.reference.line - 1
        text = '\n'.join(self.files.rows(self.path)[first : first + LONGEST])
        receiver = self.reference.qualifier.rpartition('.')[2]
        return given(text, self.reference.name, '__MODULE__' if receiver == 'self' else receiver)

    def guess(self, candidates: Sequence[int]) -> Resolution:
        """The first clause of each function that other modules can call."""
        if len(candidates) > MOST:
            return [], False
        open_ = [one for one in candidates if not self.files.is_private(one)]
        one_of_each = {(self.corpus.path(one), self.corpus.place(one).symbol): one for one in reversed(open_)}
        return as_guess(sorted(one_of_each.values()))

    def full_names(self, name: str) -> Iterator[str]:
        """What the name of a module can mean here, the nearest first."""
        head, dot, rest = name.partition('.')
        if head in ('self', '__MODULE__'):
            yield f'{self.module}{dot}{rest}'
            return
        for alias in self.aliased(head):
            yield f'{alias}{dot}{rest}'
        parts = self.module.split('.')
        if head == parts[-1] and self.files.aliases_itself(self.path):
            yield f'{self.module}{dot}{rest}'
        known = self.files.modules(self.path)
        around = [one for depth in range(len(parts), 0, -1) if (one := '.'.join(parts[:depth])) in known]
        yield from (f'{one}.{head}{dot}{rest}' for one in around if f'{one}.{head}' in known)
        yield name

    def aliased(self, name: str, depth: int = FURTHEST) -> Iterator[str]:
        """The modules that the file has aliased as `name`."""
        for full in self.files.aliases(self.path, name):
            head, dot, rest = full.partition('.')
            if head == '__MODULE__':
                yield f'{self.module}{dot}{rest}'
            elif head != name and depth:
                yield next((f'{base}{dot}{rest}' for base in self.aliased(head, depth - 1)), full)
            else:
                yield full

    def imported(self) -> Iterator[str]:
        """The modules that the file imports the name from, or has imported by what it uses."""
        name = re.compile(rf'\b{re.escape(self.reference.name)}:')
        for one in self.files.statements(self.path, 'import'):
            only = re.search(r'\bonly:(?!\s*:)', one.text)
            if bool(name.search(one.text)) is bool(only):
                yield from self.full_names(one.module)
        for one in self.files.statements(self.path, 'use'):
            yield from (given for full in self.full_names(one.module) for given in self.files.given_by(full))
