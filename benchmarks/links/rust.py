"""rust-analyzer on a repository of Rust, without a build: its crates are read off the Cargo.toml files.

Needs Python 3.11, rust-analyzer, and rustc with the sources of its library (Debian: rust-src). What the
repository depends on need not be there: a call through a type of it is not known. All features are on, and tests are
built; code for other systems is not known, nor what macros of the repository's own make that run while it is built.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomllib

from benchmarks.links.calls import Answer, Call, Place, files_of
from benchmarks.links.server import Server

LANGUAGES = frozenset({'rust'})
SETTINGS = {
    'checkOnSave': False,
    'cachePriming': {'enable': False},
    'procMacro': {'enable': False},
    'files': {'watcher': 'client'},
}
_DEFINES = re.compile(r'\b(fn|struct|enum|union|trait|type|macro)(?:_rules!)?\s+(?:r#)?$')


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where rust-analyzer does not know, most of the time for want of a dependency."""
    root = root.resolve()
    able = {
        'general': {'positionEncodings': ['utf-32']},
        'textDocument': {'definition': {'linkSupport': True}},
        'experimental': {'serverStatusNotification': True},
    }
    options = {**SETTINGS, 'linkedProjects': [{'sysroot': _sysroot(), 'crates': crates(root)}]}
    ready = 'experimental/serverStatus'
    with Server(['rust-analyzer'], root, ready, capabilities=able, initializationOptions=options) as server:
        for call in calls:
            row = (root / call.path).read_text('utf-8', 'replace').split('\n')[call.line - 1]
            found = _defined(server, root / call.path, call.line - 1, call.column)
            if call.name == 'Self' or re.match(r'\s*!', row[call.column + len(call.name) :]):
                # `Self` leads to the block that it stands for, a macro also to a function of its name that it calls.
                found = [one for one in found if one.what == 'macro']
            inside = frozenset(one.place for one in found if one.what and not one.place.path.startswith('/'))
            elsewhere = frozenset(one.place for one in found)
            yield Answer(inside, elsewhere - inside) if found else None


class _Target(NamedTuple):
    """A definition, and the word before its name; '' where that is none of a function, a type or a macro."""

    place: Place
    what: str


def _defined(server: Server, path: Path, line: int, column: int) -> list[_Target]:
    """Where a name is defined."""
    targets = []
    for one in server.defined(path, line, column):
        before = one.before()
        if before.endswith('mod ') or (one.line, one.column) == (0, 0):
            continue  # a module of the name of a function that was not found
        what = _DEFINES.search(before)
        targets.append(_Target(server.place(one), what.group(1) if what else ''))
    return targets


def _sysroot() -> str:
    printed = subprocess.run(['rustc', '--print', 'sysroot'], check=True, capture_output=True, encoding='utf-8')
    return printed.stdout.strip()


def crates(root: Path) -> list[dict[str, Any]]:
    """The crates of a repository, as in a rust-project.json: of each package its library, then whatever uses that."""
    manifests = {}
    for path in files_of(root):
        if path.rpartition('/')[2] == 'Cargo.toml':
            try:
                manifests[(root / path).parent] = tomllib.loads((root / path).read_text('utf-8'))
            except tomllib.TOMLDecodeError:  # a template
                continue
    packages = {folder: one for folder, one in manifests.items() if 'name' in one.get('package', {})}
    out: list[dict[str, Any]] = []
    libraries: dict[Path, int] = {}
    for folder, manifest in packages.items():
        library = folder / manifest.get('lib', {}).get('path', 'src/lib.rs')
        if library.is_file():
            libraries[folder] = len(out)
            name = manifest.get('lib', {}).get('name', manifest['package']['name'])
            out.append(_crate(name, library, manifest))
    names = {packages[folder]['package']['name']: folder for folder in libraries}
    needed = {folder: list(_needed(root, folder, one, manifests, names)) for folder, one in packages.items()}
    for of_tests in (False, True):  # these may need what needs the library
        for folder, mine in libraries.items():
            for name, other, is_test in needed[folder]:
                crate = libraries.get(other)
                if is_test is of_tests and crate is not None and not _reaches(out, crate, mine):
                    out[mine]['deps'].append(_dependency(name, crate))
    for folder, manifest in packages.items():
        used = {name: libraries[other] for name, other, _ in needed[folder] if other in libraries}
        if folder in libraries:
            used[out[libraries[folder]]['display_name']] = libraries[folder]
        for program in _programs(folder, manifest):
            built = _crate(program.stem, program, manifest)
            built['deps'] = [_dependency(*one) for one in used.items()]
            out.append(built)
    return out


def _dependency(name: str, crate: int) -> dict[str, Any]:
    return {'crate': crate, 'name': name.replace('-', '_')}


def _crate(name: str, path: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    features = {*manifest.get('features', {}), *manifest.get('dependencies', {}), 'default'}
    cfg = ['test', 'debug_assertions', *sorted(f'feature="{one}"' for one in features)]
    package = manifest['package']
    edition = package.get('edition', '2021')
    return {
        'display_name': name.replace('-', '_'),
        'root_module': str(path),
        'edition': edition if isinstance(edition, str) else '2021',  # as the workspace says
        'deps': [],
        'cfg': cfg,
        'env': {'CARGO_PKG_NAME': package['name'], 'CARGO_PKG_VERSION': '1.0.0'},
    }


def _programs(folder: Path, manifest: Mapping[str, Any]) -> list[Path]:
    """What is built beside the library: programs, tests, examples, benchmarks."""
    said = [one.get('path') for kind in ('bin', 'test', 'example', 'bench') for one in manifest.get(kind, [])]
    found = {folder / one for one in said if one}
    found.update((folder / 'src/main.rs', folder / 'build.rs'))
    for kind in ('src/bin', 'tests', 'examples', 'benches'):
        found.update((folder / kind).glob('*.rs'))
        found.update((folder / kind).glob('*/main.rs'))
    return sorted(one for one in found if one.is_file())


def _needed(
    root: Path,
    folder: Path,
    manifest: Mapping[str, Any],
    manifests: Mapping[Path, Mapping[str, Any]],
    names: Mapping[str, Path],
) -> Iterator[tuple[str, Path, bool]]:
    """What a package depends on in the repository: (the name it gives it, its folder, whether its tests alone do)."""
    tables = [manifest, *manifest.get('target', {}).values()]
    for kind in ('dependencies', 'build-dependencies', 'dev-dependencies'):
        for name, said in (pair for table in tables for pair in table.get(kind, {}).items()):
            base = folder
            if isinstance(said, dict) and said.get('workspace'):
                above = (one for one in (folder, *folder.parents) if 'workspace' in manifests.get(one, {}))
                base = next(above, root)
                said = manifests.get(base, {}).get('workspace', {}).get('dependencies', {}).get(name, {})
            said = said if isinstance(said, dict) else {}
            if 'path' in said:
                yield name, Path(base, said['path']).resolve(), kind == 'dev-dependencies'
            elif said.get('package', name) in names:
                yield name, names[said.get('package', name)], kind == 'dev-dependencies'


def _reaches(out: Sequence[Mapping[str, Any]], start: int, goal: int) -> bool:
    """Whether a crate depends on another one, however far."""
    seen, todo = set[int](), [start]
    while todo:
        one = todo.pop()
        if one == goal:
            return True
        if one not in seen:
            seen.add(one)
            todo += [dep['crate'] for dep in out[one]['deps']]
    return False
