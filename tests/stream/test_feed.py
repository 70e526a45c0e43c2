"""Agents read one feed together: no unit is lost, none is repeated, a dead reader's units go to the others."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter

from helpers_stream import PATIENCE, Server, everything, settings_for, unit

from ctxkit.stream import feed, names, publish, server

PROJECT = 'p:0'


def fill(settings, count):
    with server.connected(settings.stream) as client:
        publish.add(client, PROJECT, [unit(number) for number in range(count)], settings)


def test_each_of_two_groups_sees_each_unit_once_with_four_readers_each(redis_server: Server):
    settings = settings_for(redis_server)
    seen: dict[str, list[str]] = {'review': [], 'index': []}

    def read(group: str, reader: str) -> None:
        with server.connected(settings.stream, block=1) as client:
            while entries := feed.take(client, PROJECT, group, reader, 50, 30, 0.3):
                seen[group] += [one.unit.id for one in entries]
                feed.done(client, PROJECT, group, [one.id for one in entries])

    with server.connected(settings.stream) as client:
        for group in seen:
            feed.join(client, PROJECT, group)
    fill(settings, 2000)
    readers = [threading.Thread(target=read, args=(group, f'r{number}')) for group in seen for number in range(4)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    for group, ids in seen.items():
        counts = Counter(ids)
        assert len(counts) == 2000, group
        assert set(counts.values()) == {1}, group


def test_what_a_dead_reader_took_is_claimed_by_another(redis_server: Server):
    settings = settings_for(redis_server)
    fill(settings, 3)
    with server.connected(settings.stream) as client:
        feed.join(client, PROJECT, 'g')
        assert len(feed.take(client, PROJECT, 'g', 'dies', 2, 30)) == 2
        assert [one.unit.symbol for one in feed.take(client, PROJECT, 'g', 'lives', 10, 30)] == ['f2']
        time.sleep(0.3)
        assert [one.unit.symbol for one in feed.take(client, PROJECT, 'g', 'lives', 10, 0.2)] == ['f0', 'f1', 'f2']


def test_a_new_group_begins_with_the_oldest_unit(redis_server: Server):
    settings = settings_for(redis_server)
    fill(settings, 5)
    with server.connected(settings.stream) as client:
        feed.join(client, PROJECT, 'late')
        feed.join(client, PROJECT, 'late')
        assert len(feed.take(client, PROJECT, 'late', 'r', 10, 30)) == 5


def test_an_entry_of_a_newer_schema_is_passed_over(redis_server: Server):
    settings = settings_for(redis_server)
    with server.connected(settings.stream) as client:
        client.xadd(names.units(PROJECT), {'schema': '99', 'id': 'x'})
        client.xadd(names.units(PROJECT), {'nonsense': b'\xff'})
    fill(settings, 1)
    with server.connected(settings.stream) as client:
        assert [one.unit and one.unit.symbol for one in everything(client, PROJECT)] == [None, None, 'f0']


def test_a_group_that_went_with_the_stream_is_made_again(redis_server: Server):
    settings = settings_for(redis_server)
    with server.connected(settings.stream) as client:
        assert feed.take(client, PROJECT, 'g', 'r', 10, 30) == []
        fill(settings, 1)
        assert len(feed.take(client, PROJECT, 'g', 'r', 10, 30)) == 1


def test_a_reader_outlasts_the_stream_that_it_waits_for(redis_server: Server):
    """A stream on which nothing is published for a day expires, and who reads in a group waits for it meanwhile."""
    settings = settings_for(redis_server)
    fill(settings, 1)
    with server.connected(settings.stream, block=PATIENCE) as client:
        feed.join(client, PROJECT, 'g')
        feed.done(client, PROJECT, 'g', [one.id for one in feed.take(client, PROJECT, 'g', 'r', 10, 30)])
        client.pexpire(names.units(PROJECT), 300)
        assert feed.take(client, PROJECT, 'g', 'r', 10, 30, PATIENCE) == []
        fill(settings, 2)  # the first is known to have been there
        assert [one.unit.symbol for one in feed.take(client, PROJECT, 'g', 'r', 10, 30)] == ['f1']


def test_the_command_line_tails_groups_and_tells(git_repo, redis_server: Server, monkeypatch):
    from ctxkit.repo import find
    from ctxkit.units import stream as local

    monkeypatch.setenv('CTXKIT_STREAM_URL', redis_server.url)
    root = git_repo({'a.py': 'x = 1\n'})
    (root / '.ctx').mkdir()
    local.write(root / '.ctx' / 'units.jsonl', [unit(1), unit(2)])

    def ctxkit(*args: str) -> str:
        done = subprocess.run(
            [sys.executable, '-m', 'ctxkit', 'stream', *args],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout

    assert ctxkit('publish', '--all') == '2 units published\n'
    assert ctxkit('publish', '--all') == '0 units published\n'
    assert 'src/a2.py:1-2 f2  added' in ctxkit('tail')
    assert ctxkit('tail', '--group', 'g', '--count', '1', '--json').count('"symbol": "f1"') == 1
    assert ctxkit('groups') == 'g: 1 reader, 0 pending, 1 to read\n'
    assert '2 units' in ctxkit('info')
    assert find(root).data_dir.joinpath('project').read_text().startswith('work:')
