"""Which definition a name of Go means. A package is a folder, what it imports is called by the name of the package, and
the types of most variables are spelled out in the code (the slicer lets a variable stand as its type)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.modules import module_files
from ctxkit.units.seen import Meant, guessed, is_named_after, is_reachable, owner_of

DEEPEST = 6  # types within types


def meant(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> Meant:
    """(definitions that a reference means of those with its name, whether the code says so); ([], False) for none."""
    path, qualifier = corpus.path(chunk), reference.qualifier
    candidates = [one for one in candidates if not _is_test_of_others(path, corpus.path(one))]
    near = [one for one in candidates if _folder(corpus.path(one)) == _folder(path)]
    where = corpus.file(path)
    imports = corpus.imports(*where) if where else {}
    head, _, rest = qualifier.partition('.')
    if not qualifier:
        here = [one for one in near if corpus.path(one) == path and is_reachable(corpus, chunk, one)]
        top = here[-1:] or _called(corpus, near, reference.name)
        if not top and '.' in imports:  # `import . "module/package"`
            top = _called(corpus, _in_package(corpus, path, imports['.'], candidates), reference.name)
        return _of_system(corpus, path, top)
    if head in imports:
        found = _in_package(corpus, path, imports[head], candidates)
        own = _called(corpus, found, f'{rest}.{reference.name}'.lstrip('.'))
        if own or not rest:
            return _of_system(corpus, path, own)
        types = _in_package(corpus, path, imports[head], corpus.defining(rest))
        own = _embedded(corpus, types, reference, candidates)
        if not own and next(module_files(corpus.modules, path, imports[head].qualifier, ()), None) is None:
            return [], False
    else:
        own = _called(corpus, near, f'{qualifier}.{reference.name}')
        types = [one for one in corpus.defining(qualifier) if _folder(corpus.path(one)) == _folder(path)]
        own = own or _embedded(corpus, types, reference, candidates)
    if own:
        return _of_system(corpus, path, own)
    methods = [one for one in candidates if corpus.place(one).kind == 'method']
    last = qualifier.rpartition('.')[2].removesuffix('()')
    typed = [one for one in methods if is_named_after(last, owner_of(corpus.place(one)))]
    return guessed(typed if len(typed) == 1 else methods)


def _folder(path: str) -> str:
    return path.rpartition('/')[0]


def _is_test_of_others(path: str, other: str) -> bool:
    """Whether a file is a test of a package, which is no part of it for a file that is none."""
    return other.endswith('_test.go') and (not path.endswith('_test.go') or _folder(path) != _folder(other))


def _called(corpus: Corpus, found: Collection[int], symbol: str) -> list[int]:
    return [one for one in found if corpus.place(one).symbol == symbol]


def _in_package(corpus: Corpus, path: str, bound: Reference, candidates: Collection[int]) -> list[int]:
    """Those of some definitions that stand in an imported package."""
    files = next(module_files(corpus.modules, path, bound.qualifier, ()), frozenset())
    return [one for one in candidates if corpus.path(one) in files]


def _of_system(corpus: Corpus, path: str, found: list[int]) -> Meant:
    """What is meant of several of one name in one package: that for the same system, if the names of files tell it."""
    same = [one for one in found if _ending(corpus.path(one)) == _ending(path)]
    if len(found) == 1 or len(same) == 1:
        return same or found, True
    return guessed(found)


def _ending(path: str) -> str:
    """`windows` of `util_windows.go`, which is built on that system alone."""
    return path.removesuffix('.go').removesuffix('_test').rpartition('_')[2]


def _embedded(corpus: Corpus, types: list[int], reference: Reference, candidates: Collection[int]) -> list[int]:
    """What some types have of a name by those that they embed, the nearest first; [] if none of these has it.

    A type is had by none: to look for the one that is embedded in `type A struct { A.B }` would not end.
    """
    if reference.kind != 'call':
        return []
    seen = set(types)
    for _ in range(DEEPEST):
        following: list[int] = []
        for one in types:
            for base in corpus.references(one):
                if base.kind == 'base':
                    classes = [other for other in corpus.defining(base.name) if corpus.place(other).kind == 'class']
                    found, sure = meant(corpus, one, base, classes)
                    fresh = [target for target in found if sure and target not in seen]
                    seen.update(fresh)  # at once: types that share what they embed would double it with each step
                    following += fresh
        for one in following:
            beside = [other for other in candidates if _folder(corpus.path(other)) == _folder(corpus.path(one))]
            own = _called(corpus, beside, f'{corpus.place(one).symbol}.{reference.name}')
            if own:
                return own
        types = following
    return []
