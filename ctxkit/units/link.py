"""What a chunk touches: callers, callees, tests, base and derived classes, the documentation that shows it.

Done when a unit is needed, as queries over the index restricted to the current tree. A link is `resolved` where the
file itself, an import or the class says which definition is meant; by name alone it is `guessed`; a name with too many
definitions links nothing. A guess is never shown as a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place
from ctxkit.slicing import Reference
from ctxkit.units.modules import module_files

MAX_DEFINITIONS = 3  # a name with more links nothing by name
MAX_REFERRERS = 60  # callers looked at for one name
SELF = frozenset({'self', 'cls', 'this', 'super()', 'super', '@', 'Self', '$this', 'static', 'parent', 'base', 'me'})
DEFINITION_KINDS = frozenset({'function', 'method', 'class'})


class Link(NamedTuple):
    """An edge: `relation` is calls, called by, tested by, extends, extended by, uses or shown in."""

    relation: str
    chunk: int
    resolved: bool


def links(corpus: Corpus, chunk: int) -> list[Link]:
    """All links of a chunk in a stable order: resolved before guessed, then by relation and place."""
    place = corpus.place(chunk)
    out = dict.fromkeys([*_outgoing(corpus, chunk), *_incoming(corpus, chunk, place), *_shown(corpus, place)])
    seen: set[int] = {chunk}
    best = []
    for link in sorted(out, key=lambda one: (not one.resolved, _ORDER.index(one.relation), one.chunk)):
        if link.chunk not in seen:
            seen.add(link.chunk)
            best.append(link)
    return best


_ORDER = ('calls', 'called by', 'tested by', 'extends', 'extended by', 'uses', 'shown in')


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
    relation = {'call': 'called by', 'base': 'extended by', 'type': 'called by'}
    names = {place.name}
    if place.kind == 'method' and place.name in ('__init__', 'constructor', 'new', 'initialize', '__construct'):
        names = {place.symbol.rpartition('.')[0].rpartition('.')[2]}
    meant = {chunk}
    if place.name not in names:  # a call of the class is a call of its constructor
        owner = place.symbol.rpartition('.')[0]
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
            for reference in corpus.references(other):
                if reference.name != said or reference.kind not in relation:
                    continue
                targets, resolved = resolve(corpus, other, reference)
                if meant.intersection(targets):
                    kind = relation[reference.kind]
                    if kind == 'called by' and path_kind(corpus.path(other)) == 'test':
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
    """The documentation section that names the chunk, if it is not a name that every page uses."""
    if place.kind not in DEFINITION_KINDS or len(place.name) < 4:
        return
    found = [other for other in corpus.mentioning(place.name, 'section') if not _is_changelog(corpus.path(other))]
    for other in found[:1] if len(found) <= 8 else ():
        yield Link('shown in', other, False)


def _is_changelog(path: str) -> bool:
    """Whether a page tells what once changed, which shows nobody how something is used."""
    name = path.rpartition('/')[2].partition('.')[0].lower()
    return name.startswith(('change', 'history', 'news', 'release', 'whatsnew'))


def resolve(corpus: Corpus, chunk: int, reference: Reference) -> tuple[list[int], bool]:
    """(definitions that a reference means, whether the code itself says so); ([], False) if nothing is known."""
    candidates = [one for one in corpus.defining(reference.name) if corpus.place(one).kind in DEFINITION_KINDS]
    path = corpus.path(chunk)
    head, _, _ = reference.qualifier.partition('.')
    if not candidates:  # nothing is called that, but an import can have given it another name
        bound = None if reference.qualifier else _binding(corpus, path, reference.name)
        if bound is None or not bound.alias:
            return [], False
        return _imported(corpus, path, reference, bound, candidates)
    if reference.qualifier in SELF or head in SELF and reference.qualifier.count('.') == 0:
        return _own_method(corpus, chunk, path, reference, candidates)
    bound = _binding(corpus, path, head or reference.name)
    if bound is not None:
        return _imported(corpus, path, reference, bound, candidates)
    if not reference.qualifier:
        here = [one for one in candidates if corpus.path(one) == path and _reachable(corpus, chunk, one)]
        if here:
            return here[-1:], True
        if file_is_namespace(path):
            folder = path.rpartition('/')[0]
            near = [
                one
                for one in candidates
                if corpus.path(one).rpartition('/')[0] == folder and corpus.place(one).kind != 'method'
            ]
            if len(near) == 1:
                return near, True
        free = [one for one in candidates if corpus.place(one).kind != 'method'] or candidates
        return _guessed(free)
    owner = reference.qualifier.rpartition('.')[2].removesuffix('()')
    here = [one for one in candidates if _owner(corpus.place(one)) == owner and corpus.path(one) == path]
    if here:
        return here[:1], True
    typed = [one for one in candidates if _owner(corpus.place(one)) == owner]
    if len(typed) == 1:
        return typed, False
    return _guessed([one for one in candidates if corpus.place(one).kind == 'method'])


def _guessed(candidates: list[int]) -> tuple[list[int], bool]:
    """What a reference may mean by its name alone; too many are none."""
    return (candidates, False) if len(candidates) <= MAX_DEFINITIONS else ([], False)


def _owner(place: Place) -> str:
    return place.symbol.rpartition('.')[0].rpartition('.')[2]


def _reachable(corpus: Corpus, chunk: int, target: int) -> bool:
    """Whether a bare name in `chunk` can mean `target` of the same file: not a method, nor another function's own."""
    place, goal = corpus.place(chunk), corpus.place(target)
    if goal.kind == 'method':
        return not corpus.path(chunk).endswith(('.py', '.js', '.ts', '.tsx', '.jsx', '.go', '.rs', '.php', '.lua'))
    owner = goal.symbol.rpartition('.')[0]
    if not owner or place.symbol == owner or place.symbol.startswith(owner + '.'):
        return True
    return goal.kind == 'class' and not corpus.path(chunk).endswith(('.py', '.pyi'))  # Python needs `Outer.Inner`


