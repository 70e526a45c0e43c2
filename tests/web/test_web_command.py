"""A command of the person's that answers: its input, its output, and how it is ended."""

from __future__ import annotations

import sys
import time

import pytest
from helpers_web import NOW

from ctxkit.errors import CtxError
from ctxkit.settings import WebSettings
from ctxkit.web.found import Found, Link
from ctxkit.web.search import search


def program(text):
    return WebSettings(mode='on', provider='command', command=(sys.executable, '-c', text), timeout_seconds=20.0)


def test_a_command_reads_the_query_and_prints_results(environ):
    settings = program(
        'import sys, json; q = sys.stdin.read().strip(); print("about", q); '
        'print(json.dumps({"title": "T", "url": "https://example.org/", "content": "C"}))'
    )
    found = search('django', settings, environ, NOW)
    assert found == Found('about django\nT: C', (Link('T', 'https://example.org/'),))


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('import sys; sys.exit(3)', 'exited with 3'),
        ('print()', 'found nothing'),
        ('print("x" * 300000)', 'more than 256 KB'),
    ],
)
def test_what_can_go_wrong_with_a_command(environ, text, said):
    with pytest.raises(CtxError, match=said):
        search('q', program(text), environ, NOW)


def test_a_command_that_hangs_is_ended_with_its_children(environ, tmp_path):
    alive = tmp_path / 'alive'
    child = f'import time; time.sleep(4); open({str(alive)!r}, "w").close()'
    text = f'import subprocess, sys, time; subprocess.Popen([sys.executable, "-c", {child!r}]); time.sleep(60)'
    settings = WebSettings(provider='command', command=(sys.executable, '-c', text), timeout_seconds=1.5)
    with pytest.raises(CtxError, match=r'did not answer within 1.5 s'):
        search('q', settings, environ, NOW)
    time.sleep(3.5)
    assert not alive.exists()


def test_a_command_does_not_run_in_the_repository(environ, tmp_path, monkeypatch, clean_person):
    monkeypatch.chdir(tmp_path)
    found = search('q', program('import os; print(os.getcwd())'), environ, NOW)
    assert found.text == str(clean_person.resolve())
