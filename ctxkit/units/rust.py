"""Which definition a name of Rust means: by the modules and their `use`s, and the types that the code spells out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.language_files import known_of
from ctxkit.units.rust_files import Module
from ctxkit.units.rust_modules import LIBRARY, Item
from ctxkit.units.rust_types import PASSES, SHARED, Held, Types, functions
from ctxkit.units.seen import Resolution, as_guess, guessed_method

FURTHEST = 13  # lines that a chain of calls runs over
# What `Arc` and the like have themselves: the slicer tells a variable by what is in it.
OF_POINTERS = frozenset('clone as_ref as_mut borrow borrow_mut deref deref_mut'.split())


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Callable[[], list[int]]) -> Resolution:
    """(definitions that a reference means, whether the code says so); ([], False) for none. `candidates` gives those
    of its name, of which one is guessed where nothing tells."""
    return _Use(corpus, chunk, reference).resolve(candidates)


class _Use:
    """One use of a name, and where it stands."""

    def __init__(self, corpus: Corpus, chunk: int, reference: Reference) -> None:
        self.corpus, self.chunk, self.reference = corpus, chunk, reference
        self.types = known_of(corpus, Types)
        self.modules = self.types.modules
        self.path = corpus.path(chunk)
        self.module = self.modules.around(self.path, reference.line)

    def resolve(self, candidates: Callable[[], list[int]]) -> Resolution:
        name, qualifier = self.reference.name, self.reference.qualifier
        if name == 'Self' and not qualifier:
            return self.only(self.types.own(self.chunk))
        parts = qualifier.split('.') if qualifier else []
        if not parts:
            return self.bare(name, candidates)
        if parts[0] in LIBRARY and self.is_path(parts[0]):
            return [], False
        items = self.receiver(parts) if all(_read(one)[0].isidentifier() for one in parts) else None
        if items is None:
            return self.by_name(parts, candidates)
        found: list[Item] = []
        sure = True
        for one in items:
            if isinstance(one, Module):
                found += self.modules.step(one, name)
            elif self.reference.kind == 'call':
                own, known = self.types.has(one, name)
                found += own
                sure = sure and known and not (isinstance(one, Held) and name in SHARED)
        if self.of_kind(found):
            own, known = self.only(found)
            return own, known and sure and (qualifier == 'self' or name not in OF_POINTERS)
        if not items and self.is_path(parts[0]) or any(isinstance(one, Module) for one in items) or name[:1].isupper():
            return [], False
        return self.by_name(parts, candidates)

    def only(self, found: Sequence[Item]) -> Resolution:
        """What is meant of what has the name: one is sure, several are variants for different builds."""
        own = self.of_kind(found)
        return (own, True) if len(own) == 1 else as_guess(own)

    def of_kind(self, found: Sequence[Item]) -> list[int]:
        """The definitions among some items that a use of this kind can mean."""
        numbers = list(dict.fromkeys(one for one in found if isinstance(one, int)))
        if self.reference.kind != 'call':
            return [one for one in numbers if self.corpus.place(one).kind == 'class']
        macro, plain = self.called()
        return [one for one in numbers if (macro if self.modules.is_macro(one) else plain)]

    def called(self) -> tuple[bool, bool]:
        """Whether the name is called as a macro here, and as a function."""
        rows = FURTHEST if self.reference.qualifier else 1
        macros, calls = self.modules.called_at(self.path, self.reference.line, rows)
        macro = self.reference.name in macros
        return macro, not macro or self.reference.name in calls

    def is_path(self, head: str) -> bool:
        """Whether a name stands before `::` in this chunk."""
        return head[:1].isupper() or head in self.modules.paths_in(self.chunk)

    def seen(self, name: str) -> list[Item]:
        """What a name means here: within the functions around, then in the module."""
        symbol = self.corpus.place(self.chunk).symbol.split('.')
        for depth in range(len(symbol), len(self.module.inner), -1):
            owner = '.'.join((*symbol[:depth], name))
            inside = [
                one
                for one in self.corpus.defining(name)
                if self.corpus.place(one).symbol == owner
                and self.corpus.path(one) == self.path
                and self.corpus.place(one).kind != 'method'
            ]
            if inside:
                return list(inside)
        place = self.corpus.place(self.chunk)
        local = [
            one
            for one in self.modules.uses(self.path)
            if one.within != (0, 0) and one.within[0] <= place.start_line and one.within[1] >= place.end_line
        ]
        return self.modules.bound(self.module, local, name) or self.modules.head(self.module, name)

    def bare(self, name: str, candidates: Callable[[], list[int]]) -> Resolution:
        found = self.of_kind(self.seen(name))
        macro, _ = self.called()
        if not found and macro and self.reference.kind == 'call':
            root = self.modules.root(self.module)
            found = [one for one in self.modules.macros(name) if self.modules.in_crate(one, root)]
        if found:
            own, sure = self.only(found)
            return own, sure and (self.modules.is_macro(own[0]) or name not in self.modules.bound_in(self.chunk))
        free = [one for one in self.of_kind(candidates()) if self.corpus.place(one).kind != 'method']
        return as_guess(free)

    def receiver(self, parts: Sequence[str]) -> list[Item] | None:
        """What stands before the name; None where nothing is known of it."""
        head, called = _read(parts[0])
        if head == 'self':
            items = self.types.own(self.chunk)
            if len(parts) > 1 or not items:
                items = [*items, self.module] if self.is_path('self') else items
            if not items and self.types.block(self.chunk) is not None:
                return None
        elif called or self.is_path(head) or head in ('super', 'crate'):
            items = self.seen(head) if head not in ('super', 'crate') else self.modules.head(self.module, head)
            items = self.given(items, []) if called else self.types.aliased(items)
            items = items or self.types.bounds(self.chunk, head)
        else:
            return None
        for part in parts[1:]:
            name, called = _read(part)
            following: list[Item] = []
            for one in items:
                if isinstance(one, Module):
                    found: list[Item] = self.modules.step(one, name)
                    following += self.given(found, []) if called else self.types.aliased(found)
                elif self.corpus.place(one).kind == 'class':
                    own, sure = self.types.has(one, name) if called else ([], False)
                    if own:
                        following += self.given(own, [one]) if sure else []
                    elif name in PASSES:
                        following.append(int(one))
                    elif not called:
                        following += self.types.field(one, name)
            items = list(dict.fromkeys(following))
            if not items:
                return None
        return items

    def given(self, items: Sequence[Item], own: Sequence[Item]) -> list[Item]:
        """What a call of some items gives: what a function returns, a type that is made."""
        made: list[Item] = [one for one in items if self.types.is_type(one)]
        for one in functions(self.modules, items)[:1]:
            made += self.types.returned(one, own or self.types.own(one))
        return made

    def by_name(self, parts: Sequence[str], candidates: Callable[[], list[int]]) -> Resolution:
        """The method that the name alone may mean, or what the receiver is called."""
        if self.reference.kind != 'call':
            return as_guess(self.of_kind(candidates()))
        return guessed_method(self.corpus, candidates(), _read(parts[-1])[0])


def _read(part: str) -> tuple[str, bool]:
    """(the name of a part of what stands before a name, whether it is called)."""
    plain = part.rstrip('?')
    return plain.removesuffix('()'), plain.endswith('()')
