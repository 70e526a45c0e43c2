"""Moving HEAD in a repository with our hooks, and whether the context followed."""

from __future__ import annotations

from pathlib import Path

from helpers_events import log, settle, status, updates

CODE = {'app.py': 'def one():\n    return 1\n', 'lib.py': 'def two():\n    return 2\n'}


def change(root: Path, git, name: str, file: str = 'app.py') -> str:
    """Commit a new function; returns the commit."""
    with (root / file).open('a') as out:
        out.write(f'\n\ndef {name}():\n    return 0\n')
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', name)
    return git(root, 'rev-parse', 'HEAD').strip()


def head(root: Path, git) -> str:
    """The commit of HEAD."""
    return git(root, 'rev-parse', 'HEAD').strip()


def assert_fresh(root: Path, git) -> None:
    """Once the worker is done, the context describes HEAD."""
    settle(root)
    assert status(root).get('commit') == head(root, git), log(root)
    assert head(root, git)[:9] in (root / '.ctx' / 'context.xml').read_text('utf-8')


def rebase_of_twenty(root: Path, git) -> int:
    """Put twenty commits of a branch onto another; how many updates came of it once the context describes HEAD."""
    git(root, 'checkout', '-q', '-b', 'side')
    for number in range(20):
        change(root, git, f'side_{number}', 'side.py')
    git(root, 'checkout', '-q', 'main')
    change(root, git, 'on_main')
    git(root, 'checkout', '-q', 'side')
    settle(root)
    before = len(updates(root))
    git(root, 'rebase', '-q', 'main')
    assert_fresh(root, git)
    return len(updates(root)) - before
