"""The types of Rust as far as the code spells them out: fields, what functions return, and what a type has of a name by
its own blocks or by its traits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.rust_files import Module
from ctxkit.units.rust_modules import Item, Modules
from ctxkit.units.rust_text import LONGEST, after, first, is_of_trait, said_after, subject, title_in, tuple_fields

# What has the methods of the value in it, and what gives that value on.
HOLDS = frozenset('Arc Rc Box Pin Cow Option Result RefCell Cell Mutex RwLock Lazy LazyLock OnceLock OnceCell'.split())
PASSES = frozenset(
    'await unwrap expect unwrap_or_default clone as_ref as_mut borrow borrow_mut to_owned lock read write into_inner '
    'by_ref deref deref_mut unwrap_or_else get_mut take'.split()
)
# Methods that the library's types have, too: of one that is in such a type it is not said whose is meant.
SHARED = PASSES | frozenset(
    'map and_then or_else ok ok_or err map_err is_some is_none is_ok is_err get set replace insert filter and or xor '
    'zip flatten iter iter_mut into_iter cloned copied fmt eq cmp hash into from new'.split()
)
_POINTED = re.compile(r"(?:&\s*|'\w+\s+|mut\s+|dyn\s+|impl\s+|\(\s*)+")
_TYPE = re.compile(r'([\w:$]+?)(?:\s*(?:::)?<(.*)>)?\)?$', re.S)
_ALIAS = re.compile(r'(?:pub(?:\s*\([^)]*\))?\s+)?type\s+\w+(?:\s*<[^=]*>)?\s*=\s*([^;]+);')
_WHERE = re.compile(r'\bwhere\b')
_ATTRIBUTE = re.compile(r'#!?\[[^\]]{0,400}\]|//[^\n]*')
_SAID = re.compile(r'[\s{,(<](?:r#)?(\w+)\s*:(?!:)')  # a field, what is left open, a parameter
_LAST_WORD = re.compile(r'\w*$')
DEEPEST = 6
MOST_TRAITS = 200  # looked at for one name
MOST_BLOCKS = 60  # that name a type, looked at for its traits
LONGEST_HEAD = 1500


class Held(int):
    """A type, of which a value is in another one: in an `Option`, an `Arc`."""


class Types:
    """What is known of the types of a tree."""

    def __init__(self, corpus: Corpus) -> None:
        """See `Files`."""
        self.modules = Modules(corpus)
        self.corpus = self.modules.corpus
        self._heads: dict[int, str] = {}
        self._owners: dict[int, list[Item]] = {}
        self._traits: dict[int, list[int]] = {}
        self._methods: dict[str, dict[str, list[int]]] = {}
        self._fields: dict[int, dict[str, str]] = {}

    def block(self, chunk: int) -> int | None:
        """The `impl` or trait that a chunk is in; None where it is in none."""
        path, place = self.corpus.path(chunk), self.corpus.place(chunk)
        places = self.modules.places(path)
        while True:
            if place.kind == 'class' and (title_in(place.symbol) or self.is_trait(chunk)):
                return chunk
            if place.parent < 0:
                return None
            chunk, place = places[place.parent]

    def head(self, chunk: int) -> str:
        """The first lines of a definition, to where its body begins."""
        if chunk not in self._heads:
            place = self.corpus.place(chunk)
            end = min(place.end_byte, place.start_byte + LONGEST_HEAD)
            text = self.modules.bytes_of(chunk, place.start_byte, end)
            self._heads[chunk] = _ATTRIBUTE.sub('', text).lstrip()
        return self._heads[chunk]

    def is_trait(self, chunk: int) -> bool:
        """Whether a definition is a trait."""
        return re.match(r'(?:pub(?:\s*\([^)]*\))?\s+)?(?:unsafe\s+)?(?:auto\s+)?trait\b', self.head(chunk)) is not None

    def module(self, chunk: int) -> Module:
        """The module that a definition is in."""
        return self.modules.around(self.corpus.path(chunk), self.corpus.place(chunk).line)

    def own(self, chunk: int) -> list[Item]:
        """The type that the block around a chunk is for, or the trait itself."""
        block = self.block(chunk)
        if block is None:
            return []
        if block not in self._owners:
            title = title_in(self.corpus.place(block).symbol)
            of = subject(title)
            module = self.module(block)
            found = self.resolve_type(module, of, []) or self.bounds(block, of)
            self._owners[block] = found if title else [block]
        return self._owners[block]

    def resolve_type(self, module: Module, text: str, own: Sequence[Item], depth: int = 0) -> list[Item]:
        """The types that the text of a type means in a module; [] where none of the tree is known to be."""
        found = _POINTED.match(text := text.strip())
        text = re.split(r'\s\+\s', text[found.end() :] if found else text, maxsplit=1)[0].strip()
        read = _TYPE.match(text)
        if read is None or depth > DEEPEST:
            return []
        if read.group(1) == 'Self':
            return list(own)
        parts = read.group(1).split('::')
        items = [one for one in self.modules.walk(module, parts) if self.is_type(one)]
        if not items and read.group(2) and parts[-1] in HOLDS:
            held = self.resolve_type(module, first(read.group(2)), own, depth + 1)
            return [Held(one) for one in held if isinstance(one, int)]
        return self.aliased(items, depth)

    def is_type(self, item: Item) -> bool:
        """Whether something is a type or a trait."""
        return isinstance(item, int) and self.corpus.place(item).kind == 'class'

    def aliased(self, items: Iterable[Item], depth: int = 0) -> list[Item]:
        """Types without those that are names for other ones."""
        out: list[Item] = []
        for one in items:
            found = _ALIAS.match(self.head(one)) if isinstance(one, int) else None
            out += (
                self.resolve_type(self.module(one), found.group(1), [], depth + 1)
                if found and isinstance(one, int)
                else [one]
            )
        return out

    def field(self, type_: int, name: str) -> list[Item]:
        """The type of a field, or what one that a trait leaves open must be."""
        if type_ not in self._fields:
            place = self.corpus.place(type_)
            text = _ATTRIBUTE.sub('', self.modules.bytes_of(type_, place.start_byte, place.end_byte))
            said = {str(at): one for at, one in enumerate(tuple_fields(text))}
            for one in _SAID.finditer(text):
                said.setdefault(one.group(1), text[one.end() : one.end() + LONGEST])
            self._fields[type_] = said
        found = self._fields[type_].get(name, '')
        said_type = found if name.isdigit() else said_after(found, 0)
        return self.resolve_type(self.module(type_), said_type, [type_]) if found else []

    def returned(self, function: int, own: Sequence[Item]) -> list[Item]:
        """The type of what a function gives."""
        place = self.corpus.place(function)
        head = _ATTRIBUTE.sub('', self.modules.bytes_of(function, place.sig_start, place.sig_end))
        said = _WHERE.split(after(head, '->'), maxsplit=1)[0].strip(' \n{;')
        return self.resolve_type(self.module(function), said, own) or self.bounds(function, said)

    def bounds(self, chunk: int, name: str) -> list[Item]:
        """The traits that a type parameter of a function, or of the block around it, must have."""
        if not re.fullmatch(r'\w+', name):
            return []
        block = self.block(chunk)
        for one in dict.fromkeys((chunk, chunk if block is None else block)):
            text = re.split(r'\{\s*\n', self.head(one), maxsplit=1)[0]
            found = next((said for said in _SAID.finditer(text) if said.group(1) == name), None)
            if found:
                traits = said_after(text, found.end()).split('+')
                return [item for trait in traits for item in self.resolve_type(self.module(one), trait, [])]
        return []

    def has(self, type_: int, name: str) -> tuple[list[int], bool]:
        """(what a type or trait has of a name, whether that is all it can mean)."""
        found = self._itself(type_, name)
        if found:
            return found, len(found) == 1
        inherited: list[int] = []
        seen, level = {type_}, [type_]  # each trait once: those that build on many others are reached in many ways
        for _ in range(DEEPEST):
            above = [trait for one in level for trait in self.traits(one)]
            level = []
            for trait in dict.fromkeys(above):
                if trait not in seen and len(seen) <= MOST_TRAITS:
                    seen.add(trait)
                    found = self._itself(trait, name)
                    inherited += [one for one in found if self.is_traits(one)]
                    level += [] if found else [trait]
        inherited = list(dict.fromkeys(inherited))
        return inherited, len(inherited) == 1

    def _itself(self, type_: int, name: str) -> list[int]:
        """What the blocks of a type have of a name: those of the type alone before those of a trait for it."""
        mine = self.methods(type_, name)
        return [one for one in mine if not self.by_trait(one)] or mine

    def methods(self, type_: int, name: str) -> list[int]:
        """The methods of a name in the blocks of a type."""
        if name not in self._methods:
            by_title: dict[str, list[int]] = {}
            for one in self.corpus.defining(name):
                place = self.corpus.place(one)
                owner = place.symbol.removesuffix(f'.{name}')
                if place.kind == 'method' and owner != place.symbol and self.corpus.path(one).endswith('.rs'):
                    by_title.setdefault(_LAST_WORD.findall(owner)[0], []).append(one)
            self._methods[name] = by_title
        return [one for one in self._methods[name].get(self.corpus.place(type_).name, ()) if type_ in self.own(one)]

    def by_trait(self, method: int) -> bool:
        """Whether a method stands in an `impl Trait for Type`."""
        block = self.block(method)
        title = title_in(self.corpus.place(block).symbol) if block is not None else ''
        return is_of_trait(title)

    def is_traits(self, method: int) -> bool:
        """Whether a method is one of a trait itself."""
        block = self.block(method)
        return block is not None and not title_in(self.corpus.place(block).symbol)

    def traits(self, type_: int) -> list[int]:
        """The traits of the tree that a type has, or that a trait builds on."""
        if type_ not in self._traits:
            self._traits[type_] = self._its_traits(type_)
        return self._traits[type_]

    def _its_traits(self, type_: int) -> list[int]:
        blocks = [type_]
        if not self.is_trait(type_):
            for one in self.corpus.referring(self.corpus.place(type_).name)[:MOST_BLOCKS]:
                title = title_in(self.corpus.place(one).symbol) if self.corpus.place(one).kind == 'class' else ''
                if title and is_of_trait(title) and type_ in self.own(one):
                    blocks.append(one)
        out: list[int] = []
        for block in blocks:
            module = self.module(block)
            for base in self.corpus.references(block):
                if base.kind == 'base' and base.qualifier != 'self':
                    parts = [*(base.qualifier.split('.') if base.qualifier else ()), base.name]
                    out += [
                        one
                        for one in self.modules.walk(module, parts)
                        if isinstance(one, int) and self.is_trait(one) and one != type_
                    ]
        return list(dict.fromkeys(out))


def functions(modules: Modules, items: Iterable[Item]) -> list[int]:
    """The functions among some items."""
    return [one for one in items if isinstance(one, int) and modules.corpus.place(one).kind in FUNCTIONS]
