"""Find the definition that a use means: by the file itself, an import or the class around it, else a guess by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import FOLDER, Reference, language_of, scope_of
from ctxkit.units import c, packages
from ctxkit.units.imported import binding, by_stars, imported
from ctxkit.units.languages import by_language, narrowed
from ctxkit.units.seen import (
    DEFINITION_KINDS,
    ECMASCRIPT,
    EXPLICIT,
    MODULES,
    OVERLOADING,
    Resolution,
    as_guess,
    calls_into,
    is_beside,
    is_bound,
    is_bound_elsewhere,
    is_class,
    is_free,
    is_hidden,
    is_named_after,
    is_reachable,
    is_test,
    owner_of,
)

SELF = frozenset({'self', 'cls', 'this', 'super()', 'super', '@', 'Self', '$this', 'static'})
SELF_OF = {'csharp': 'base'}  # names that are ordinary variables in other languages
# Languages in which blocks, closures or callbacks contain definitions that the rest of the file does not see.
CALLBACKS = frozenset('javascript typescript tsx vue svelte ruby lua'.split())


def resolve(corpus: Corpus, chunk: int, reference: Reference) -> Resolution:
    """(definitions that `reference` in `chunk` means, whether the code itself says so); ([], False) if unknown."""
    path = corpus.path(chunk)
    meant = by_language(corpus, chunk, path, reference, partial(_candidates, corpus, path, reference))
    if meant is not None:
        return meant
    candidates = _candidates(corpus, path, reference)
    head, _, _ = reference.qualifier.partition('.')
    candidates, meant = narrowed(corpus, chunk, path, reference, candidates)
    if meant is not None:
        return meant
    if not candidates:  # nothing has this name, but it can be the alias of an import
        bound = None if reference.qualifier else binding(corpus, path, reference.name)
        if bound is None:
            return [], False
        return _by_import(corpus, chunk, reference, bound, candidates)
    if reference.qualifier in SELF or reference.qualifier == SELF_OF.get(language_of(path)):
        return _own_method(corpus, chunk, path, reference, candidates)
    bound = binding(corpus, path, head or reference.name)
    if bound is not None and (reference.qualifier or not is_bound_elsewhere(corpus, chunk, path, reference.name)):
        return _by_import(corpus, chunk, reference, bound, candidates)
    if not reference.qualifier:
        return _bare(corpus, chunk, path, reference, candidates)
    if language_of(path) in packages.LANGUAGES and '()' not in reference.qualifier:
        found = packages.called(corpus, path, f'{reference.qualifier}.{reference.name}', candidates)
        if found and packages.package_of(corpus, corpus.path(found[0])) and len(set(map(corpus.path, found))) == 1:
            return _last_or_overloads(corpus, chunk, found)
    owner = reference.qualifier.rpartition('.')[2].removesuffix('()')
    in_file = [one for one in candidates if owner_of(corpus.place(one)) == owner and corpus.path(one) == path]
    if in_file:
        return _last_or_overloads(corpus, chunk, in_file[:1] if language_of(path) not in OVERLOADING else in_file)
    typed = [one for one in candidates if owner and is_named_after(owner, owner_of(corpus.place(one)))]
    if len(typed) == 1:
        return typed, False
    return as_guess([one for one in candidates if corpus.place(one).kind == 'method'])


def _candidates(corpus: Corpus, path: str, reference: Reference) -> list[int]:
    """The definitions of the name that a reference in `path` can mean at all."""
    kinds = DEFINITION_KINDS if reference.kind == 'call' else {'class'}  # types and bases are classes
    found = [
        one
        for one in corpus.defining(reference.name)
        if corpus.place(one).kind in kinds
        and calls_into(path, corpus.path(one))
        and not (reference.kind != 'call' and is_hidden(path, corpus.path(one)))
    ]
    if language_of(path) in c.LANGUAGES:
        found = c.visible(corpus, path, found)
    elif language_of(path) in packages.WITH_PRIVATE:
        found = packages.without_private(corpus, path, found)
    return _without_constructors(corpus, found) if language_of(path) in OVERLOADING else found


def _bare(corpus: Corpus, chunk: int, path: str, reference: Reference, candidates: list[int]) -> Resolution:
    """What a name without a qualifier means if no import binds it."""
    candidates = [one for one in candidates if corpus.path(one) != path or is_free(corpus, one, reference.line)]
    in_file = [one for one in candidates if corpus.path(one) == path and is_reachable(corpus, chunk, one)]
    if in_file and is_test(corpus, in_file[-1]):
        candidates = [one for one in candidates if not is_test(corpus, one)]
        in_file = []
    if in_file:
        found, sure = _of_several_in_file(corpus, chunk, reference, in_file)
        return found, sure and not (language_of(path) == 'kotlin' and packages.hides(corpus, chunk, found[-1]))
    if reference.kind != 'base' and language_of(path) not in EXPLICIT:
        found = _inherited(corpus, chunk, path, candidates)
        if found:
            return _last_or_overloads(corpus, chunk, found)
    if scope_of(path) == FOLDER:
        near = [one for one in candidates if corpus.path(one) != path and is_beside(corpus, chunk, one)]
        if len(near) == 1:
            return near, True
        if (
            language_of(path) in packages.LANGUAGES
            and len({(corpus.path(one), corpus.place(one).kind) for one in near}) == 1
        ):  # overloads, or a companion
            return _last_or_overloads(corpus, chunk, near)
    if language_of(path) in c.LANGUAGES:
        found = c.included(corpus, path, candidates)
    else:
        found = by_stars(corpus, path, reference, candidates)
    if found:
        return _last_or_overloads(corpus, chunk, found)
    if candidates and language_of(path) in MODULES and is_bound(corpus, path, reference.name):
        return [], False
    free = [one for one in candidates if corpus.place(one).kind != 'method']
    return as_guess(free if free or language_of(path) in EXPLICIT else candidates)


def _without_constructors(corpus: Corpus, candidates: list[int]) -> list[int]:
    """`candidates` without the members of a class that is itself a candidate: a call of the name calls the class."""
    classes = {(corpus.path(one), corpus.place(one).symbol) for one in candidates if corpus.place(one).kind == 'class'}
    return [one for one in candidates if (corpus.path(one), corpus.place(one).symbol.rpartition('.')[0]) not in classes]


def _by_import(corpus: Corpus, chunk: int, reference: Reference, bound: Reference, candidates: list[int]) -> Resolution:
    path = corpus.path(chunk)
    found, sure = imported(corpus, path, reference, bound, candidates)
    if not sure and not reference.qualifier and bound.qualifier.startswith('.') and language_of(path) in ECMASCRIPT:
        return [], False  # the imported file is known and does not have it under any name
    if language_of(path) == 'lua' and sure:
        from ctxkit.units import lua

        found = lua.nearest(corpus, found)
        sure = len({corpus.path(one) for one in found}) == 1
    return _last_or_overloads(corpus, chunk, found) if sure else as_guess(found)


def _last_or_overloads(corpus: Corpus, chunk: int, found: list[int]) -> Resolution:
    """The last of several definitions of one name in one place.

    In a language with overloading, where the arguments decide, all of them as a guess; so is a call that seems to be
    one of the calling method itself, for it can mean a method of a base class.
    """
    overloads = language_of(corpus.path(chunk)) in OVERLOADING and corpus.place(found[-1]).kind != 'class'
    if overloads and (len(found) > 1 or found == [chunk]):
        return as_guess(found)
    return found[-1:], True


def _of_several_in_file(corpus: Corpus, chunk: int, reference: Reference, found: list[int]) -> Resolution:
    """What a bare name means of several definitions in the same file: the innermost, or the last one before the use.

    Callbacks of a test file can hold many of one name (`it(..., () => { class User {} })`): which one is meant is a
    guess, except for the overload signatures of one function in TypeScript.
    """
    inner = max(len(corpus.place(one).symbol) for one in found)
    found = [one for one in found if len(corpus.place(one).symbol) == inner]
    language = language_of(corpus.path(chunk))
    if len(found) == 1 or language not in CALLBACKS:
        return _last_or_overloads(corpus, chunk, found)
    if language == 'typescript' and found[-1] - found[0] < len(found) and corpus.place(found[0]).kind != 'class':
        return found[-1:], True
    before = [one for one in found if corpus.place(one).line <= reference.line]
    return (before or found)[-1:], False


def _own_method(
    corpus: Corpus,
    chunk: int,
    path: str,
    reference: Reference,
    candidates: Sequence[int],
) -> Resolution:
    """What `self.name` or `super.name` means: a method of the class around it, else of a resolved base class.

    Never one of the class around that class.
    """
    owner = corpus.place(chunk).symbol.rpartition('.')[0]
    parts = owner.split('.') if owner else []
    if reference.qualifier not in ('super()', 'super', 'base'):
        while parts:
            owner = '.'.join(parts)
            symbol = f'{owner}.{reference.name}'
            own = [one for one in candidates if corpus.path(one) == path and corpus.place(one).symbol == symbol]
            if own:
                return _last_or_overloads(corpus, chunk, own)
            if is_class(corpus, path, owner):
                break
            parts.pop()
    if reference.kind != 'call':
        # `class Mine(self.Base)`: to look in the bases would not end.
        return as_guess([one for one in candidates if corpus.path(one) == path] or list(candidates))
    found = _inherited(corpus, chunk, path, candidates)
    if found:
        return _last_or_overloads(corpus, chunk, found)
    return as_guess([one for one in candidates if corpus.place(one).kind == 'method'])


def _inherited(corpus: Corpus, chunk: int, path: str, candidates: Sequence[int]) -> list[int]:
    """Those of `candidates` that the class around `chunk` inherits from base classes that can be resolved."""
    if not candidates:
        return []
    owner = corpus.place(chunk).symbol
    if corpus.place(chunk).kind != 'class':
        owner = owner.rpartition('.')[0]
    seen: set[int] = set()
    classes = [one for one in corpus.defining(owner.rpartition('.')[2]) if corpus.path(one) == path]
    for _ in range(6):  # levels of base classes
        following: list[int] = []
        for one in classes:
            for base in corpus.references(one):
                if base.kind == 'base':
                    found, resolved = resolve(corpus, one, base)
                    fresh = [target for target in found if resolved and target not in seen]
                    seen.update(fresh)  # now, or classes that share bases would double them at each level
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
