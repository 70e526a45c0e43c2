"""What is too much to be held comes back as it was put in."""

from __future__ import annotations

import os

import pytest

from ctxkit.errors import CtxError
from ctxkit.index import scratch
from ctxkit.index.scratch import Scratch


@pytest.mark.parametrize('held', [0, 20, 10_000])
def test_bytes_come_back_in_the_order_in_which_they_were_put_in(tmp_path, monkeypatch, held):
    monkeypatch.setattr(scratch, 'MOST_HELD', held)
    monkeypatch.setattr(scratch, 'PIECE', 4)
    with Scratch(tmp_path) as room:
        for number in range(30):
            room.put(number % 3, b'%d,' % number)
        said = [b''.join(b'%d,' % number for number in range(first, 30, 3)) for first in range(3)]
        assert [b''.join(room.pieces(name)) for name in range(3)] == said
        assert [room.size(name) for name in range(4)] == [*map(len, said), 0]
        assert [room.take(name) for name in range(4)] == [*said, b'']
        room.put('more', b'later')
        assert room.take('more') == b'later'
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone_is_told_in_a_line(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, 'MOST_HELD', 0)
    with Scratch(tmp_path / 'gone') as room, pytest.raises(CtxError, match='cannot be written'):
        room.put('name', b'bytes')


@pytest.mark.skipif(os.name == 'nt', reason='needs limits of the operating system')
@pytest.mark.parametrize('size', [100, 100_000])
def test_a_full_disk_is_told_in_a_line_whatever_was_still_to_be_written(tmp_path, monkeypatch, size):
    import resource

    monkeypatch.setattr(scratch, 'MOST_HELD', 0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(CtxError, match='cannot be written'), Scratch(tmp_path) as room:
            for number in range(100):
                room.put(number, bytes(size))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_a_folder_all_is_held(tmp_path, monkeypatch):
    monkeypatch.setattr(scratch, 'MOST_HELD', 0)
    monkeypatch.chdir(tmp_path)
    room = Scratch()
    room.put('name', b'one')
    room.put('name', b'two')
    assert room.take('name') == b'onetwo'
    assert list(tmp_path.iterdir()) == []
