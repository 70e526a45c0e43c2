"""Definitions that the last commits or uncommitted edits removed, and the code that still calls them.

A definition does not count as gone if another one may have taken its name over, or if an untracked or ignored file of
the work tree still has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.current import read_regular
from ctxkit.index.path_classes import is_outside_own_code
from ctxkit.index.record import DEFAULT_MAX_BYTES, Place, Record, load_places, make, path_hint
from ctxkit.index.store import Key
from ctxkit.slicing import language_of
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.edited import Edit, made_by, names_made
from ctxkit.units.history import Past
from ctxkit.units.namesakes import namesakes
from ctxkit.units.present import Part, Present
from ctxkit.units.seen import DEFINITION_KINDS
from ctxkit.units.still_called import RemovedDefinition, callers_of
from ctxkit.units.still_there import generated, given_otherwise, in_unknown_language, is_fallback, stands

MAX_SHOWN = 8  # removed definitions; those that are still called first
MAX_CALLERS = 6  # places that call removed definitions, shown with their code
MAX_STORED, MAX_SLICED = 200, 20  # old files that are read, and that are sliced: a commit can remove thousands


class Removal(NamedTuple):
    """A removed definition and its callers as (place, whether the call surely means this definition)."""

    definition: RemovedDefinition
    callers: tuple[tuple[Part, bool], ...]
    more: tuple[Place, ...] = ()  # what else the same commit removed from the file; only if nobody calls any of it


def of_history(corpus: Corpus, pasts: Iterable[Past], now: float) -> list[Removal]:
    """What the commits `pasts` (newest first) removed and is still gone; old versions are sliced once and stored."""
    out: dict[tuple[str, str], Removal] = {}
    old_files = _OldFiles(corpus)
    tree = Present(corpus)
    pasts = list(pasts)
    for number, past in enumerate(pasts):
        new = _new_since(old_files, pasts[: number + 1])
        for path, before, after in past.olds[:MAX_STORED]:
            if not language_of(path) or is_outside_own_code(path):
                continue
            old = old_files.places(path, before)
            kept = {place.symbol for _, place in corpus.in_file(path)}
            # a symbol that this commit left in the file was removed by a later one
            if after.strip('0') and any(place.symbol not in kept for place in old):
                kept.update(place.symbol for place in old_files.places(path, after))
            places = _outermost(old, kept, partial(namesakes, tree, path, new=new))
            source = corpus.source(path)
            # a file that git now ignores is not in the tree, but it is still there
            source_now = source or (read_regular(corpus.repo, path, DEFAULT_MAX_BYTES) or b'' if places else b'')
            old_source = cache(partial(corpus.blob, before))  # read once for all removed definitions of the file
            for place, same_name in places:
                removed = RemovedDefinition(path, place, past.commit, past.time, len(past.olds), same_name)
                if (path, place.symbol) in out or source_now and stands(place, old_source(), source_now):
                    continue
                callers_now = _callers(removed, tree, old_source)
                # a merge takes over what both sides removed: only a definition that is still called is news
                if callers_now or callers_now is not None and not past.merge:
                    out[path, place.symbol] = Removal(removed, callers_now)
    old_files.keep(now)
    return _chosen(out.values())


class _OldFiles:
    """Reads the places of old versions of files; only so many, because one commit can change thousands."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._stored, self._sliced = MAX_STORED, MAX_SLICED
        self._made: dict[Key, tuple[Record, int]] = {}
        self._places: dict[Key, list[Place]] = {}

    def places(self, path: str, blob: str) -> list[Place]:
        key = Key(blob, path_hint(path, DEFAULT_MAX_BYTES))
        if key not in self._places:  # the version after one commit is the version before the next one
            self._places[key] = self._read(path, blob, key)
        return self._places[key]

    def _read(self, path: str, blob: str, key: Key) -> list[Place]:
        if not self._stored:
            return []
        self._stored -= 1
        row = self._corpus.store.known([key]).get(key)
        if row is not None:
            return load_places(self._corpus.store.places(row.id))
        if not self._sliced:
            return []
        source = self._corpus.blob(blob)
        if not source:  # empty, or missing in a partial clone: must not be stored as an empty file
            return []
        self._sliced -= 1
        made = make(path, source, DEFAULT_MAX_BYTES)
        self._made[key] = made.record, len(made.chunks)
        return load_places(made.record.places)

    def keep(self, now: float) -> None:
        """Store the versions that were sliced: the next event asks for most of them again."""
        made = [(key, record, chunks) for key, (record, chunks) in self._made.items()]
        if made:
            self._corpus.store.add_bare(made, int(now // 86400))


def _new_since(old_files: _OldFiles, pasts: Sequence[Past]) -> Callable[[Part], bool]:
    """A test for whether one of the commits `pasts` (newest first) made a definition, as far as old files are read."""
    first: dict[str, str] = {}  # path -> the blob before the earliest commit that changed it; '' if it was added
    for past in reversed(pasts):
        for path, blob in {**dict.fromkeys(past.paths, ''), **{path: before for path, before, _ in past.olds}}.items():
            first.setdefault(path, blob)

    def new(part: Part) -> bool:
        blob = first.get(part.path)
        return blob is not None and not (
            blob and any(place.symbol == part.symbol for place in old_files.places(part.path, blob))
        )

    return new


def of_edits(
    corpus: Callable[[], Corpus],
    edits: Sequence[Edit],
    elsewhere: Callable[[str], bool],
    now: float,
) -> list[Removal]:
    """What uncommitted edits removed.

    `corpus` opens the index of the commit, without the edits; it is called only if needed. A definition is left out
    if `elsewhere` says that its name may be defined in a file that is not among `edits`.
    """
    made, names = {edit.path: made_by(edit) for edit in edits}, names_made(edits)
    known = sorted((edit for edit in edits if edit.before is not None), key=lambda edit: edit.path)
    files = len(known)
    present = cache(lambda: Present(corpus(), edits))

    def new(part: Part) -> bool:
        return part.symbol in made.get(part.path, ())

    out = []
    for edit in known:
        if is_outside_own_code(edit.path):
            continue

        def others(place: Place, path: str = edit.path) -> tuple[Part, ...] | None:
            if place.name in names or elsewhere(place.name):
                return None
            return namesakes(present(), path, place, new)

        for place, same_name in _outermost(edit.before or (), {chunk.symbol for chunk, _ in edit.chunks}, others):
            tree = present()
            old = tree.corpus.source(edit.path)
            if not edit.source or not stands(place, old, edit.source):
                removed = RemovedDefinition(edit.path, place, '', now, files, same_name)
                callers_now = _callers(removed, tree, lambda old=old: old)  # type: ignore[misc]
                if callers_now is not None:
                    out.append(Removal(removed, callers_now))
    return _chosen(out)


def _outermost(
    places: Sequence[Place], kept: AbstractSet[str], others: Callable[[Place], tuple[Part, ...] | None]
) -> list[tuple[Place, tuple[Part, ...]]]:
    """The `places` of a file that are gone, each with what `others` gives for it: its namesakes.

    A place is not gone if its symbol is in `kept` or `others` gives None. What was inside a function, or in a class
    that is gone as a whole, is left out.
    """
    out = []
    closed: set[int] = set()  # chunks whose inner definitions are not looked at
    for number, place in enumerate(places):
        lost = place.kind in DEFINITION_KINDS and place.symbol not in kept
        hidden = lost and place.parent in closed
        same_name = others(place) if lost and not hidden and _is_name(place.name) else None
        if same_name is not None:
            out.append((place, same_name))
        if hidden or same_name is not None or place.kind in FUNCTIONS:
            closed.add(number)
    gone = {place.symbol for place, _ in out}  # in Rust, the methods of a type stand beside it, not in it
    return [one for one in out if one[0].symbol.rpartition('.')[0] not in gone]


def _is_name(name: str) -> bool:
    """Whether code can use `name`; a title like `impl Display for Box` can change while all of it stays."""
    return name != '' and ' ' not in name


def _callers(
    removed: RemovedDefinition, tree: Present, old: Callable[[], bytes]
) -> tuple[tuple[Part, bool], ...] | None:
    """The places that still call what is gone; None if it is not gone, because something else now gives its name.

    `old` gives the file as it was before the removal.
    """
    name = removed.place.name
    if in_unknown_language(tree, name) or name in tree.imports(removed.path):  # its file may re-export the name
        return None
    found = callers_of(removed, tree)
    if not found and not tree.source(removed.path):
        return found
    if given_otherwise(tree, name, removed.path, removed.place.kind == 'method'):
        return None
    if language_of(removed.path) in ('c', 'cpp') and is_fallback(name, old()):
        return None
    owner = removed.owner.rpartition('.')[2]
    return None if owner and generated(tree, owner, name) else found


def _chosen(found: Iterable[Removal]) -> list[Removal]:
    """At most MAX_SHOWN: those that are still called, then the others, one entry for all of a file and commit."""
    called: list[Removal] = []
    others: dict[tuple[str, str], Removal] = {}
    for one in found:
        if one.callers:
            called.append(one)
        elif (key := (one.definition.commit, one.definition.path)) in others:
            others[key] = others[key]._replace(more=(*others[key].more, one.definition.place))
        else:
            others[key] = one
    return [*called, *others.values()][:MAX_SHOWN]


def callers(found: Iterable[Removal]) -> list[tuple[Part, RemovedDefinition]]:
    """At most MAX_CALLERS places that surely call a removed definition, each with that definition.

    Code comes before tests, and one caller of each definition before a second caller of any.
    """
    once: dict[tuple[str, int], tuple[bool, int, Part, RemovedDefinition]] = {}
    for one in found:
        # a caller without a symbol is an import at the top of a file, which shows little
        sure = [caller for caller, is_sure in one.callers if is_sure and caller.symbol]
        for number, caller in enumerate(sure):
            entry = is_outside_own_code(caller.path), number, caller, one.definition
            once.setdefault((caller.path, caller.start_line), entry)
    return [entry[2:] for entry in sorted(once.values(), key=lambda entry: entry[:2])[:MAX_CALLERS]]
