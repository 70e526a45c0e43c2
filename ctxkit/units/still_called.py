"""Who still calls, extends or imports a definition that is gone, and whether the code itself says that it is meant.

It is told by the call itself: by an import that leads to the old file, by the file or the class around both. A call on
a variable is a guess, made for a telling name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.slicing import Reference
from ctxkit.slicing.languages import FILE, FOLDER, scope_of
from ctxkit.units.edited import Edit
from ctxkit.units.resolve import SELF
from ctxkit.units.still_there import built_in, may_be_inherited, otherwise_used

MODULES_ALONE = ('.ex', '.exs')  # where a name in upper case before a dot is a module, never a value
TELLING = re.compile(r'[^_]_[^_]|[a-z][A-Z]')


class Gone(NamedTuple):
    """A definition that was at `place` of `path`; `commit` removed it ('' if that is not committed) at `time`."""

    path: str
    place: Place
    commit: str
    time: float
    files: int


class Caller(NamedTuple):
    """What may call it: a chunk by its number in the tree, or in a file that is edited (`edit`)."""

    path: str
    symbol: str
    start_line: int
    end_line: int
    references: Sequence[Reference]
    imports: Callable[[], Mapping[str, Reference]]
    text: Callable[[], str]
    chunk: int
    edit: Edit | None = None


def callers_of(
    gone: Gone, possible: Iterable[Caller], corpus: Corpus, source: bytes
) -> tuple[tuple[Caller, bool], ...]:
    """Who may call it. No call is sure where the file, as it is now (`source`), can give the name in another way."""
    found = []
    for caller in possible:
        said = [means(gone, caller, one) for one in caller.references if one.name == gone.place.name]
        if any(one is not None for one in said):
            found.append((caller, any(said)))
    owner = gone.place.symbol.rpartition('.')[0]
    if any(sure for _, sure in found) and (
        otherwise_used(gone.place.name, source.decode('utf-8', 'replace'))
        or gone.place.kind == 'method'
        and may_be_inherited(corpus, owner, gone.path)
    ):
        found = [(caller, False) for caller, _ in found]

    def rank(one: tuple[Caller, bool]) -> tuple[bool, bool, bool, str, int]:
        caller, sure = one
        return not sure, not caller.symbol, bool(path_kind(caller.path)), caller.path, caller.start_line

    return tuple(sorted(found, key=rank))


def means(gone: Gone, caller: Caller, reference: Reference) -> bool | None:
    """Whether a reference of the removed name means what was removed: True, False for a guess, None if it does not."""
    if reference.kind == 'import':
        return True if _leads_to(reference.qualifier, gone.path) else None
    owner = gone.place.symbol.rpartition('.')[0]
    around = caller.symbol.rpartition('.')[0]
    head, last = reference.qualifier.partition('.')[0], reference.qualifier.rpartition('.')[2].removesuffix('()')
    same = caller.path == gone.path
    if gone.place.kind == 'method':
        if reference.qualifier in SELF or not reference.qualifier:
            return True if same and around == owner else None
        if last == owner.rpartition('.')[2]:
            return same
        if last[:1].isupper() and caller.path.endswith(MODULES_ALONE):
            bound = caller.imports().get(head)
            return False if bound is not None and bound.name == owner.rpartition('.')[2] else None
        return False if TELLING.search(gone.place.name) else None
    bound = caller.imports().get(head or reference.name)
    if bound is not None:
        inner = bound.name if reference.qualifier else ''  # `from package import module`
        return True if _leads_to(bound.qualifier, gone.path, inner) else None
    if reference.qualifier:
        return False if last in _names(gone.path) else None
    if (same or scope_of(gone.path) == FOLDER) and built_in(gone.place.name, caller.path):
        return None
    if same:
        return '*' not in caller.imports()  # which can give any name
    if scope_of(gone.path) == FOLDER and caller.path.rpartition('/')[0] == gone.path.rpartition('/')[0]:
        # a parameter or a variable; what all of another package is imported from
        given = reference.kind == 'call' and otherwise_used(gone.place.name, caller.text())
        return not given and '*' not in caller.imports()
    return None if scope_of(caller.path) == FILE or not TELLING.search(gone.place.name) else False


def _names(path: str) -> set[str]:
    """The folders and the stem of a path: what an import that leads to it, or to its package, ends with."""
    *folders, name = path.split('/')
    return {*folders, name.partition('.')[0]}


def _leads_to(module: str, path: str, inner: str = '') -> bool:
    """Whether an import can be of a file that is gone, or of its package."""
    plain = re.sub(r'\.\w{1,4}$', '', module) if '/' in module else module
    parts = [part for part in (*re.split(r'[./\\:]+', plain), inner) if part]
    return not parts or parts[-1] in _names(path)
