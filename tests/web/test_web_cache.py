"""What was found is kept for a minute, failures too, within bounds and without secrets."""

from __future__ import annotations

import time

import pytest
from helpers_web import NOW, SEARXNG, searxng, server

from ctxkit.errors import CtxError
from ctxkit.web import cache
from ctxkit.web.found import Found
from ctxkit.web.search import search

TOKEN = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'


def test_the_same_query_is_asked_once_a_minute(environ):
    with server(SEARXNG) as (url, seen):
        for moment, query in (
            (0, 'Latest  Django?'),
            (30, 'latest django'),
            (59, 'LATEST DJANGO!'),
            (61, 'latest django'),
        ):
            search(query, searxng(url), environ, NOW + moment)
        assert len(seen) == 2
        search('latest flask', searxng(url), environ, NOW + 61)
        assert len(seen) == 3


def test_a_failure_is_remembered_for_a_minute_unless_the_person_asks(environ):
    with server(b'', 500) as (url, seen):
        for retry in (False, False, True):
            with pytest.raises(CtxError, match='answered 500'):
                search('q', searxng(url), environ, NOW, retry=retry)
        assert len(seen) == 2


def test_the_cache_is_bounded_in_number_and_time(tmp_path):
    where = tmp_path / 'web'
    for number in range(100):
        cache.put(where, f'{number:032}', Found(f'{number}', ()), time.time())
    assert len(list(where.iterdir())) == cache.MAX_ENTRIES
    cache.put(where, 'f' * 32, Found('later', ()), time.time() + 120)
    assert [file.stem for file in where.iterdir()] == []
    assert cache.get(where, 'f' * 32, NOW) is None


@pytest.mark.parametrize(
    'rubbish',
    [b'', b'{', b'[]', b'{"time": "x"}', b'{"time": 1790000000, "text": 1, "links": 5}', b'\xff\xfe', b'[' * 60_000],
)
def test_a_damaged_cache_is_as_good_as_none(tmp_path, rubbish):
    (tmp_path / 'k.json').write_bytes(rubbish)
    assert cache.get(tmp_path, 'k', NOW) is None


def test_secrets_do_not_leave_the_machine_and_do_not_come_back(environ):
    result = {'title': f'T {TOKEN}', 'url': f'https://e.org/?t={TOKEN}', 'content': f'use {TOKEN}'}
    with server({'results': [result]}) as (url, seen):
        found = search(f'is {TOKEN} still valid today?', searxng(url), environ, NOW)
    assert 'ghp_' not in seen[0][1]
    (link,) = found.links
    assert 'ghp_' not in found.text + link.title + link.url
    assert all(b'ghp_a1' not in file.read_bytes() for file in cache.folder(environ).iterdir())
