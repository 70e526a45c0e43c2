"""Definitions that are gone, and who still calls them: by the last commits, or by edits that are not committed.

A name that is defined anywhere in the tree is not gone, nor is what an untracked file of the work tree still defines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.current import read_regular
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import DEFAULT_MAX_BYTES, Place, Record, hint, load_places, make
from ctxkit.index.store import Key
from ctxkit.slicing import language_of
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.edited import Edit, names_in
from ctxkit.units.history import Past
from ctxkit.units.present import Part, Present
from ctxkit.units.resolve import DEFINITION_KINDS
from ctxkit.units.still_called import Gone, callers_of
from ctxkit.units.still_there import generated, given_otherwise, in_unknown_language, stands, stood_in

MAX_SHOWN = 8  # removed definitions; those that are still called first
MAX_CALLERS = 6  # places that call them, shown with their code
MAX_STORED, MAX_SLICED = 200, 20  # old files that are looked at, and cut for it: a commit can remove thousands


class Broken(NamedTuple):
    """A removed definition with those who still call it, each with whether the code itself says that it is meant."""

    gone: Gone
    callers: tuple[tuple[Part, bool], ...]
    more: tuple[Place, ...] = ()  # what else of the file the commit removed, if nobody calls any of it


def of_history(corpus: Corpus, pasts: Iterable[Past], now: float) -> list[Broken]:
    """What the last commits removed, the newest first, as far as it is gone still. Old versions are cut once."""
    out: dict[tuple[str, str], Broken] = {}
    old_files = _OldFiles(corpus)
    tree = Present(corpus)

    @cache
    def lost(name: str) -> bool:
        return not corpus.defines(name)

    for past in pasts:
        for path, before, after in past.olds[:MAX_STORED]:
            if not language_of(path) or path_kind(path):
                continue
            places = list(_outermost(old_files.places(path, before), lost))
            if places and after.strip('0'):  # another commit may have removed them
                kept = {place.symbol for place in old_files.places(path, after)}
                places = [place for place in places if place.symbol not in kept]
            source = corpus.source(path)
            # what git was told to ignore is in no commit, but nobody misses it
            here = source or (read_regular(corpus.repo, path, DEFAULT_MAX_BYTES) or b'' if places else b'')
            was = cache(partial(corpus.blob, before))  # each definition that is gone asks for it
            for place in places:
                gone = Gone(path, place, past.commit, past.time, len(past.olds))
                if (path, place.symbol) in out or here and stands(place, was(), here):
                    continue
                callers_now = _callers(gone, tree, was)
                # who joins two lines of work takes over what each of them removed
                if callers_now or callers_now is not None and not past.merge:
                    out[path, place.symbol] = Broken(gone, callers_now)
    old_files.keep(now)
    return _chosen(out.values())


class _OldFiles:
    """The chunks of files as they were; a limited number of them, since one commit can change thousands."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._stored, self._sliced = MAX_STORED, MAX_SLICED
        self._made: dict[Key, tuple[Record, int]] = {}

    def places(self, path: str, blob: str) -> list[Place]:
        if not self._stored:
            return []
        self._stored -= 1
        key = Key(blob, hint(path, DEFAULT_MAX_BYTES))
        if key in self._made:  # what one commit left is what the next one found
            return load_places(self._made[key][0].places)
        row = self._corpus.store.known([key]).get(key)
        if row is not None:
            return load_places(self._corpus.store.places(row.id))
        if not self._sliced:
            return []
        source = self._corpus.blob(blob)
        if not source:  # an empty file, or one that this clone lacks: what is kept of it must not be that it is empty
            return []
        self._sliced -= 1
        made = make(path, source, DEFAULT_MAX_BYTES)
        self._made[key] = made.record, len(made.chunks)
        return load_places(made.record.places)

    def keep(self, now: float) -> None:
        """Store what was cut: the next event asks for most of it again."""
        made = [(key, record, chunks) for key, (record, chunks) in self._made.items()]
        if made:
            self._corpus.store.add_bare(made, int(now // 86400))


def of_edits(
    corpus: Callable[[], Corpus],
    edits: Sequence[Edit],
    elsewhere: Callable[[str], bool],
    now: float,
) -> list[Broken]:
    """What uncommitted edits removed. `corpus`, without the edits, is opened if it is needed. What may be defined
    `elsewhere`, by name, is not told."""
    here = names_in(edits)
    known = sorted((edit for edit in edits if edit.before is not None), key=lambda edit: edit.path)
    files = len(known)
    present = cache(lambda: Present(corpus(), edits))
    candidates = [
        (edit, place)
        for edit in known
        if not path_kind(edit.path)
        for place in _outermost(edit.before or (), lambda name: name not in here)
    ]
    out = []
    for edit, place in candidates:
        tree = present()
        if elsewhere(place.name) or any(True for _ in tree.defining(place.name)):
            continue
        old = tree.corpus.source(edit.path)
        if not edit.source or not stands(place, old, edit.source):
            gone = Gone(edit.path, place, '', now, files)
            callers_now = _callers(gone, tree, lambda old=old: old)  # type: ignore[misc]
            if callers_now is not None:
                out.append(Broken(gone, callers_now))
    return _chosen(out)


def _outermost(places: Sequence[Place], lost: Callable[[str], bool]) -> Iterator[Place]:
    """The definitions whose names are lost; not what is inside a function, or in a class that is lost as a whole."""
    gone = [place.kind in DEFINITION_KINDS and bool(place.name) and lost(place.name) for place in places]
    for number, place in enumerate(places):
        around = place.parent
        if gone[number] and (around < 0 or places[around].kind not in FUNCTIONS and not gone[around]):
            yield place


def _callers(gone: Gone, tree: Present, old: Callable[[], bytes]) -> tuple[tuple[Part, bool], ...] | None:
    """Who still calls what is gone; None where it is not gone, for something else gives the name now. `old` gives the
    file as it was."""
    name = gone.place.name
    if in_unknown_language(tree, name):
        return None
    found = callers_of(gone, tree)
    if not found:
        return found
    if given_otherwise(tree, name, gone.path, gone.place.kind == 'method'):
        return None
    if language_of(gone.path) in ('c', 'cpp') and stood_in(name, old()):
        return None
    owner = gone.owner.rpartition('.')[2]
    return None if owner and generated(tree, owner, name) else found


def _chosen(found: Iterable[Broken]) -> list[Broken]:
    """Those that are called still, then the others, all of a file in one; at most MAX_SHOWN."""
    called: list[Broken] = []
    others: dict[tuple[str, str], Broken] = {}
    for one in found:
        if one.callers:
            called.append(one)
        elif (key := (one.gone.commit, one.gone.path)) in others:
            others[key] = others[key]._replace(more=(*others[key].more, one.gone.place))
        else:
            others[key] = one
    return [*called, *others.values()][:MAX_SHOWN]


def callers(found: Iterable[Broken]) -> list[tuple[Part, Gone]]:
    """The first MAX_CALLERS places that surely call what is gone, each with what it calls: code before tests, and some
    of each that is gone before more of one."""
    once: dict[tuple[str, int], tuple[bool, int, Part, Gone]] = {}
    for one in found:
        sure = [caller for caller, said in one.callers if said and caller.symbol]  # an import shows little
        for number, caller in enumerate(sure):
            entry = bool(path_kind(caller.path)), number, caller, one.gone
            once.setdefault((caller.path, caller.start_line), entry)
    return [entry[2:] for entry in sorted(once.values(), key=lambda entry: entry[:2])[:MAX_CALLERS]]
