"""A request in another language finds the English names of the code."""

from __future__ import annotations

import pytest

from ctxkit import config, repo
from ctxkit.units.places import find_places

FILES = {
    'store.py': (
        'def load_settings(path):\n    return open(path).read()\n\n\ndef remove_cache(folder):\n    folder.unlink()\n'
    ),
    'net.py': ('def close_connection(peer):\n    peer.shutdown()\n\n\ndef send(peer, data):\n    peer.write(data)\n'),
}


@pytest.mark.parametrize(
    ('request_text', 'symbol'),
    [
        ('wie wird die Verbindung geschlossen', 'close_connection'),
        ('как удалить кэш', 'remove_cache'),
        ('如何删除缓存', 'remove_cache'),
        ('come viene chiusa la connessione', 'close_connection'),
    ],
)
def test_request_in_another_language_finds_the_function(git_repo, request_text, symbol):
    found = find_places(repo.find(git_repo(FILES)), config.Settings(), request_text, 1, '', 0.0)
    assert [place.symbol for place in found] == [symbol]
