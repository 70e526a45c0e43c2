"""Which definition a use means, by the file itself, an import or the class around; by the name alone it is a guess."""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import FOLDER, Reference, language_of, scope_of
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units import c, go
from ctxkit.units.imported import binding, by_stars, imported
from ctxkit.units.seen import (
    DEFINITION_KINDS,
    ECMASCRIPT,
    EXPLICIT,
    MODULES,
    OVERLOADING,
    Meant,
    calls_into,
    guessed,
    is_beside,
    is_bound,
    is_free,
    is_hidden,
    is_inside,
    is_named_after,
    is_other_module,
    is_reachable,
    is_test,
    owner_of,
)

SELF = frozenset({'self', 'cls', 'this', 'super()', 'super', '@', 'Self', '$this', 'static'})
SELF_OF = {'php': 'parent', 'csharp': 'base'}  # elsewhere these are variables
# Where blocks, closures or callbacks hold definitions that other ones of the file do not see.
CALLBACKS = frozenset('javascript typescript tsx vue svelte ruby php lua'.split())


def resolve(corpus: Corpus, chunk: int, reference: Reference) -> Meant:
    """(definitions that a reference means, whether the code itself says so); ([], False) if nothing is known."""
    path = corpus.path(chunk)
    candidates = _candidates(corpus, path, reference)
    if language_of(path) == 'go':
        return go.meant(corpus, chunk, reference, candidates)
    head, _, _ = reference.qualifier.partition('.')
    if not candidates:  # nothing is called that, but an import can have given it another name
        bound = None if reference.qualifier else binding(corpus, path, reference.name)
        if bound is None:
            return [], False
        return _by_import(corpus, chunk, reference, bound, candidates)
    if reference.qualifier in SELF or reference.qualifier == SELF_OF.get(language_of(path)):
        return _own_method(corpus, chunk, path, reference, candidates)
    bound = binding(corpus, path, head or reference.name)
    if bound is not None and (reference.qualifier or not _bound_elsewhere(corpus, chunk, path, reference.name)):
        return _by_import(corpus, chunk, reference, bound, candidates)
    if not reference.qualifier:
        return _bare(corpus, chunk, path, reference, candidates)
    owner = reference.qualifier.rpartition('.')[2].removesuffix('()')
    here = [one for one in candidates if owner_of(corpus.place(one)) == owner and corpus.path(one) == path]
    if here and not (language_of(path) == 'elixir' and is_other_module(corpus, here[0], reference.qualifier)):
        return _one_of(corpus, chunk, here[:1] if language_of(path) not in OVERLOADING else here)
    typed = [one for one in candidates if owner and is_named_after(owner, owner_of(corpus.place(one)))]
    if len(typed) == 1:
        return typed, False
    return guessed([one for one in candidates if corpus.place(one).kind == 'method'])


def _candidates(corpus: Corpus, path: str, reference: Reference) -> list[int]:
    """The definitions of a name that a use in a file can mean at all."""
    kinds = DEFINITION_KINDS if reference.kind == 'call' else {'class'}  # a type is no function
    found = [
        one
        for one in corpus.defining(reference.name)
        if corpus.place(one).kind in kinds
        and calls_into(path, corpus.path(one))
        and not (reference.kind != 'call' and is_hidden(path, corpus.path(one)))
    ]
    if language_of(path) in c.LANGUAGES:
        found = c.visible(corpus, path, found)
    return _without_constructors(corpus, found) if language_of(path) in OVERLOADING else found


def _bare(corpus: Corpus, chunk: int, path: str, reference: Reference, candidates: list[int]) -> Meant:
    """What a name without anything before it means, where no import binds it."""
    candidates = [one for one in candidates if corpus.path(one) != path or is_free(corpus, one, reference.line)]
    here = [one for one in candidates if corpus.path(one) == path and is_reachable(corpus, chunk, one)]
    if here and is_test(corpus, here[-1]):
        candidates = [one for one in candidates if not is_test(corpus, one)]
        here = []
    if here:
        return _of_several(corpus, chunk, reference, here)
    if reference.kind != 'base' and language_of(path) not in EXPLICIT:
        found = _inherited(corpus, chunk, path, candidates)
        if found:
            return _one_of(corpus, chunk, found)
    if scope_of(path) == FOLDER:
        near = [one for one in candidates if is_beside(corpus, chunk, one)]
        if len(near) == 1:
            return near, True
    if language_of(path) in c.LANGUAGES:
        found = c.included(corpus, path, candidates)
    else:
        found = by_stars(corpus, path, reference, candidates)
    if found:
        return _one_of(corpus, chunk, found)
    if candidates and language_of(path) in MODULES and is_bound(corpus, path, reference.name):
        return [], False
    free = [one for one in candidates if corpus.place(one).kind != 'method']
    return guessed(free if free or language_of(path) in EXPLICIT else candidates)


