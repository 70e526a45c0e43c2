"""Definitions that are gone, and who still calls them: by the last commits, or by edits that are not committed.

What another definition of its name may stand for is not gone, nor is what an untracked file of the work tree has still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.current import read_regular
from ctxkit.index.path_classes import beside
from ctxkit.index.record import DEFAULT_MAX_BYTES, Place, Record, hint, load_places, make
from ctxkit.index.store import Key
from ctxkit.slicing import language_of
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.edited import Edit, made_by, names_made
from ctxkit.units.history import Past
from ctxkit.units.namesakes import namesakes
from ctxkit.units.present import Part, Present
from ctxkit.units.seen import DEFINITION_KINDS
from ctxkit.units.still_called import Gone, callers_of
from ctxkit.units.still_there import generated, given_otherwise, in_unknown_language, stands, stood_in

MAX_SHOWN = 8  # removed definitions; those that are still called first
MAX_CALLERS = 6  # places that call them, shown with their code
MAX_STORED, MAX_SLICED = 200, 20  # old files that are looked at, and cut for it: a commit can remove thousands


class Broken(NamedTuple):
    """A removed definition and its callers, each with whether the call surely means this definition."""

    gone: Gone
    callers: tuple[tuple[Part, bool], ...]
    more: tuple[Place, ...] = ()  # what else of the file the commit removed, if nobody calls any of it


def of_history(corpus: Corpus, pasts: Iterable[Past], now: float) -> list[Broken]:
    """What the last commits removed, the newest first, as far as it is gone still. Old versions are cut once."""
    out: dict[tuple[str, str], Broken] = {}
    old_files = _OldFiles(corpus)
    tree = Present(corpus)
    pasts = list(pasts)
    for number, past in enumerate(pasts):
        new = _new_since(old_files, pasts[: number + 1])
        for path, before, after in past.olds[:MAX_STORED]:
            if not language_of(path) or beside(path):
                continue
            old = old_files.places(path, before)
            kept = {place.symbol for _, place in corpus.in_file(path)}
            if after.strip('0') and any(place.symbol not in kept for place in old):  # another may have removed them
                kept.update(place.symbol for place in old_files.places(path, after))
            places = _outermost(old, kept, partial(namesakes, tree, path, new=new))
            source = corpus.source(path)
            # what git was told to ignore is in no commit, but nobody misses it
            here = source or (read_regular(corpus.repo, path, DEFAULT_MAX_BYTES) or b'' if places else b'')
            was = cache(partial(corpus.blob, before))  # each definition that is gone asks for it
            for place, same_name in places:
                gone = Gone(path, place, past.commit, past.time, len(past.olds), same_name)
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
        self._places: dict[Key, list[Place]] = {}

    def places(self, path: str, blob: str) -> list[Place]:
        key = Key(blob, hint(path, DEFAULT_MAX_BYTES))
        if key not in self._places:  # the version after one commit is the version before the next
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
        if not source:  # empty, or lacking in this clone: that must not be stored as an empty file
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


def _new_since(old_files: _OldFiles, pasts: Sequence[Past]) -> Callable[[Part], bool]:
    """Says of a definition whether one of some commits, newest first, made it, as far as old files are looked at."""
    first: dict[str, str] = {}  # path -> the blob that the first commit found that changed it
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
) -> list[Broken]:
    """What uncommitted edits removed. `corpus`, without the edits, is opened if it is needed. What may be defined
    `elsewhere`, by name, is not told."""
    made, names = {edit.path: made_by(edit) for edit in edits}, names_made(edits)
    known = sorted((edit for edit in edits if edit.before is not None), key=lambda edit: edit.path)
    files = len(known)
    present = cache(lambda: Present(corpus(), edits))

    def new(part: Part) -> bool:
        return part.symbol in made.get(part.path, ())

    out = []
    for edit in known:
        if beside(edit.path):
            continue

        def others(place: Place, path: str = edit.path) -> tuple[Part, ...] | None:
            if place.name in names or elsewhere(place.name):
                return None
            return namesakes(present(), path, place, new)

        for place, same_name in _outermost(edit.before or (), {chunk.symbol for chunk, _ in edit.chunks}, others):
            tree = present()
            old = tree.corpus.source(edit.path)
            if not edit.source or not stands(place, old, edit.source):
                gone = Gone(edit.path, place, '', now, files, same_name)
                callers_now = _callers(gone, tree, lambda old=old: old)  # type: ignore[misc]
                if callers_now is not None:
                    out.append(Broken(gone, callers_now))
    return _chosen(out)


def _outermost(
    places: Sequence[Place], kept: AbstractSet[str], others: Callable[[Place], tuple[Part, ...] | None]
) -> list[tuple[Place, tuple[Part, ...]]]:
    """The definitions that are gone from a file that still has the symbols `kept`, each with its `others`, which are
    None for what is not gone; not what is inside a function, or in a class that is gone as a whole."""
    out = []
    inner: set[int] = set()  # whose definitions are not looked at
    for number, place in enumerate(places):
        lost = place.kind in DEFINITION_KINDS and place.symbol not in kept
        hidden = lost and place.parent in inner
        same_name = others(place) if lost and not hidden and _is_name(place.name) else None
        if same_name is not None:
            out.append((place, same_name))
        if hidden or same_name is not None or place.kind in FUNCTIONS:
            inner.add(number)
    told = {place.symbol for place, _ in out}  # the methods of a type of Rust stand beside it
    return [one for one in out if one[0].symbol.rpartition('.')[0] not in told]


def _is_name(name: str) -> bool:
    """Whether code can say a name: a title in its place (`impl Display for Box`) changes while all of it stays."""
    return name != '' and ' ' not in name


def _callers(gone: Gone, tree: Present, old: Callable[[], bytes]) -> tuple[tuple[Part, bool], ...] | None:
    """Who still calls what is gone; None where it is not gone, for something else gives the name now. `old` gives the
    file as it was."""
    name = gone.place.name
    if in_unknown_language(tree, name) or name in tree.imports(gone.path):  # which may pass it on
        return None
    found = callers_of(gone, tree)
    if not found and not tree.source(gone.path):
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
    """At most MAX_CALLERS places that surely call a removed definition, each with that definition: code before tests,
    and one caller of each definition before a second one of any."""
    once: dict[tuple[str, int], tuple[bool, int, Part, Gone]] = {}
    for one in found:
        sure = [caller for caller, said in one.callers if said and caller.symbol]  # an import shows little
        for number, caller in enumerate(sure):
            entry = beside(caller.path), number, caller, one.gone
            once.setdefault((caller.path, caller.start_line), entry)
    return [entry[2:] for entry in sorted(once.values(), key=lambda entry: entry[:2])[:MAX_CALLERS]]
