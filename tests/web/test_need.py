"""`needs_web_search`: what the plan names, in every language; the full table is in benchmarks/web."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ctxkit.rules import table
from ctxkit.web.need import RULES, VERDICTS, needs_web_search


@pytest.mark.parametrize(
    'prompt',
    [
        'latest news',
        'what happened today',
        'what is new in 2026',
        'Which version of numpy supports Python 3.14?',
        'release notes of Django 6',
        'difference between Kafka and Redis Streams',
        'best alternative to Slack',
        'ultime notizie',
        'che cosa succede oggi',
        'differenza tra Vue e Svelte',
        'migliore alternativa a Slack',
        'последние новости',
        'разница между Vue и Svelte',
        'какая последняя версия Django',
        '最新消息',
        'Vue 和 Svelte 的区别',
        '最新版本的 Django',
        'aktuelle Nachrichten',
        'Unterschied zwischen Vue und Svelte',
        'neueste Version von Django',
        'últimas noticias',
        'diferencia entre Vue y Svelte',
        'última versión de Django',
        'dernières nouvelles',
        'différence entre Vue et Svelte',
        'dernière version de Django',
    ],
)
def test_needed(prompt):
    assert needs_web_search(prompt).needed


@pytest.mark.parametrize(
    'prompt',
    [
        'agy_generate a cat for 2026',
        'draw a picture of the latest car',
        'remove the background of the photo',
        'refactor this function',
        'add a 2026 copyright header to every file',
        'what changed in the latest commit?',
        'difference between these two functions',
        'summarize our conversation of today',
        'clear the chat history',
        "genera un'immagine delle notizie di oggi",
        'riassumi la conversazione di oggi',
        'rinomina questa classe',
        'нарисуй сегодняшнюю погоду',
        'подведи итог сегодняшнего разговора',
        'исправь этот код',
        '画一张今天天气的图片',
        '总结今天的对话',
        '重构这个函数',
        'zeichne ein Bild vom heutigen Wetter',
        'fasse das heutige Gespräch zusammen',
        'benenne diese Klasse um',
        'dibuja el tiempo de hoy',
        'resume la conversación de hoy',
        'renombra esta clase',
        'dessine la météo du jour',
        "résume la conversation d'aujourd'hui",
        'renomme cette classe',
        '',
        ' ',
        'hello',
        '?' * 10_000,
    ],
)
def test_not_needed(prompt):
    assert not needs_web_search(prompt).needed


def test_the_reason_names_the_rule_and_what_it_found():
    assert needs_web_search('any release notes for ruff?').reason == 'version (en): release notes'
    assert needs_web_search('refactor it').reason == 'code (en): refactor'
    assert needs_web_search('hello').reason == 'nothing in it changes with time'


def test_an_explicit_wish_comes_before_all_else():
    assert needs_web_search('search the web for how to refactor this function').needed


def test_no_rule_takes_long_on_a_hostile_prompt(quick):
    for hostile in (
        'a' * 4000,
        'the ' * 1000,
        'make ' * 800,
        'what ' * 800,
        '和' * 4000,
        'compare x ' * 400,
        '`' * 4000,
    ):
        needs_web_search(hostile)


def test_the_table_is_well_formed():
    rules = table(RULES)
    assert {rule.language for rule in rules} == {'en', 'it', 'ru', 'zh', 'de', 'es', 'fr'}
    assert {rule.verdict for rule in rules} == {verdict for verdict, _ in VERDICTS}


@pytest.mark.parametrize(('text', 'needed'), [('latest news', True), ('refactor this', False)])
def test_the_command_answers_in_json(text, needed):
    command = [sys.executable, '-m', 'ctxkit', 'web', 'need', text, '--json']
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer['needed'] is needed and answer['reason']


def test_every_rule_of_both_tables_compiles():
    from ctxkit.sessions.related import CUES

    for rule in (*table(RULES), *table(CUES)):
        rule.search('any text')
