"""Requests in six languages get the English of their terms; English ones are left alone."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ctxkit.embedding import load, terms
from ctxkit.embedding.terms import translate


@pytest.mark.parametrize(
    ('request_', 'words'),
    [
        ('errore di connessione al database', {'error', 'connection', 'database'}),
        ('wie werden die Passwörter geprüft', {'password', 'check'}),
        ('¿dónde se guarda la configuración del usuario?', {'save', 'config', 'user'}),
        ('comment le fichier est supprimé', {'file', 'delete'}),
        ('где проверяется пароль пользователя', {'check', 'password', 'user'}),
        ('如何解析配置文件', {'parse', 'config', 'file'}),
        # one word that marks the language is enough where none is English
        ('limite dei reindirizzamenti', {'limit', 'redirect'}),
        ('borrar los archivos viejos', {'delete', 'file'}),
        ('parallele Suche im Cache von Objekten', {'find', 'search', 'object'}),
    ],
)
def test_terms_are_put_beside_the_request(request_, words):
    out = translate(request_)
    assert out.startswith(request_)
    assert words <= set(out[len(request_) :].split())


@pytest.mark.parametrize(
    'request_',
    [
        'how are routes registered',
        'fix die() in parser',
        'TypeError: cannot read property of undefined',
        '',
        'naïve bayes',
        'come back from the list',
        'MethodView.dispatchRequest',
        # signs are no letters, and a word that means something in English marks nothing
        '\U0001f41b fix(cli): honor clean errors for type mismatches',
        'make compilation on non-unix platforms work',
        'limit redirects per object',
        'DES and MIT license in the old file',
        'von Neumann machine, parallel export',
        '\U0001f600 \u200b',
        'x' * 5000,
    ],
)
def test_english_requests_are_unchanged(request_):
    assert translate(request_) == request_


def test_a_foreign_request_is_near_the_english_one():
    encoder = load()
    wanted, other = encoder.encode_query('load config from a file'), encoder.encode_query('shut the connection')
    for request in (
        'caricare la configurazione da un file',
        'die Konfiguration aus einer Datei laden',
        'загрузка конфигурации из файла',
        '从文件加载配置',
    ):
        vector = encoder.encode_query(request)
        assert float(wanted @ vector) > 0.3 + float(other @ vector), request
        assert np.isclose((vector**2).sum(), 1, atol=1e-4)


def test_without_keep_only_what_says_something_is_left():
    assert (
        translate('conversione di un frullatore in json con la funzione toJson', keep=False)
        == 'frullatore json toJson convert function'
    )


def test_a_run_of_letters_without_an_end_is_looked_up_in_time():
    assert max(map(len, terms._table()[1])) < terms.LONGEST / 2
    program = 'from ctxkit.embedding.terms import translate; assert translate("\u00e9" * 500_000) == "\u00e9" * 500_000'
    subprocess.run([sys.executable, '-c', program], check=True, timeout=60)
