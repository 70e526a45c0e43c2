"""What a chunk touches: callers, callees, tests, base and derived classes, the documentation that shows it.

Done when a unit is needed, as queries over the index restricted to the current tree. A link is `resolved` where the
file itself, an import or the class says which definition is meant; by name alone it is `guessed`; a name with too many
definitions links nothing. A guess is never shown as a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.index.terms import is_plain
from ctxkit.units.resolve import resolve
from ctxkit.units.seen import DEFINITION_KINDS

MAX_REFERRERS = 60  # callers looked at for one name
_CONSTRUCTORS = ('__init__', 'constructor', 'new', 'initialize', '__construct')
_ORDER = ('calls', 'called by', 'used by', 'tested by', 'extends', 'extended by', 'uses', 'shown in')


class Link(NamedTuple):
    """An edge: `relation` is calls, called by, used by, tested by, extends, extended by, uses or shown in."""

    relation: str
    chunk: int
    resolved: bool


def links(corpus: Corpus, chunk: int) -> list[Link]:
    """All links of a chunk in a stable order: resolved before guessed, then by relation and place."""
    place = corpus.place(chunk)
    out = dict.fromkeys([*_outgoing(corpus, chunk), *_incoming(corpus, chunk, place), *_shown(corpus, place)])
    seen: set[int] = {chunk}
    best = []
    for link in sorted(out, key=lambda one: (not one.resolved, _ORDER.index(one.relation), corpus.in_order(one.chunk))):
        if link.chunk not in seen:
            seen.add(link.chunk)
            best.append(link)
    return best


def _outgoing(corpus: Corpus, chunk: int) -> Iterator[Link]:
    relation = {'call': 'calls', 'base': 'extends', 'type': 'uses'}
    for reference in corpus.references(chunk):
        if reference.kind in relation and reference.name:
            targets, resolved = resolve(corpus, chunk, reference)
            for target in targets:
                yield Link(relation[reference.kind], target, resolved)


def _incoming(corpus: Corpus, chunk: int, place: Place) -> Iterator[Link]:
    if place.kind not in DEFINITION_KINDS:
        return
    relation = {'call': 'called by', 'base': 'extended by', 'type': 'used by'}  # as a type; a call says more
    names = {place.name}
    meant = {chunk}
    owner = place.symbol.rpartition('.')[0]
    class_ = owner.rpartition('.')[2]
    makes = place.kind == 'method' and place.name in (class_, *_CONSTRUCTORS)
    if makes:  # a call of the class is a call of its constructor
        names = {class_}
        path = corpus.path(chunk)
        meant |= {
            one
            for name in names
            for one in corpus.defining(name)
            if corpus.path(one) == path and corpus.place(one).symbol == owner
        }
    for name in names:
        for other, said in _referrers(corpus, name):
            if other == chunk:
                continue
            named = [one for one in corpus.references(other) if one.name == said and one.kind in relation]
            for reference in sorted(named, key=lambda one: one.kind == 'type'):
                if makes and reference.kind != 'call':  # a type that is named makes no object of it
                    continue
                targets, resolved = resolve(corpus, other, reference)
                if meant.intersection(targets):
                    kind = relation[reference.kind]
                    if kind in ('called by', 'used by') and path_kind(corpus.path(other)) == 'test':
                        kind = 'tested by'
                    yield Link(kind, other, resolved)
                    break


def _referrers(corpus: Corpus, name: str) -> Iterator[tuple[int, str]]:
    """(chunk, the name that it uses) for what may refer to `name`, under the alias of an import too."""
    found = corpus.referring(name)[:MAX_REFERRERS]
    for other in found:
        yield other, name
    aliased: dict[str, set[str]] = {}
    for other in found:
        for reference in corpus.references(other):
            if reference.kind == 'import' and reference.name == name and reference.alias not in ('', name):
                aliased.setdefault(corpus.path(other), set()).add(reference.alias)
    for path, aliases in aliased.items():
        where = corpus.file(path)
        for other in corpus.numbers(*where) if where else ():
            for alias in sorted(aliases & {reference.name for reference in corpus.references(other)}):
                yield other, alias


def _shown(corpus: Corpus, place: Place) -> Iterator[Link]:
    """The documentation section that names the chunk, if it is not a name that every page uses.

    A name that is one word (`apply`, `Environment`) must stand there as code does: between backticks, called, or after
    a dot. Prose holds the word, or another form of it, by chance.
    """
    if place.kind not in DEFINITION_KINDS or len(place.name) < 4:
        return
    found = [other for other in corpus.mentioning(place.name, 'section') if not _is_changelog(corpus.path(other))]
    if len(found) > 8:
        return
    if is_plain(place.name.lower()) and not any(map(str.isupper, place.name[1:])):
        as_code = re.compile(rf'[`.:>@]{re.escape(place.name)}\b|\b{re.escape(place.name)}[`(]')
        found = [other for other in found if as_code.search(corpus.text(other))]
    for other in found[:1]:
        yield Link('shown in', other, False)


def _is_changelog(path: str) -> bool:
    """Whether a page tells what once changed, which shows nobody how something is used."""
    name = path.rpartition('/')[2].partition('.')[0].lower()
    return name.startswith(('change', 'history', 'news', 'release', 'whatsnew'))
