"""Which definition a use means, by the file itself, an import or the class around; by the name alone it is a guess."""

from __future__ import annotations

from collections.abc import Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import FOLDER, Reference, language_of, scope_of
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.modules import module_files
from ctxkit.units.seen import (
    EXPLICIT,
    calls_into,
    is_beside,
    is_hidden,
    is_inside,
    is_named_after,
    is_other_module,
    is_reachable,
    is_test,
    owner_of,
    shared_folders,
)

MAX_DEFINITIONS = 3  # a name with more links nothing by name
SELF = frozenset({'self', 'cls', 'this', 'super()', 'super', '@', 'Self', '$this', 'static', 'parent', 'base', 'me'})
DEFINITION_KINDS = frozenset({'function', 'method', 'class'})
# Where an import of a whole file or namespace gives it no name.
NOTHING_BOUND = frozenset('ruby c cpp csharp php javascript typescript tsx bash'.split())
# Where blocks, closures or callbacks hold definitions that other ones of the file do not see.
CALLBACKS = frozenset('javascript typescript tsx vue svelte ruby php lua'.split())


def resolve(corpus: Corpus, chunk: int, reference: Reference) -> tuple[list[int], bool]:
    """(definitions that a reference means, whether the code itself says so); ([], False) if nothing is known."""
    path = corpus.path(chunk)
    kinds = DEFINITION_KINDS if reference.kind == 'call' else {'class'}  # a type is no function
    candidates = [
        one
        for one in corpus.defining(reference.name)
        if corpus.place(one).kind in kinds
        and calls_into(path, corpus.path(one))
        and not (reference.kind != 'call' and is_hidden(path, corpus.path(one)))
    ]
    head, _, _ = reference.qualifier.partition('.')
    if not candidates:  # nothing is called that, but an import can have given it another name
        bound = None if reference.qualifier else _binding(corpus, path, reference.name)
        if bound is None or not bound.alias:
            return [], False
        return _imported(corpus, path, reference, bound, candidates)
    if reference.qualifier in SELF or head in SELF and reference.qualifier.count('.') == 0:
        return _own_method(corpus, chunk, path, reference, candidates)
    bound = _binding(corpus, path, head or reference.name)
    if bound is not None and (reference.qualifier or not _bound_elsewhere(corpus, chunk, path, reference.name)):
        return _imported(corpus, path, reference, bound, candidates)
    if not reference.qualifier:
        here = [one for one in candidates if corpus.path(one) == path and is_reachable(corpus, chunk, one)]
        if here and is_test(corpus, here[-1]):
            candidates = [one for one in candidates if not is_test(corpus, one)]
            here = []
        if here:
            return _of_several(corpus, chunk, reference, here)
        if reference.kind != 'base' and language_of(path) not in EXPLICIT:
            found = _inherited(corpus, chunk, path, candidates)
            if found:
                return found, True
        if scope_of(path) == FOLDER:
            near = [one for one in candidates if is_beside(corpus, chunk, one)]
            if len(near) == 1:
                return near, True
        free = [one for one in candidates if corpus.place(one).kind != 'method']
        return _guessed(free if free or language_of(path) in EXPLICIT else candidates)
    owner = reference.qualifier.rpartition('.')[2].removesuffix('()')
    here = [one for one in candidates if owner_of(corpus.place(one)) == owner and corpus.path(one) == path]
    if here and not (language_of(path) == 'elixir' and is_other_module(corpus, here[0], reference.qualifier)):
        return here[:1], True
    typed = [one for one in candidates if is_named_after(owner, owner_of(corpus.place(one)))]
    if len(typed) == 1:
        return typed, False
    return _guessed([one for one in candidates if corpus.place(one).kind == 'method'])


def _guessed(candidates: list[int]) -> tuple[list[int], bool]:
    """What a reference may mean by its name alone; too many are none."""
    return (candidates, False) if len(candidates) <= MAX_DEFINITIONS else ([], False)


def _of_several(corpus: Corpus, chunk: int, reference: Reference, here: list[int]) -> tuple[list[int], bool]:
    """What a bare name means of several of the same file: the innermost, or the last one that stands before the use.

    In the callbacks of a test file stand many of one name (`it(..., () => { class User {} })`): which is a guess, but
    for the signatures of one function.
    """
    inner = max(len(corpus.place(one).symbol) for one in here)
    here = [one for one in here if len(corpus.place(one).symbol) == inner]
    language = language_of(corpus.path(chunk))
    if len(here) == 1 or language not in CALLBACKS:
        return here[-1:], True
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
    if reference.kind != 'call':
        # `impl super::Executor for T` of Rust, `class Mine(self.Base)`: the bases of T are what is looked for.
        return _guessed([one for one in candidates if corpus.path(one) == path] or list(candidates))
    found = _inherited(corpus, chunk, path, candidates)
    if found:
        return found, True
    return _guessed([one for one in candidates if corpus.place(one).kind == 'method'])


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
                    following += [target for target in found if resolved and target not in seen]
        for one in following:
            seen.add(one)
            symbol = f'{corpus.place(one).symbol}.{corpus.place(candidates[0]).name}'
            inherited = [
                goal
                for goal in candidates
                if corpus.path(goal) == corpus.path(one) and corpus.place(goal).symbol == symbol
            ]
            if inherited:
                return inherited[:1]
        classes = following
    return []


def _binding(corpus: Corpus, path: str, name: str) -> Reference | None:
    """The import of `path` that binds `name`, if there is one."""
    where = corpus.file(path)
    if where is None or not name:
        return None
    bound = corpus.imports(*where).get(name)
    if bound is not None and not bound.name and not bound.alias and language_of(path) in NOTHING_BOUND:
        return None
    return bound


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
    if reference.qualifier and not bound.name and not bound.alias and language_of(path) == 'python':
        module = module.partition('.')[0]  # `import package.module` binds the package
    if bound.name and reference.qualifier:
        rest = [bound.name, *rest]  # `from package import module`, or a class whose attribute is used
    if wanted != reference.name:
        candidates = [one for one in corpus.defining(wanted) if corpus.place(one).kind in DEFINITION_KINDS]
    for files in module_files(corpus.modules, path, module, rest):
        found = [
            one
            for one in candidates
            if corpus.path(one) in files
            and (not rest or corpus.place(one).symbol in (wanted, '.'.join([rest[-1], wanted])))
            and (bool(rest) or '.' not in corpus.place(one).symbol or scope_of(path) != FOLDER)
        ]
        if found:
            # `Parser.text()`, and not the file's `text`
            own = [one for one in found if '.' in corpus.place(one).symbol]
            return [max(own or found, key=lambda one: (shared_folders(path, corpus.path(one)), one))], True
        for step in sorted(files):
            again = _binding(corpus, step, rest[-1] if rest and bound.name else wanted)
            if again is not None and step != path:
                for deeper in module_files(corpus.modules, step, again.qualifier, [again.name] if again.name else []):
                    found = [one for one in candidates if corpus.path(one) in deeper]
                    if len(found) == 1:
                        return found, True
    known = any(True for _ in module_files(corpus.modules, path, module, rest))
    return _guessed(list(candidates) if known else [])