def _own_method(
    corpus: Corpus,
    chunk: int,
    path: str,
    reference: Reference,
    candidates: Sequence[int],
) -> tuple[list[int], bool]:
    """A call on the object itself: the method of the class around, else of a base class that can be resolved."""
    owner = corpus.place(chunk).symbol.rpartition('.')[0]
    parts = owner.split('.') if owner else []
    if reference.qualifier not in ('super()', 'super', 'parent', 'base'):
        while parts:
            symbol = '.'.join([*parts, reference.name])
            here = [one for one in candidates if corpus.path(one) == path and corpus.place(one).symbol == symbol]
            if here:
                return here[-1:], True
            parts.pop()
    seen: set[int] = set()
    classes = [one for one in corpus.defining(owner.rpartition('.')[2]) if corpus.path(one) == path]
    for _ in range(6):  # up the base classes
        following: list[int] = []
        for one in classes:
            for base in corpus.references(one):
                if base.kind == 'base':
                    found, resolved = resolve(corpus, one, base)
                    following += [target for target in found if resolved and target not in seen]
        for one in following:
            seen.add(one)
            symbol = f'{corpus.place(one).symbol}.{reference.name}'
            inherited = [
                goal
                for goal in candidates
                if corpus.path(goal) == corpus.path(one) and corpus.place(goal).symbol == symbol
            ]
            if inherited:
                return inherited[:1], True
        classes = following
    return _guessed([one for one in candidates if corpus.place(one).kind == 'method'])


def _binding(corpus: Corpus, path: str, name: str) -> Reference | None:
    """The import of `path` that binds `name`, if there is one."""
    where = corpus.file(path)
    if where is None or not name:
        return None
    return corpus.imports(*where).get(name)


def _imported(
    corpus: Corpus,
    path: str,
    reference: Reference,
    bound: Reference,
    candidates: Sequence[int],
) -> tuple[list[int], bool]:
    """The definitions that an import leads to; one re-export on the way is followed."""
    rest = reference.qualifier.split('.')[1:] if reference.qualifier else []
    wanted = reference.name if reference.qualifier else bound.name or reference.name
    module = bound.qualifier
    if bound.name and reference.qualifier:
        rest = [bound.name, *rest]  # `from package import module`, or a class whose attribute is used
    if wanted != reference.name:
        candidates = [one for one in corpus.defining(wanted) if corpus.place(one).kind in DEFINITION_KINDS]
    for files in module_files(corpus, path, module, rest):
        found = [
            one
            for one in candidates
            if corpus.path(one) in files
            and (not rest or corpus.place(one).symbol in (wanted, '.'.join([rest[-1], wanted])))
            and (bool(rest) or '.' not in corpus.place(one).symbol or not file_is_namespace(path))
        ]
        if found:
            return found[-1:], True
        for step in sorted(files):
            again = _binding(corpus, step, rest[-1] if rest and bound.name else wanted)
            if again is not None and step != path:
                for deeper in module_files(corpus, step, again.qualifier, [again.name] if again.name else []):
                    found = [one for one in candidates if corpus.path(one) in deeper]
                    if len(found) == 1:
                        return found, True
    known = any(True for _ in module_files(corpus, path, module, rest))
    return _guessed(list(candidates) if known else [])


def file_is_namespace(path: str) -> bool:
    """Whether files of one folder share a namespace, so that a bare name can come from the file beside."""
    return path.endswith(('.go', '.java', '.kt', '.cs', '.swift', '.scala', '.c', '.h', '.cc', '.cpp', '.hpp'))
