"""Find code that still calls, extends or imports a removed definition, and how surely it means that definition.

It is sure if an import leads to the old file, or if the use stands in the same file or class. A call on a variable is a
guess, made only for a telling name that few use.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxkit.index.path_classes import is_outside_own_code
from ctxkit.index.record import Place
from ctxkit.slicing import FILE, FOLDER, Reference, language_of, languages_interoperate, scope_of
from ctxkit.units.modules import module_files
from ctxkit.units.present import Part, Present
from ctxkit.units.resolve import SELF
from ctxkit.units.still_there import built_in, gives_any_name, may_be_inherited, otherwise_used

SURE, LIKELY, BY_NAME = 'sure', 'likely', 'by name'  # how surely a reference means what is gone
MAX_BY_NAME = 3  # uses by the name alone; with more, the name says nothing
VARIABLES = frozenset('go python'.split())  # languages in which a capitalised name before a dot can be a value
PACKAGES = frozenset('java kotlin scala'.split())  # languages whose folders are named after packages
TELLING = re.compile(r'[^_]_[^_]|[a-z][A-Z]')  # a name of several words is unlikely to be used for two things
STATIC = re.compile(
    r'(?m)^[ \t]*(?:(?:global[ \t]+)?using[ \t]+static|import[ \t]+static(?=.*\*))[ \t][\w.:]*?(\w+)(?:\.\*)?[ \t]*;'
)


class RemovedDefinition(NamedTuple):
    """A definition at `place` of `path` that `commit` ('' for uncommitted edits) removed at `time`.

    `files` is how many files that commit, or the edits, changed or removed.
    """

    path: str
    place: Place
    commit: str
    time: float
    files: int
    namesakes: tuple[Part, ...] = ()  # other definitions of its name

    @property
    def owner(self) -> str:
        """The symbol of the class around it; '' if there is none."""
        return self.place.symbol.rpartition('.')[0]


def callers_of(removed: RemovedDefinition, tree: Present) -> tuple[tuple[Part, bool], ...]:
    """The places that may call a removed definition, each with whether it surely does; sure callers first.

    None is sure if the file that defined it can still provide the name in another way.
    """
    name = removed.place.name
    if name.startswith('~'):  # nobody calls a destructor
        return ()
    found = []
    for part in tree.referring(name):
        if not languages_interoperate(part.path, removed.path):
            continue
        certainties = {means(removed, part, one, tree) for one in part.references if one.name == name}
        best = next((one for one in (SURE, LIKELY, BY_NAME) if one in certainties), None)
        if best and (best == SURE or not removed.namesakes):
            found.append((part, best))
    by_name = [part for part, best in found if best == BY_NAME]
    if removed.place.kind == 'method':
        replaceable = bool(found) and may_be_inherited(tree, removed.owner, removed.path)
    else:
        replaceable = bool(found) and gives_any_name(tree, removed.path)
    # whoever committed the removal has most likely fixed the callers
    if removed.commit and (replaceable or len(by_name) > MAX_BY_NAME):
        found = [(part, best) for part, best in found if best != BY_NAME]
    source = tree.source(removed.path).decode('utf-8', 'replace')
    doubted = replaceable or any(best == SURE for _, best in found) and otherwise_used(name, source)

    def rank(one: tuple[Part, bool]) -> tuple[bool, bool, bool, str, int]:
        part, sure = one
        return not sure, not part.symbol, is_outside_own_code(part.path), part.path, part.start_line

    return tuple(sorted(((part, best == SURE and not doubted) for part, best in found), key=rank))


def means(removed: RemovedDefinition, part: Part, reference: Reference, tree: Present) -> str | None:
    """How surely a reference to the removed name means `removed`: SURE, LIKELY or BY_NAME; None if it does not."""
    owner = removed.owner
    if reference.kind == 'import':
        if removed.place.kind == 'method' and language_of(part.path) != 'kotlin':  # Kotlin imports extensions by name
            # elsewhere, only a static method can be imported: by the name of its class
            return SURE if reference.qualifier.rpartition('.')[2] == owner.rpartition('.')[2] != '' else None
        return SURE if _leads_to(reference.qualifier, removed, part.path, tree) else None
    if removed.place.kind == 'method':
        return _means_method(removed, part, reference, tree)
    head, last = reference.qualifier.partition('.')[0], reference.qualifier.rpartition('.')[2]
    same_file = part.path == removed.path
    bound = part.imports().get(head or reference.name)
    if bound is not None:
        if not reference.qualifier and bound.name not in ('', 'default', removed.place.name):
            return None  # the name is an alias of another definition
        inner = bound.name if reference.qualifier else ''  # `from package import module`
        whole = '.' in reference.qualifier and not bound.name and not bound.alias  # `import package.module`
        return (
            SURE
            if _leads_to(reference.qualifier if whole else bound.qualifier, removed, part.path, tree, inner)
            else None
        )
    if reference.qualifier:
        return LIKELY if _normalised(last) in _path_names(removed.path) else None
    if (same_file or scope_of(removed.path) != FILE) and built_in(removed.place.name, part.path):
        return None
    if same_file:
        return LIKELY if '*' in part.imports() else SURE  # a star import can provide any name
    rebound = reference.kind == 'call' and otherwise_used(
        removed.place.name, part.text()
    )  # by a parameter or a variable
    if scope_of(removed.path) == FOLDER and part.path.rpartition('/')[0] == removed.path.rpartition('/')[0]:
        return LIKELY if rebound or '*' in part.imports() else SURE
    if rebound or scope_of(part.path) == FILE or '*' in part.imports() or not TELLING.search(removed.place.name):
        return None
    return BY_NAME


def _means_method(removed: RemovedDefinition, part: Part, reference: Reference, tree: Present) -> str | None:
    """Like `means`, for a removed method: by `self`, by the name of its class, else by its own name alone."""
    owner, same_file = removed.owner, part.path == removed.path
    head, last = reference.qualifier.partition('.')[0], reference.qualifier.rpartition('.')[2].removesuffix('()')
    if reference.qualifier in SELF or not reference.qualifier:
        if not same_file or part.symbol.rpartition('.')[0] != owner:
            return None
        return LIKELY if not reference.qualifier and _imports_unknown_statics(part, tree) else SURE
    bound = part.imports().get(head)
    if bound is not None and bound.name == owner.rpartition('.')[2]:
        return LIKELY if _may_lead_to(bound.qualifier, removed.path) else None
    if last == owner.rpartition('.')[2]:
        package = reference.qualifier.rpartition('.')[0]
        far = package and language_of(part.path) in PACKAGES and not _may_lead_to(package, removed.path)
        return SURE if same_file else None if far else LIKELY
    if last[:1].isupper() and not last.isupper() and language_of(part.path) not in VARIABLES:  # another class or module
        return None
    return BY_NAME if TELLING.search(removed.place.name) else None


def _imports_unknown_statics(part: Part, tree: Present) -> bool:
    """Whether the file imports all static methods of a class outside the tree, which can provide any bare name."""
    if language_of(part.path) not in ('csharp', 'java'):
        return False
    source = tree.source(part.path).decode('utf-8', 'replace')
    return any(not any(True for _ in tree.defining(name)) for name in STATIC.findall(source))


def _path_names(path: str) -> set[str]:
    """The folders and the stem of a path: an import that leads to it, or to its package, ends with one of them."""
    *folders, name = path.split('/')
    return {_normalised(part) for part in (*folders, name.partition('.')[0], name.rpartition('.')[0])}


def _normalised(name: str) -> str:
    """`name` in lower case without `_`: for some languages `my_module` and `MyModule` are the same module."""
    return name.lower().replace('_', '')


def _leads_to(module: str, removed: RemovedDefinition, path: str, tree: Present, inner: str = '') -> bool:
    """Whether `module`, imported in `path`, is the one that defined `removed`, and not one of a namesake.

    If there are namesakes, the module must resolve to the file of `removed` and to no file of theirs.
    """
    if not removed.namesakes:
        return _may_lead_to(module, removed.path, inner)
    files = next(module_files(tree.modules_with(removed.path), path, module, [inner] if inner else []), frozenset())
    return removed.path in files and not any(one.path in files for one in removed.namesakes)


def _may_lead_to(module: str, path: str, inner: str = '') -> bool:
    """Whether a module can be the file `path`, or its package, by the name alone."""
    plain = re.sub(r'\.\w{1,4}$', '', module) if '/' in module else module
    if '/' in module and _normalised(plain.rpartition('/')[2]) in _path_names(path):  # `./user.service`
        return True
    parts = [part for part in (*re.split(r'[./\\:]+', plain), inner) if part]
    if language_of(path) == 'rust':
        parts = [part for part in parts if part not in ('crate', 'self', 'super')]
    return _normalised(parts[-1]) in _path_names(path) if parts else module != ''
