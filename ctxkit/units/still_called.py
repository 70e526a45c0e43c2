"""Who still calls, extends or imports a definition that is gone, and whether the code itself says that it is meant.

It is told by the call itself: by an import that leads to the old file, by the file or the class around both. A call on
a variable is a guess, made for a telling name that few use.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ctxkit.index.path_classes import beside
from ctxkit.index.record import Place
from ctxkit.slicing import FILE, FOLDER, Reference, language_of, scope_of, together
from ctxkit.units.modules import module_files
from ctxkit.units.present import Part, Present
from ctxkit.units.resolve import SELF
from ctxkit.units.still_there import built_in, gives_any_name, may_be_inherited, otherwise_used

SURE, LIKELY, BY_NAME = 'sure', 'likely', 'by name'  # how much says that a reference means what is gone
MAX_BY_NAME = 3  # a name that more use says nothing
VARIABLES = frozenset('go python'.split())  # where a name in upper case before a dot can be a value
PACKAGES = frozenset('java kotlin scala'.split())  # where folders are named as packages are
TELLING = re.compile(r'[^_]_[^_]|[a-z][A-Z]')
STATIC = re.compile(
    r'(?m)^[ \t]*(?:(?:global[ \t]+)?using[ \t]+static|import[ \t]+static(?=.*\*))[ \t][\w.:]*?(\w+)(?:\.\*)?[ \t]*;'
)


class Gone(NamedTuple):
    """A definition that was at `place` of `path`; `commit` removed it ('' if that is not committed) at `time`."""

    path: str
    place: Place
    commit: str
    time: float
    files: int
    namesakes: tuple[Part, ...] = ()  # other definitions of its name

    @property
    def owner(self) -> str:
        """The symbol of the class around it, '' if there is none."""
        return self.place.symbol.rpartition('.')[0]


def callers_of(gone: Gone, tree: Present) -> tuple[tuple[Part, bool], ...]:
    """The places that may call a removed definition, each with whether it surely does. None is sure where the file that
    defined it can still give the name in another way."""
    name = gone.place.name
    if name.startswith('~'):  # nobody calls a destructor
        return ()
    found = []
    for part in tree.referring(name):
        if not together(part.path, gone.path):
            continue
        said = {means(gone, part, one, tree) for one in part.references if one.name == name}
        best = next((one for one in (SURE, LIKELY, BY_NAME) if one in said), None)
        if best and (best == SURE or not gone.namesakes):
            found.append((part, best))
    by_name = [part for part, best in found if best == BY_NAME]
    if gone.place.kind == 'method':
        given = bool(found) and may_be_inherited(tree, gone.owner, gone.path)
    else:
        given = bool(found) and gives_any_name(tree, gone.path)
    if gone.commit and (
        given or len(by_name) > MAX_BY_NAME
    ):  # whoever committed this has most likely mended the callers
        found = [(part, best) for part, best in found if best != BY_NAME]
    source = tree.source(gone.path).decode('utf-8', 'replace')
    doubted = given or any(best == SURE for _, best in found) and otherwise_used(name, source)

    def rank(one: tuple[Part, bool]) -> tuple[bool, bool, bool, str, int]:
        part, sure = one
        return not sure, not part.symbol, beside(part.path), part.path, part.start_line

    return tuple(sorted(((part, best == SURE and not doubted) for part, best in found), key=rank))


def means(gone: Gone, part: Part, reference: Reference, tree: Present) -> str | None:
    """How much says that a reference of the removed name means what was removed; None if it does not."""
    owner = gone.owner
    if reference.kind == 'import':
        if gone.place.kind == 'method' and language_of(part.path) != 'kotlin':  # there, extensions are imported by name
            # of what is in a class only a static method can be imported
            return SURE if reference.qualifier.rpartition('.')[2] == owner.rpartition('.')[2] != '' else None
        return SURE if _leads_to(reference.qualifier, gone, part.path, tree) else None
    if gone.place.kind == 'method':
        return _means_method(gone, part, reference, tree)
    head, last = reference.qualifier.partition('.')[0], reference.qualifier.rpartition('.')[2]
    same = part.path == gone.path
    bound = part.imports().get(head or reference.name)
    if bound is not None:
        if not reference.qualifier and bound.name not in ('', 'default', gone.place.name):
            return None  # another definition, imported under this name
        inner = bound.name if reference.qualifier else ''  # `from package import module`
        whole = '.' in reference.qualifier and not bound.name and not bound.alias  # `import package.module`
        return (
            SURE if _leads_to(reference.qualifier if whole else bound.qualifier, gone, part.path, tree, inner) else None
        )
    if reference.qualifier:
        return LIKELY if _plain(last) in _names(gone.path) else None
    if (same or scope_of(gone.path) != FILE) and built_in(gone.place.name, part.path):
        return None
    if same:
        return LIKELY if '*' in part.imports() else SURE  # which can give any name
    taken = reference.kind == 'call' and otherwise_used(gone.place.name, part.text())  # a parameter, a variable
    if scope_of(gone.path) == FOLDER and part.path.rpartition('/')[0] == gone.path.rpartition('/')[0]:
        return LIKELY if taken or '*' in part.imports() else SURE
    if taken or scope_of(part.path) == FILE or '*' in part.imports() or not TELLING.search(gone.place.name):
        return None
    return BY_NAME


def _means_method(gone: Gone, part: Part, reference: Reference, tree: Present) -> str | None:
    owner, same = gone.owner, part.path == gone.path
    head, last = reference.qualifier.partition('.')[0], reference.qualifier.rpartition('.')[2].removesuffix('()')
    if reference.qualifier in SELF or not reference.qualifier:
        if not same or part.symbol.rpartition('.')[0] != owner:
            return None
        return LIKELY if not reference.qualifier and _any_name(part, tree) else SURE
    bound = part.imports().get(head)
    if bound is not None and bound.name == owner.rpartition('.')[2]:
        return LIKELY if _may_lead_to(bound.qualifier, gone.path) else None
    if last == owner.rpartition('.')[2]:
        package = reference.qualifier.rpartition('.')[0]
        far = package and language_of(part.path) in PACKAGES and not _may_lead_to(package, gone.path)
        return SURE if same else None if far else LIKELY
    if last[:1].isupper() and not last.isupper() and language_of(part.path) not in VARIABLES:  # another class or module
        return None
    return BY_NAME if TELLING.search(gone.place.name) else None


def _any_name(part: Part, tree: Present) -> bool:
    """Whether all static methods of a class that is not of the tree are imported, which can give a bare name."""
    if language_of(part.path) not in ('csharp', 'java'):
        return False
    source = tree.source(part.path).decode('utf-8', 'replace')
    return any(not any(True for _ in tree.defining(name)) for name in STATIC.findall(source))


def _names(path: str) -> set[str]:
    """The folders and the stem of a path: what an import that leads to it, or to its package, ends with."""
    *folders, name = path.split('/')
    return {_plain(part) for part in (*folders, name.partition('.')[0], name.rpartition('.')[0])}


def _plain(name: str) -> str:
    """`my_module` and `MyModule` are the same module to some languages."""
    return name.lower().replace('_', '')


def _leads_to(module: str, gone: Gone, path: str, tree: Present, inner: str = '') -> bool:
    """Whether an import of `path` is of what is gone. Where others have its name, the module must be its very file."""
    if not gone.namesakes:
        return _may_lead_to(module, gone.path, inner)
    files = next(module_files(tree.modules_with(gone.path), path, module, [inner] if inner else []), frozenset())
    return gone.path in files and not any(one.path in files for one in gone.namesakes)


def _may_lead_to(module: str, path: str, inner: str = '') -> bool:
    """Whether a module can be a file, or its package."""
    plain = re.sub(r'\.\w{1,4}$', '', module) if '/' in module else module
    if '/' in module and _plain(plain.rpartition('/')[2]) in _names(path):  # `./user.service`
        return True
    parts = [part for part in (*re.split(r'[./\\:]+', plain), inner) if part]
    if language_of(path) == 'rust':
        parts = [part for part in parts if part not in ('crate', 'self', 'super')]
    return _plain(parts[-1]) in _names(path) if parts else module != ''
