"""The base segment is the same however much of it is put together at a time."""

from __future__ import annotations

import pytest
from helpers_main import opened, update

from ctxkit.index import assemble
from ctxkit.index.base import base_file
from ctxkit.repo import find

CODE = {f'pack{number}/mod.py': f'def name_{number}():\n    return other_{number % 3}(1)\n' for number in range(9)}


def segment(root) -> bytes:
    file = base_file(find(root))
    file.unlink(missing_ok=True)
    with opened(root):
        return file.read_bytes()


@pytest.mark.parametrize('held', [0, 50_000])
def test_same_bytes_whether_postings_are_sorted_in_one_go_or_in_many(git_repo, monkeypatch, held):
    root = git_repo(CODE)
    update(root)
    whole = segment(root)
    monkeypatch.setattr(assemble, 'POSTINGS_AT_ONCE', 7)
    monkeypatch.setattr(assemble, 'MOST_CHUNKS_HELD', held)
    assert segment(root) == whole
