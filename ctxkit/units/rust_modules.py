"""The modules of Rust: what a path such as `crate::a::B` means in a file, by its modules, its `use`s and the crates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.units.rust_files import Files, Module, Use
from ctxkit.units.seen import DEFINITION_KINDS, shared_folders

Item = Module | int  # a module, or a chunk that defines something
LIBRARY = frozenset({'std', 'core', 'alloc'})
FURTHEST = 30  # modules that pass a name on, one from the other
MOST_ASKED = 1_000  # modules that are looked into for one name
MOST_STARS = 50
MOST_PASSED_ON = 100_000  # modules asked for what they give with all there is; an event on five projects: 118
_ROOTS = ('lib.rs', 'main.rs')
_EXPORTED = re.compile(r'#\[macro_export')


class Modules(Files):
    """The modules of a tree, and what paths mean in them."""

    def __init__(self, corpus: Corpus) -> None:
        """See `Files`."""
        super().__init__(corpus)
        self._above: dict[str, str] = {}
        self._named: dict[tuple[Module, str], list[Item]] = {}
        self._asked: dict[tuple[Module, str], list[Item]] = {}  # on the way to one of them
        self._depth = 0
        self._sources: dict[tuple[Module, Use], list[Module]] = {}
        self._bindings: dict[Module, dict[str, list[Use]]] = {}
        self._passed_on = 0

    def above(self, module: Module) -> Module | None:
        """The module around one; None for the root of a crate."""
        if module.inner:
            return Module(module.path, module.inner[:-1])
        path = module.path
        if path not in self._above:
            self._above[path] = next(self._parents(path), '')
        return Module(self._above[path]) if self._above[path] else None

    def _parents(self, path: str) -> Iterator[str]:
        folder, name = posixpath.split(path)
        stem = name.removesuffix('.rs')
        if name in _ROOTS and not stem == 'main':
            return
        if name == 'mod.rs':
            folder, stem = posixpath.split(folder)
        files = [posixpath.join(folder, one) for one in ('mod.rs', *_ROOTS)] + ([f'{folder}.rs'] if folder else [])
        for one in files:
            if one != path and self.corpus.file(one) and stem in self.declared(one):
                yield one
        for one in files:  # a macro may declare it
            if one != path and not one.endswith('main.rs') and self.corpus.file(one):
                yield one

    def root(self, module: Module) -> Module:
        """The root of the crate that a module is in."""
        for _ in range(40):
            above = self.above(module)
            if above is None:
                break
            module = above
        return module

    def _below(self, module: Module, name: str) -> Iterator[Module]:
        """The modules of a name that a module declares."""
        if any(one.names == (*module.inner, name) for one in self.inline(module.path)):
            yield Module(module.path, (*module.inner, name))
            return
        if name in self.elsewhere(module.path):
            yield from (Module(one) for one in self.elsewhere(module.path)[name] if self.corpus.file(one))
            return
        folder, file = posixpath.split(module.path)
        folders = [folder] if file in ('mod.rs', *_ROOTS) else [module.path.removesuffix('.rs')]
        if not module.inner and file not in ('mod.rs', *_ROOTS) and self.above(module) is None:
            folders.append(folder)  # a program or a test of its own
        for one in folders:
            stem = posixpath.join(one, *module.inner, name)
            found = [path for path in (f'{stem}.rs', f'{stem}/mod.rs') if self.corpus.file(path)]
            if found:
                yield Module(found[0])
                return

    def named(self, module: Module, name: str) -> list[Item]:
        """What a name means in a module: what it defines, a module below it, what a `use` gives it."""
        asked = module, name
        if asked in self._named:
            return self._named[asked]
        if asked in self._asked:  # `mod sleep; use sleep::sleep`, or modules that pass on all of each other
            return self._asked[asked]
        if self._depth > FURTHEST or len(self._asked) > MOST_ASKED:
            return []
        own = self.defined(module, name)
        found: list[Item] = [*own, *self._below(module, name)]
        self._asked[asked] = list(found)
        self._depth += 1
        uses = self._bound_by(module)
        found += self.bound(module, uses.get(name, []) or ([] if own else uses.get('*', [])), name)
        if not found and self.above(module) is None:
            found += self.exported(module, name)
        self._asked[asked] = found = list(dict.fromkeys(found))
        self._depth -= 1
        if not self._depth:  # within a circle what is found depends on where it was entered
            self._named[asked] = found
            self._asked.clear()
        return found

    def _bound_by(self, module: Module) -> dict[str, list[Use]]:
        """The `use`s of a module, by the name that each of them gives."""
        if module not in self._bindings:
            bound: dict[str, list[Use]] = {}
            for one in self.uses(module.path):
                if one.inner == module.inner and one.within == (0, 0):
                    bound.setdefault(one.name, []).append(one)
            self._bindings[module] = bound
        return self._bindings[module]

    def bound(self, module: Module, uses: Sequence[Use], name: str) -> list[Item]:
        """What some `use`s of a module give a name; those of all there is, where none names it."""
        named = [one for one in uses if one.name == name]
        if named:
            return [found for one in named for found in self.walk(module, one.path)]
        stars = [one for one in self._stars(module, uses) if one != module]
        self._passed_on += len(stars)
        return [found for one in stars for found in self.named(one, name)] if self._passed_on < MOST_PASSED_ON else []

    def _stars(self, module: Module, uses: Sequence[Use]) -> list[Module]:
        """The modules that some `use`s of a module give all of; looked up once, since each name asks for them."""
        found: list[Module] = []
        for use in uses:
            if use.name == '*' and len(found) < MOST_STARS:
                if not self._sources.get((module, use)):
                    items = self.walk(module, use.path)
                    self._sources[module, use] = [one for one in items if isinstance(one, Module)]
                found += self._sources[module, use]
        return found[:MOST_STARS]

    def defined(self, module: Module, name: str) -> list[int]:
        """What a module itself defines under a name."""
        symbol = '.'.join((*module.inner, name))
        places = ((one, self.corpus.place(one)) for one in self.corpus.defining(name))
        return [
            one
            for one, place in places
            if place.symbol == symbol and place.kind in DEFINITION_KINDS and self.corpus.path(one) == module.path
        ]

    def exported(self, root: Module, name: str) -> list[int]:
        """The macros that a crate exports at its root, wherever they stand."""
        return [one for one in self.macros(name) if self.is_exported(one) and self.in_crate(one, root)]

    def macros(self, name: str) -> list[int]:
        """The macros of a name."""
        return [one for one in self.corpus.defining(name) if self.is_macro(one)]

    def is_exported(self, chunk: int) -> bool:
        """Whether a macro is one of the crate's root."""
        place = self.corpus.place(chunk)
        head = self.bytes_of(chunk, max(0, place.start_byte - 200), place.start_byte + 400)
        return _EXPORTED.search(head) is not None

    def in_crate(self, chunk: int, root: Module) -> bool:
        """Whether a definition is in the crate of that root."""
        return self.root(Module(self.corpus.path(chunk))) == root

    def walk(self, module: Module, parts: Sequence[str]) -> list[Item]:
        """What a path means in a module; [] where it leads out of the tree."""
        items: list[Item] = [*(self.head(module, parts[0]) if parts else (module,))]
        for part in parts[1:]:
            found = dict.fromkeys(to for one in items if isinstance(one, Module) for to in self.step(one, part))
            items = list(found)
        return items

    def step(self, module: Module, part: str) -> list[Item]:
        """What a further part of a path means, after a module."""
        if part == 'super':
            above = self.above(module)
            return [above] if above else []
        return [module] if part == 'self' else self.named(module, part)

    def head(self, module: Module, part: str) -> list[Item]:
        """What the first part of a path means: a name that is seen, else a crate."""
        if part in ('crate', '$crate'):
            return [self.root(module)]
        found = self.step(module, part)
        if not found and part not in LIBRARY:
            found = [*self.crate(module, part)]
        return found

    def crate(self, module: Module, name: str) -> list[Module]:
        """The library of the tree that has that name; of several the nearest."""
        found = self.crates.get(name, [])
        near = max((shared_folders(module.path, one) for one in found), default=0)
        return [Module(one) for one in found if shared_folders(module.path, one) == near][:1]
