"""Find what an imported name means: the files that the import leads to, and what those re-export."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import FOLDER, Reference, language_of, scope_of
from ctxkit.units import packages
from ctxkit.units.modules import module_files
from ctxkit.units.seen import DEFINITION_KINDS, ECMASCRIPT, is_only_type, shared_folders

# Languages in which an import of a whole file or namespace does not bind its name.
NOTHING_BOUND = frozenset('ruby c cpp csharp php javascript typescript tsx bash'.split())
FURTHEST = 4  # re-exports that are followed in a row
DEFAULT = 'default'
Asked = tuple[str, tuple[str, ...]]  # a file, and the name looked for in it, in its parts


def binding(corpus: Corpus, path: str, name: str) -> Reference | None:
    """The import of `path` that binds `name`, if there is one."""
    where = corpus.file(path)
    if where is None or not name:
        return None
    bound = corpus.imports(*where).get(name)
    if bound is not None and not bound.name and not bound.alias and language_of(path) in NOTHING_BOUND:
        return None
    return bound


def imported(
    corpus: Corpus,
    path: str,
    reference: Reference,
    bound: Reference,
    candidates: Sequence[int],
) -> tuple[list[int], bool]:
    """(definitions that the reference means by its import `bound`, whether one was found there).

    If the import leads to a file without such a definition, all `candidates` are returned, as a guess; if it leads to
    no file, none are.
    """
    rest = reference.qualifier.split('.')[1:] if reference.qualifier else []
    wanted = reference.name if reference.qualifier else bound.name or reference.name
    module = bound.qualifier
    if reference.qualifier and not bound.name and not bound.alias and language_of(path) == 'python':
        module = module.partition('.')[0]  # `import package.module` binds the package
    if bound.name and reference.qualifier:
        rest = [bound.name, *rest]  # `from package import module`, or a class whose attribute is used
    if wanted != reference.name:
        candidates = [one for one in corpus.defining(wanted) if corpus.place(one).kind in DEFINITION_KINDS]
    if language_of(path) in packages.LANGUAGES:
        head = '.'.join([module, *rest[:1]] if bound.name else [module])
        return _by_package(corpus, path, reference, head, '.'.join([module, *rest, wanted]), candidates)
    # In such languages a file is named after its class; a nested class or static member is `Class.name` in it.
    inside = module.rpartition('.')[2] if not rest and bound.name and scope_of(path) == FOLDER else ''
    symbols = {wanted, f'{rest[-1]}.{wanted}'} if rest else {wanted, f'{inside}.{wanted}'}
    chains = [(rest[-1], wanted) if rest and bound.name else (wanted,)]
    first = []  # `const f = require('./f')`, `import f from './f'`: the file may call it something else
    if language_of(path) in ECMASCRIPT and bound.name in ('', DEFAULT) and len(rest) < 2:
        first = [(DEFAULT, wanted) if reference.qualifier else (DEFAULT,)]
        chains = chains if reference.qualifier and not bound.name else []
    known = False
    for files in _files(corpus, path, module, [wanted] if inside else [one for one in rest if one != DEFAULT]):
        known = True
        found = _first(corpus, files, first)
        if found:
            return found, True
        found = [
            one
            for one in candidates
            if corpus.path(one) in files
            and (corpus.place(one).symbol in symbols or not rest and scope_of(path) != FOLDER)
            and not (reference.kind == 'call' and is_only_type(corpus, one))
        ]
        if found:
            # for `Parser.text()` the method, not a function `text` of the same file
            own = [one for one in found if ('.' in corpus.place(one).symbol) == bool(rest)] or found
            near = max(shared_folders(path, corpus.path(one)) for one in own)
            return [one for one in own if shared_folders(path, corpus.path(one)) == near], True
        found = _first(corpus, files - {path}, chains)
        if found:
            return found, True
    return list(candidates) if known else [], False


def _by_package(
    corpus: Corpus, path: str, reference: Reference, head: str, name: str, candidates: Sequence[int]
) -> tuple[list[int], bool]:
    """The candidates whose full name is `name`, those in the nearest folders; else all of them as a guess, if
    they are looked for in a variable or in a class of the tree.

    Of several files that are equally near, one for each platform, none is said to be meant.
    """
    found = packages.called(corpus, path, name, candidates)
    if found:
        near = max(shared_folders(path, corpus.path(one)) for one in found)
        found = [one for one in found if shared_folders(path, corpus.path(one)) == near]
        return found, len({corpus.path(one) for one in found}) == 1
    if not reference.qualifier:
        return [], False
    is_variable = reference.qualifier[:1].islower()  # that has the name of an imported function
    is_here = is_variable or packages.called(corpus, path, head, corpus.defining(head.rpartition('.')[2]))
    return list(candidates) if is_here else [], False


def _first(corpus: Corpus, files: Collection[str], chains: Sequence[tuple[str, ...]]) -> list[int]:
    return next((found for chain in chains if (found := _re_exported(corpus, files, chain))), [])


def _files(corpus: Corpus, path: str, module: str, rest: Sequence[str]) -> Iterator[frozenset[str]]:
    """The files that a module name can mean; for a folder of JavaScript, the `main` of its package.json."""
    found = False
    for files in module_files(corpus.modules, path, module, rest):
        found = True
        yield files
    if not found and module.startswith('.') and language_of(path) in ECMASCRIPT:
        package = posixpath.normpath(posixpath.join(posixpath.dirname(path), module, 'package.json'))
        if package in corpus.modules:
            main = re.search(rb'"main"\s*:\s*"(?:\./)?([^"]+)"', corpus.source(package))
            if main is not None:
                yield from module_files(corpus.modules, package, f'./{main.group(1).decode("utf-8", "replace")}', ())


def by_stars(corpus: Corpus, path: str, reference: Reference, candidates: Sequence[int]) -> list[int]:
    """The definitions of a bare name that a star import gives: `from kit import *`."""
    for star in _stars(corpus, path):
        found, sure = imported(corpus, path, reference, star._replace(name=reference.name), candidates)
        if sure:
            return found
    return []


def _stars(corpus: Corpus, path: str) -> list[Reference]:
    where = corpus.file(path)
    return [one for one in corpus.importing(*where) if one.name == '*' and not one.alias] if where else []


def _re_exported(
    corpus: Corpus,
    files: Collection[str],
    names: tuple[str, ...],
    depth: int = 0,
    seen: dict[Asked, int] | None = None,
) -> list[int]:
    """The definitions of `names` ('Parser', 'text' for `Parser.text`) that `files` re-export from other files.

    By `export * from`, `from .parser import Parser` or `module.exports = Parser`. `seen` maps each question that was
    asked to its depth: files that re-export all of each other can be walked in every order, and asking again from no
    lesser depth finds nothing new.
    """
    seen = {} if seen is None else seen
    for step in sorted(files):
        if seen.get((step, names), FURTHEST + 1) <= depth:
            continue
        seen[step, names] = depth
        if names == (DEFAULT,):  # `module.exports = function () {}` is indexed as `exports`
            found = [one for one in corpus.defining('exports') if corpus.path(one) == step]
            if found:
                return found
        for given in _given(corpus, step, names[0]):
            inner = (given.name, *names[1:])
            if given.name in ('', '*'):  # all of a file, as a namespace or name by name
                inner = names if given.name else names[1:] or names
            rest = [given.name] if given.name not in ('', '*', DEFAULT) else []
            sources = module_files(corpus.modules, step, given.qualifier, rest) if given.qualifier else iter([{step}])
            for deeper in sources:
                same_name = [
                    one
                    for one in corpus.defining(inner[-1])
                    if corpus.place(one).kind in DEFINITION_KINDS and corpus.path(one) in deeper
                ]
                found = [one for one in same_name if corpus.place(one).symbol == '.'.join(inner)]
                if not found and len(same_name) == 1 and given.name not in ('*', DEFAULT):
                    found = same_name
                if not found and depth < FURTHEST:
                    further = set(deeper) - {step} if given.qualifier else deeper
                    found = _re_exported(corpus, further, inner, depth + 1, seen)
                if found:
                    return found
    return []


def _given(corpus: Corpus, path: str, name: str) -> Iterator[Reference]:
    """The imports that can give a file a name: the one that binds it, else its star imports."""
    bound = binding(corpus, path, name)
    if bound is not None:
        yield bound
    elif name != DEFAULT:
        yield from _stars(corpus, path)
