"""What a chunk touches: callers, callees, tests, base and derived classes, the documentation that shows it.

Links are found when a unit is needed, by queries over the index of the current tree. A link is resolved if the file
itself, an import or the class says which definition is meant; by the name alone it is a guess, and a name with too
many definitions gives no link. A guess is never shown as a fact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.index.terms import is_plain
from ctxkit.slicing import Reference, language_of
from ctxkit.units.resolve import resolve
from ctxkit.units.seen import DEFINITION_KINDS
from ctxkit.units.stream import order_of

MAX_REFERRERS = 60  # callers looked at for one name
_CONSTRUCTORS = ('__init__', 'constructor', 'new', 'initialize', '__construct')


class Link(NamedTuple):
    """An edge: `relation` is calls, called by, used by, tested by, extends, extended by, uses or shown in."""

    relation: str
    chunk: int
    resolved: bool


def links(corpus: Corpus, chunk: int) -> list[Link]:
    """The links of a chunk, one for each chunk it touches, the most telling first.

    Relations take turns, so that the calls of a long function leave room for its callers and tests; a guess comes one
    turn later than a resolved link would.
    """
    place = corpus.place(chunk)
    out = dict.fromkeys([*_outgoing(corpus, chunk), *_incoming(corpus, chunk, place), *_shown(corpus, place)])
    seen: set[int] = {chunk}
    turns: Counter[str] = Counter()
    best: list[tuple[int, Link]] = []
    for link in sorted(out, key=lambda one: (not one.resolved, order_of(one.relation), corpus.in_order(one.chunk))):
        if link.chunk not in seen:
            seen.add(link.chunk)
            best.append((turns[link.relation] + (not link.resolved), link))
            turns[link.relation] += 1
    return [link for _, link in sorted(best, key=lambda one: (one[0], order_of(one[1].relation)))]


def _outgoing(corpus: Corpus, chunk: int) -> Iterator[Link]:
    """Links to what the chunk refers to."""
    relation = {'call': 'calls', 'base': 'extends', 'type': 'uses'}
    for reference in corpus.references(chunk):
        if reference.kind in relation and reference.name:
            targets, resolved = resolve(corpus, chunk, reference)
            for target in targets:
                yield Link(relation[reference.kind], target, resolved)


def _incoming(corpus: Corpus, chunk: int, place: Place) -> Iterator[Link]:
    """Links to the chunks that refer to this one, if it is a definition."""
    if place.kind not in DEFINITION_KINDS:
        return
    relation = {'call': 'called by', 'base': 'extended by', 'type': 'used by'}
    names = {place.name}
    wanted = {chunk}
    if language_of(corpus.path(chunk)) == 'elixir' and place.kind != 'class':
        from ctxkit.units import elixir  # what it takes to begin with, no other language needs

        wanted.update(elixir.clauses(corpus, chunk))
    owner = place.symbol.rpartition('.')[0]
    class_ = owner.rpartition('.')[2]
    is_constructor = place.kind == 'method' and place.name in (class_, *_CONSTRUCTORS)
    if is_constructor:  # calls of a constructor are written as calls of its class
        names = {class_}
        path = corpus.path(chunk)
        wanted |= {
            one
            for name in names
            for one in corpus.defining(name)
            if corpus.path(one) == path and corpus.place(one).symbol == owner
        }
    made_by_new = language_of(corpus.path(chunk)) == 'ruby' and (is_constructor or place.kind == 'class')
    for name in names:
        for other, used_name in _referrers(corpus, name):
            if other == chunk:
                continue
            uses = [one for one in corpus.references(other) if one.name == used_name and one.kind in relation]
            if made_by_new:
                uses += [one for one in corpus.references(other) if _constructs(one, used_name)]
            for reference in sorted(uses, key=lambda one: one.kind == 'type'):  # last: a call says more
                if is_constructor and reference.kind != 'call':  # naming the class as a type makes no object
                    continue
                targets, resolved = resolve(corpus, other, reference)
                if wanted.intersection(targets):
                    kind = relation[reference.kind]
                    if kind in ('called by', 'used by') and path_kind(corpus.path(other)) == 'test':
                        kind = 'tested by'
                    yield Link(kind, other, resolved)
                    break


def _constructs(reference: Reference, name: str) -> bool:
    """Whether a reference makes an object of a class in Ruby: `Name.new`."""
    return reference.kind == 'call' and reference.name == 'new' and reference.qualifier.rpartition('.')[2] == name


def _referrers(corpus: Corpus, name: str) -> Iterator[tuple[int, str]]:
    """(chunk, the name that it uses) for chunks that may refer to `name`, also under the alias of an import."""
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
    """A link to the first documentation section that names the chunk; none if more than 8 sections do.

    A name that is a single word (`apply`, `Environment`) must be written as code: in backticks, called, or after a
    dot. Prose contains the word, or another form of it, by chance.
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
    """Whether a page lists past changes, which does not show how something is used."""
    name = path.rpartition('/')[2].partition('.')[0].lower()
    return name.startswith(('change', 'history', 'news', 'release', 'whatsnew'))