def _without_constructors(corpus: Corpus, candidates: list[int]) -> list[int]:
    """Without the methods that a class has of its own name: a call of one is a call of the class."""
    classes = {(corpus.path(one), corpus.place(one).symbol) for one in candidates if corpus.place(one).kind == 'class'}
    return [one for one in candidates if (corpus.path(one), corpus.place(one).symbol.rpartition('.')[0]) not in classes]


def _by_import(corpus: Corpus, chunk: int, reference: Reference, bound: Reference, candidates: list[int]) -> Meant:
    path = corpus.path(chunk)
    found, sure = imported(corpus, path, reference, bound, candidates)
    if not sure and not reference.qualifier and bound.qualifier.startswith('.') and language_of(path) in ECMASCRIPT:
        return [], False  # the file is known, and has it under no name
    return _one_of(corpus, chunk, found) if sure else guessed(found)


def _one_of(corpus: Corpus, chunk: int, found: list[int]) -> Meant:
    """The last of what has one name in one place. Where the arguments tell which is meant, it can be any of them, and
    what looks like a call of the method itself can be one of a base class."""
    overloads = language_of(corpus.path(chunk)) in OVERLOADING and corpus.place(found[-1]).kind != 'class'
    if overloads and (len(found) > 1 or found == [chunk]):
        return guessed(found)
    return found[-1:], True


def _of_several(corpus: Corpus, chunk: int, reference: Reference, here: list[int]) -> Meant:
    """What a bare name means of several of the same file: the innermost, or the last one that stands before the use.

    In the callbacks of a test file stand many of one name (`it(..., () => { class User {} })`): which is a guess, but
    for the signatures of one function.
    """
    inner = max(len(corpus.place(one).symbol) for one in here)
    here = [one for one in here if len(corpus.place(one).symbol) == inner]
    language = language_of(corpus.path(chunk))
    if len(here) == 1 or language not in CALLBACKS:
        return _one_of(corpus, chunk, here)
    if language == 'typescript' and here[-1] - here[0] < len(here) and corpus.place(here[0]).kind != 'class':
        return here[-1:], True
    before = [one for one in here if corpus.place(one).line <= reference.line]
    return (before or here)[-1:], False


def _own_method(
    corpus: Corpus,
    chunk: int,
    path: str,
    reference: Reference,
    candidates: Sequence[int],
) -> Meant:
    """A call on the object itself: the method of the class around, else of a base class that can be resolved."""
    owner = corpus.place(chunk).symbol.rpartition('.')[0]
    parts = owner.split('.') if owner else []
    if reference.qualifier not in ('super()', 'super', 'parent', 'base'):
        while parts:
            symbol = '.'.join([*parts, reference.name])
            here = [one for one in candidates if corpus.path(one) == path and corpus.place(one).symbol == symbol]
            if here:
                return _one_of(corpus, chunk, here)
            parts.pop()
    if reference.kind != 'call':
        # `impl super::Executor for T` of Rust, `class Mine(self.Base)`: the bases of T are what is looked for.
        return guessed([one for one in candidates if corpus.path(one) == path] or list(candidates))
    found = _inherited(corpus, chunk, path, candidates)
    if found:
        return _one_of(corpus, chunk, found)
    return guessed([one for one in candidates if corpus.place(one).kind == 'method'])


def _inherited(corpus: Corpus, chunk: int, path: str, candidates: Sequence[int]) -> list[int]:
    """What the class around has of a name by a base class that can be resolved; [] if it has none of that name."""
    if not candidates:
        return []
    owner = corpus.place(chunk).symbol
    if corpus.place(chunk).kind != 'class':
        owner = owner.rpartition('.')[0]
    seen: set[int] = set()
    classes = [one for one in corpus.defining(owner.rpartition('.')[2]) if corpus.path(one) == path]
    for _ in range(6):  # up the base classes
        following: list[int] = []
        for one in classes:
            for base in corpus.references(one):
                if base.kind == 'base':
                    found, resolved = resolve(corpus, one, base)
                    fresh = [target for target in found if resolved and target not in seen]
                    seen.update(fresh)  # at once: classes that share their bases would double them with each step
                    following += fresh
        for one in following:
            symbol = f'{corpus.place(one).symbol}.{corpus.place(candidates[0]).name}'
            inherited = [
                goal
                for goal in candidates
                if corpus.path(goal) == corpus.path(one) and corpus.place(goal).symbol == symbol
            ]
            if inherited:
                return inherited if language_of(path) in OVERLOADING else inherited[:1]
        classes = following
    return []


def _bound_elsewhere(corpus: Corpus, chunk: int, path: str, name: str) -> bool:
    """Whether a name that the file itself defines is imported within functions alone, and not within this one."""
    if not any(corpus.path(one) == path and corpus.place(one).symbol == name for one in corpus.defining(name)):
        return False
    symbol = corpus.place(chunk).symbol
    importing = [
        place
        for number, place in corpus.in_file(path)
        if any(one.kind == 'import' and (one.alias or one.name) == name for one in corpus.references(number))
    ]
    return all(place.kind in FUNCTIONS and not is_inside(symbol, place.symbol) for place in importing)
