"""A small index that is damaged or deleted, and whether it works again."""

from __future__ import annotations

from helpers_main import block, symbols, update

from ctxkit.repo import find

CODE = {f'mod{number}.py': f'def function_{number}(value):\n    return value + {number}\n' for number in range(8)}


def index_of(root):
    """The file of the database."""
    return find(root).data_dir / 'index.db'


def remove_index(root):
    """Delete the database with its log."""
    for name in ('index.db', 'index.db-wal', 'index.db-shm'):
        (find(root).data_dir / name).unlink(missing_ok=True)


def assert_works(root):
    """All files of CODE are indexed, found and shown."""
    assert update(root).files == len(CODE)
    assert 'function_3' in symbols(root, 'function_3')
    assert 'return value + 3' in block(root, 'function_3').to_xml()
