"""Find files by the module names that their paths give them, in any language."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

from ctxkit.slicing import Reference

_DOTTED = ('.js', '.jsx', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.vue', '.svelte')
_GO_MODULE = re.compile(rb'(?m)^module[ \t]+"?([^\s"]+)')
_PLATFORM = re.compile(r'\.(?:d|native|ios|android|web|svelte)$')


class ModulePaths:
    """The files of a tree by module: `src/a/b.py` and `src/a/b/__init__.py` are both (src, a, b)."""

    def __init__(self, paths: Collection[str], source: Callable[[str], bytes], rest: ModulePaths | None = None) -> None:
        """Derive the modules from `paths`, in addition to those of `rest`; `source` reads a file."""
        self._paths = paths
        self._source = source
        self._rest = rest
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._go_folders: dict[str, frozenset[str]] = {}
        for path in paths:
            for names in _module_names(path):
                self._by_last.setdefault(names[-1], []).append((names, path))

    def __contains__(self, path: str) -> bool:
        """Whether `path` is one of the files."""
        return path in self._paths or self._rest is not None and path in self._rest

    def at(self, stem: str) -> frozenset[str]:
        """The files that a path without its extension means: `a/b` is a/b.py, a/b/__init__.py or a/b/index.ts."""
        parts = tuple(part for part in stem.split('/') if part) or ('index',)
        return frozenset(path for path in self.ending(parts) if parts in _module_names(path))

    def ending(self, parts: tuple[str, ...]) -> frozenset[str]:
        """The files whose module path ends with `parts`, or with as many of the last ones as any does.

        A single last part is enough only if `parts` has no more, or if just one file matches.
        """
        if not parts:
            return frozenset()
        found = self._ending_in(parts[-1])
        deepest = max((len(names) for names, _ in found), default=0)  # `parts` can be 50,000
        for length in range(min(len(parts), deepest), 0, -1):
            tail = parts[-length:]
            matching = frozenset(path for names, path in found if names[-length:] == tail)
            if matching and (length == len(parts) or length >= 2 or len(matching) == 1):
                return matching
        return frozenset()

    def go_package(self, path: str, module: str) -> frozenset[str] | None:
        """The files, without tests, of the package that `import "module"` means in the Go file `path`.

        Empty if it is a package of a module outside the tree; None if the tree has no go.mod to tell.
        """
        modules = self._go_modules
        if not modules:
            return None
        name = module
        while name and name not in modules:
            name = name.rpartition('/')[0]
        if not name:
            return self._go_folder(f'vendor/{module}')
        # Of several modules of one name (testdata can have some), the one around the file is meant.
        enclosing = max((top for top in modules[name] if not top or path.startswith(f'{top}/')), key=len, default=None)
        tops = modules[name] if enclosing is None else [enclosing]
        return frozenset[str]().union(*(self._go_folder(f'{top}{module[len(name) :]}'.strip('/')) for top in tops))

    def _go_folder(self, folder: str) -> frozenset[str]:
        if folder not in self._go_folders:  # needed for each call into a package
            files = self.at(folder) if folder else (one for one in (*self._paths, *self._more()) if '/' not in one)
            self._go_folders[folder] = frozenset(
                one
                for one in files
                if one.rpartition('/')[0] == folder and one.endswith('.go') and not one.endswith('_test.go')
            )
        return self._go_folders[folder]

    @cached_property
    def _go_modules(self) -> Mapping[str, list[str]]:
        """Go module name, as in its go.mod -> the folders of the tree that declare it."""
        known = {name: list(folders) for name, folders in (self._rest._go_modules if self._rest else {}).items()}
        for path in self._paths:
            if path == 'go.mod' or path.endswith('/go.mod'):
                found = _GO_MODULE.search(self._source(path))
                if found:
                    known.setdefault(found.group(1).decode('utf-8', 'replace'), []).append(path.rpartition('/')[0])
        return known

    def _more(self) -> Collection[str]:
        return self._rest._paths if self._rest is not None else ()

    def _ending_in(self, name: str) -> Sequence[tuple[tuple[str, ...], str]]:
        own = self._by_last.get(name, ())
        return (*self._rest._ending_in(name), *own) if self._rest is not None else own


def bound_by(references: Iterable[Reference]) -> dict[str, Reference]:
    """Name -> the import among `references` that binds it; the last one if several do."""
    imports = (one for one in references if one.kind == 'import')
    return {one.alias or one.name or bound_name(one.qualifier): one for one in imports}


def bound_name(module: str) -> str:
    """The name that a plain import binds: `os` for `os.path`, `yaml` for `gopkg.in/yaml.v3`, `chi` for `.../chi/v5`."""
    if '/' not in module:
        return module.partition('.')[0]
    parts = module.rstrip('/').split('/')
    last = parts[-2] if len(parts) > 1 and parts[-1][:1] == 'v' and parts[-1][1:].isdigit() else parts[-1]
    return last.partition('.')[0]


def _module_names(path: str) -> list[tuple[str, ...]]:
    """The modules that a file can be imported as: `src/a/b.py` and `src/a/b/__init__.py` are both (src, a, b).

    In JavaScript, dots are part of the name (`user.service.ts`), but a platform is optional (`button.ios.ts`). A Go
    file can also be imported as its folder.
    """
    folder, _, name = path.rpartition('/')
    parts = tuple(folder.split('/')) if folder else ()
    stems = [name.partition('.')[0]]
    if name.endswith(_DOTTED):
        stem = name.rpartition('.')[0]
        stems = list(dict.fromkeys((stem, _PLATFORM.sub('', stem))))
    names = [parts if stem in ('__init__', 'index', 'mod') and parts else (*parts, stem) for stem in stems]
    return [*names, parts] if parts and name.endswith('.go') else names
