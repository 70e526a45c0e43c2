"""Find the files of the tree that the module name of an import can mean, in any language."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from ctxkit.index.module_paths import ModulePaths
from ctxkit.slicing import language_of
from ctxkit.units.seen import ECMASCRIPT

_DECLARES = re.compile(r'\.d\.[cm]?ts$')
_EXTENSIONS = ('.js', '.ts', '.jsx', '.tsx', '.mjs', '.cjs', '.vue', '.svelte', '.h', '.hpp', '.php', '.rb', '.sh')


def module_files(modules: ModulePaths, path: str, module: str, rest: Sequence[str]) -> Iterator[frozenset[str]]:
    """The files that `module` can mean in `path`, longest name first: first with all of `rest` appended, last without.

    A relative name is looked up from the folder of `path`, any other by the end of the files' paths.
    """
    package = modules.go_package(path, module) if path.endswith('.go') else None
    if package is not None:
        if package:
            yield package
        return
    name = f'{module}/' if module in ('.', '..') and language_of(path) in ECMASCRIPT else module
    relative = name.startswith('.')
    if relative:
        found = _from_here(path, name)
        if found is None:
            return
        parts = found
    else:
        parts = [part for part in _split_module(name) if part not in ('crate', 'self', 'super', '')]
    for extra in range(len(rest), -1, -1):
        whole = [*parts, *rest[:extra]]
        if relative:
            files = modules.at('/'.join(whole))
            files = frozenset(file for file in files if not _DECLARES.search(file)) or files
        else:
            files = modules.ending(tuple(whole))
            if path.endswith(('.py', '.pyi')):
                files = _python_modules(modules, path, tuple(whole), files)
            elif path.endswith('.java'):  # the whole name, or it is the file of another package
                files = frozenset(file for file in files if f'/{file}'.endswith(f'/{"/".join(whole)}.java'))
        if files:
            yield files


def _from_here(path: str, name: str) -> list[str] | None:
    """The parts of the path that a name with leading dots means in `path`; None if it leads out of the repository."""
    base = path.split('/')[:-1]
    up = 0
    if name.startswith(('./', '../')):  # JavaScript
        while name.startswith(('./', '../')):
            up += name.startswith('../')
            name = name[3:] if name.startswith('../') else name[2:]
        parts = [part for part in name.split('/') if part]
        if parts:
            parts[-1] = parts[-1].rsplit('.', 1)[0] if parts[-1].endswith(_EXTENSIONS) else parts[-1]
    else:  # Python
        up = len(name) - len(name.lstrip('.')) - 1
        parts = [part for part in name.lstrip('.').split('.') if part]
    return [*base[: len(base) - up], *parts] if up <= len(base) else None


def _python_modules(modules: ModulePaths, path: str, parts: Sequence[str], files: frozenset[str]) -> frozenset[str]:
    """Those of `files` that an absolute import in Python can mean.

    The path must end with the whole name, below a folder that is not itself a package: `import json` does not mean
    app/json/__init__.py if app is one. A module of the standard library is only shadowed by one at the top, in src or
    lib, or beside the importing file.
    """
    folder = path.rpartition('/')[0]
    standard = parts[:1] and parts[0] in sys.stdlib_module_names
    out = set()
    for file in files:
        names = file.rpartition('.')[0].removesuffix('/__init__').split('/')
        above = '/'.join(names[: len(names) - len(parts)])
        whole = tuple(names[len(names) - len(parts) :]) == tuple(parts)
        if not whole or above and f'{above}/__init__.py' in modules:
            continue
        if not standard or above in ('', 'src', 'lib', folder):
            out.add(file)
    return frozenset(out)


def _split_module(name: str) -> list[str]:
    for mark in ('::', '\\', '/'):
        name = name.replace(mark, '.' if mark != '/' else '\0')
    if '\0' in name:  # a path: dots belong to names (github.com/...)
        return name.split('\0')
    return name.split('.')
