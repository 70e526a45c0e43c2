"""Other definitions with the name of a removed one: mere namesakes, or what it became?

They are namesakes, and the definition is gone, only if each existed before the removal and the rules of the language
keep them apart: in different files or folders, or in classes that are not related.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ctxkit.index.record import Place
from ctxkit.slicing import FILE, language_of, languages_interoperate, scope_of
from ctxkit.units.present import Part, Present
from ctxkit.units.still_there import may_be_inherited

MOST = 8  # definitions; a name with more says nothing
IMPORTED = frozenset('go java kotlin'.split())  # languages in which names of other packages must be imported
MOST_KIN = 40  # related classes, and definitions of each of their names; with more, nothing is known


def namesakes(tree: Present, path: str, place: Place, new: Callable[[Part], bool]) -> tuple[Part, ...] | None:
    """The other definitions of the name of `place`, removed from `path`; None if it may not be gone.

    `new` says whether a part was not yet defined when `place` was removed: then `place` may have moved there.
    """
    parts = tree.defining_few(place.name, MOST)
    if parts is None or any(part.path == path and part.symbol == place.symbol or new(part) for part in parts):
        return None
    others = tuple(part for part in parts if languages_interoperate(part.path, path))
    if not others:
        return ()
    scope = scope_of(path)
    if place.kind == 'method':
        apart = scope == FILE and not may_be_inherited(tree, place.symbol.rpartition('.')[0], path)
        kin = _related_classes(tree, _owner(place.symbol)) if apart else None
        return others if kin is not None and not any(_owner(part.symbol) in kin for part in others) else None
    if scope == FILE:
        near = any(part.path == path for part in others)
    else:  # src/main/a/b and src/test/a/b can be one package
        near = language_of(path) not in IMPORTED or any(_folder(part.path) == _folder(path) for part in others)
    return None if near else others


def _related_classes(tree: Present, owner: str) -> frozenset[str] | None:
    """A class and all related to it by inheritance, by name; None for more than MOST_KIN, or as many of one name."""
    return tree.once(('kin', owner), lambda: _find_related_classes(tree, owner))


def _find_related_classes(tree: Present, owner: str) -> frozenset[str] | None:
    known = {owner}
    level = known
    while level:
        found = set[str]()
        for name in level:
            defining = tree.defining_few(name, MOST_KIN)
            if defining is None:
                return None
            found |= {one.name for part in defining for one in part.references if one.kind == 'base'}
            for part in tree.referring(name):
                if re.search(r'\bimpl\b', part.symbol):  # of Rust: it names the type and the trait
                    found |= set(re.findall(r'\w+', part.symbol))
                elif any(one.kind == 'base' and one.name == name for one in part.references):
                    found.add(part.symbol.rpartition('.')[2])
        level = found - known
        known |= level
        if len(known) > MOST_KIN:
            return None
    return frozenset(known)


def _folder(path: str) -> str:
    return path.rpartition('/')[0].rpartition('/')[2]


def _owner(symbol: str) -> str:
    return symbol.rpartition('.')[0].rpartition('.')[2]
