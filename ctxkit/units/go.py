"""Find the definition that a name in Go code means.

A package is a folder, imported names are called by the name of their package, and most variables have a type that the
code spells out: the slicer writes the type in place of the variable.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.units.modules import module_files
from ctxkit.units.seen import Resolution, as_guess, guessed_method, is_reachable

DEEPEST = 6  # levels of embedded types that are followed


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> Resolution:
    """(those of `candidates` that the reference means, whether the code says so); ([], False) if it means none."""
    path, qualifier = corpus.path(chunk), reference.qualifier
    candidates = [one for one in candidates if not _is_test_of_others(path, corpus.path(one))]
    near = [one for one in candidates if _folder(corpus.path(one)) == _folder(path)]
    where = corpus.file(path)
    imports = corpus.imports(*where) if where else {}
    head, _, rest = qualifier.partition('.')
    if not qualifier:
        in_file = [one for one in near if corpus.path(one) == path and is_reachable(corpus, chunk, one)]
        top = in_file[-1:] or _called(corpus, near, reference.name)
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
    return guessed_method(corpus, candidates, qualifier.rpartition('.')[2].removesuffix('()'))


def _folder(path: str) -> str:
    return path.rpartition('/')[0]


def _is_test_of_others(path: str, other: str) -> bool:
    """Whether `other` is a test file that `path` cannot see: only tests in the same folder see what it defines."""
    return other.endswith('_test.go') and (not path.endswith('_test.go') or _folder(path) != _folder(other))


def _called(corpus: Corpus, found: Collection[int], symbol: str) -> list[int]:
    return [one for one in found if corpus.place(one).symbol == symbol]


def _in_package(corpus: Corpus, path: str, bound: Reference, candidates: Collection[int]) -> list[int]:
    """Those of `candidates` that stand in the package that the import `bound` names."""
    files = next(module_files(corpus.modules, path, bound.qualifier, ()), frozenset())
    return [one for one in candidates if corpus.path(one) in files]


def _of_system(corpus: Corpus, path: str, found: list[int]) -> Resolution:
    """Of several definitions in one package, the one for the same system as `path`, by file name; else all, guessed."""
    same = [one for one in found if _ending(corpus.path(one)) == _ending(path)]
    if len(found) == 1 or len(same) == 1:
        return same or found, True
    return as_guess(found)


def _ending(path: str) -> str:
    """The part after the last `_`: `windows` for `util_windows.go`, which is built only on that system."""
    return path.removesuffix('.go').removesuffix('_test').rpartition('_')[2]


def _embedded(corpus: Corpus, types: list[int], reference: Reference, candidates: Collection[int]) -> list[int]:
    """The methods called `reference.name` that `types` get from the types they embed, nearest level first; else [].

    Only calls are looked up: resolving a type this way would not end for `type A struct { A.B }`.
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
                    found, sure = resolve(corpus, one, base, classes)
                    fresh = [target for target in found if sure and target not in seen]
                    seen.update(fresh)  # now, or types that embed the same ones would double them at each level
                    following += fresh
        for one in following:
            near = [other for other in candidates if _folder(corpus.path(other)) == _folder(corpus.path(one))]
            own = _called(corpus, near, f'{corpus.place(one).symbol}.{reference.name}')
            if own:
                return own
        types = following
    return []
