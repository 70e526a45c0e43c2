"""Imports point one way: what stands below knows nothing of what stands above (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ctxkit

ROOT = Path(ctxkit.__file__).parent
# From the bottom to the top. A package may import what stands below it, and its neighbours on the same floor as long
# as no circle comes of it.
FLOORS = (
    (
        'errors',
        'in_thread',
        'counted',
        'safety',
        'repo',
        'settings',
        'config',
        'tokens',
        'token_words',
        'rules',
        'records',
        'places',
        'log',
        'crash',
        'launch',
        '__init__',
    ),
    ('slicing', 'embedding', 'index', 'feedback'),
    ('units', 'memory', 'sessions', 'web', 'stream'),
    ('render', 'metrics', 'pipeline', 'warehouse', 'events', 'watcher', 'agents', 'integrations'),
    ('action', 'cli', '__main__'),
)
FLOOR = {name: number for number, names in enumerate(FLOORS) for name in names}
PARTS = {'stream.watch': 'watcher'}  # a program of its own that renders and starts workers; nothing but the cli has it
FACADE = ('__init__', 'units')  # the one function that the package itself offers, imported when it is asked for


def _imported(file: Path) -> Iterator[tuple[str, int]]:
    """(package or module below ctxkit, line) of each import of a file, those inside functions too."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == 'ctxkit':
            names = [f'ctxkit.{alias.name}' for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or '']
        else:
            continue
        for name in names:
            root, _, module = name.partition('.')
            if root == 'ctxkit' and module:
                yield '__init__' if module == '__version__' else _part(module), node.lineno


def _part(module: str) -> str:
    """The part of ctxkit that a module belongs to: as a rule the package or module directly below."""
    return PARTS.get(module, module.partition('.')[0])


@pytest.fixture(scope='module')
def graph() -> dict[str, dict[str, str]]:
    """Package -> the packages that it imports, each with a place where it does."""
    found: dict[str, dict[str, str]] = {name: {} for name in FLOOR}
    for file in sorted(ROOT.rglob('*.py')):
        path = file.relative_to(ROOT)
        package = _part('.'.join(path.with_suffix('').parts))
        for name, line in _imported(file):
            if name != package and (package, name) != FACADE:
                found[package].setdefault(name, f'{path.as_posix()}:{line}')
    return found


def test_nothing_imports_what_stands_above_it(graph):
    upward = [
        f'{place} imports {name}'
        for package, names in graph.items()
        for name, place in names.items()
        if FLOOR[name] > FLOOR[package]
    ]
    assert upward == []


def test_packages_of_one_floor_do_not_import_each_other_in_a_circle(graph):
    base = FLOORS[0]  # these few modules are one thing: a setting is an error or a path, and an error is shown safely
    above = {name: set(names) - set(base) for name, names in graph.items() if name not in base}
    TopologicalSorter(above).prepare()  # raises CycleError
    assert above['cli']  # it did see imports
