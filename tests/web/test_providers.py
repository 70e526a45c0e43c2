"""The providers against a local server that speaks their documented protocols, errors and slow answers included."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from helpers_web import NOW, SEARXNG, gemini, searxng, server

from ctxkit.errors import CtxError
from ctxkit.settings import WebSettings
from ctxkit.web.found import Found, Link
from ctxkit.web.search import search

GEMINI = {
    'candidates': [
        {
            'content': {
                'role': 'model',
                'parts': [
                    {'text': 'thinking', 'thought': True},
                    {'text': 'Django 6.0 is out, '},
                    {'text': 'since 3 December 2025.'},
                ],
            },
            'finishReason': 'STOP',
            'groundingMetadata': {
                'webSearchQueries': ['django latest version'],
                'searchEntryPoint': {'renderedContent': '<div>…</div>'},
                'groundingChunks': [
                    {'web': {'uri': 'https://www.djangoproject.com/download/', 'title': 'djangoproject.com'}},
                    {'web': {'uri': 'javascript:alert(1)', 'title': 'bad'}},
                    {'retrievedContext': {}},
                ],
                'groundingSupports': [
                    {'segment': {'endIndex': 18, 'text': 'Django 6.0 is out,'}, 'groundingChunkIndices': [0]}
                ],
            },
        }
    ],
    'usageMetadata': {'totalTokenCount': 40},
    'modelVersion': 'gemini-2.5-flash',
}


def test_gemini_is_asked_with_google_search_and_the_key_in_a_header(environ):
    with server(GEMINI) as (url, seen):
        found = search('latest Django?', gemini(url), environ, NOW)
    method, path, headers, body = seen[0]
    assert (method, path) == ('POST', '/v1beta/models/gemini-2.5-flash:generateContent')
    assert headers['x-goog-api-key'] == 'the-key' and 'the-key' not in path
    assert json.loads(body) == {
        'contents': [{'role': 'user', 'parts': [{'text': 'latest Django?'}]}],
        'tools': [{'google_search': {}}],
    }
    assert found == Found(
        'Django 6.0 is out, since 3 December 2025.',
        (Link('djangoproject.com', 'https://www.djangoproject.com/download/'),),
    )


def test_searxng_is_asked_for_json(environ):
    with server(SEARXNG) as (url, seen):
        found = search('latest Django & more', searxng(url + '/'), environ, NOW)
    parts = urlsplit(seen[0][1])
    assert (seen[0][0], parts.path, parse_qs(parts.query)) == (
        'GET',
        '/search',
        {'q': ['latest Django & more'], 'format': ['json']},
    )
    assert found.text == '6.0\nDjango: A web framework.\nDjango: Django 6.0 was released .\nOther: Something else.'
    assert found.links == (Link('Django', 'https://www.djangoproject.com/'), Link('Other', 'https://example.org/'))


def test_answers_of_newer_instances_are_objects(environ):
    answer = {'answer': '42', 'url': None, 'template': 'answer/legacy.html'}
    with server({'results': [], 'answers': [answer]}) as (url, _):
        assert search('q', searxng(url), environ, NOW).text == '42'


@pytest.mark.parametrize(
    ('status', 'answer', 'said'),
    [
        (
            429,
            {'error': {'code': 429, 'message': 'Quota exceeded', 'status': 'RESOURCE_EXHAUSTED'}},
            '429: Quota exceeded',
        ),
        (
            400,
            {'error': {'code': 400, 'message': 'API key not valid', 'status': 'INVALID_ARGUMENT'}},
            'API key not valid',
        ),
        (503, b'<html>overloaded</html>', 'answered 503'),
        (200, b'<html>a login page</html>', 'did not answer in JSON'),
        (200, b'[' * 100_000, 'did not answer in JSON'),
        (200, {'promptFeedback': {'blockReason': 'SAFETY'}}, 'SAFETY'),
        (200, {'candidates': [{'finishReason': 'RECITATION'}]}, 'RECITATION'),
        (200, {'candidates': [{'content': {'parts': [{'text': '  '}]}}]}, 'gave no answer'),
        (200, ['odd'], 'unknown format'),
        (200, b'"' + b'x' * 1_100_000 + b'"', 'more than 1 MB'),
    ],
)
def test_what_can_go_wrong_with_gemini_is_said_in_one_line(environ, status, answer, said):
    with server(answer, status) as (url, _), pytest.raises(CtxError) as caught:
        search('q', gemini(url), environ, NOW)
    assert said in caught.value.format_message()
    assert '\n' not in caught.value.format_message() and 'the-key' not in caught.value.format_message()


@pytest.mark.parametrize(
    ('status', 'answer', 'said'),
    [
        (403, b'Forbidden', 'must list json in search.formats'),
        (429, b'Too Many Requests', 'answered 429'),
        (
            200,
            {'results': [], 'unresponsive_engines': [['google', 'timeout'], ['bing', 'CAPTCHA']]},
            'from google, bing',
        ),
        (200, {'results': 'none'}, 'unknown format'),
    ],
)
def test_what_can_go_wrong_with_searxng_is_said_in_one_line(environ, status, answer, said):
    with server(answer, status) as (url, _), pytest.raises(CtxError) as caught:
        search('q', searxng(url), environ, NOW)
    assert said in caught.value.format_message()


@pytest.mark.parametrize('slow', [{'delay': 1.5}, {'drip': 0.05}])
def test_a_slow_answer_is_given_up(environ, slow):
    with server(GEMINI, **slow) as (url, _), pytest.raises(CtxError, match=r'did not answer within 0.3 s|too long'):
        search('q', gemini(url, timeout_seconds=0.3), environ, NOW)


def test_a_redirect_is_not_followed(environ):
    with server(GEMINI) as (other, reached):
        moved = server(b'', 302, headers=[('Location', other)])
        with moved as (url, _), pytest.raises(CtxError, match='answered 302'):
            search('q', gemini(url), environ, NOW)
    assert reached == []


def test_nobody_listens(environ):
    with server(GEMINI) as (url, _):
        pass
    with pytest.raises(CtxError, match='cannot be reached'):
        search('q', gemini(url), environ, NOW)


@pytest.mark.parametrize(
    ('settings', 'said'),
    [
        (WebSettings(provider='gemini', gemini_url='http://gemini.example'), 'not https'),
        (WebSettings(provider='gemini', gemini_url='file:///etc/passwd'), 'not an http address'),
        (WebSettings(provider='searxng', searxng_url='file:///etc/passwd'), 'not an http address'),
        (WebSettings(provider='searxng', searxng_url='http://[broken'), 'not an http address'),
        (WebSettings(provider='searxng'), 'web.searxng_url is not set'),
        (WebSettings(provider='command'), 'web.command is not set'),
        (WebSettings(provider='command', command=('no-such-program-anywhere',)), 'was not found'),
        (WebSettings(provider='gemini', gemini_key_variable='NO_KEY_HERE'), 'NO_KEY_HERE is not set'),
    ],
)
def test_settings_that_cannot_work_are_named(environ, settings, said):
    with pytest.raises(CtxError, match=said.replace('.', r'\.')):
        search('q', settings, environ, NOW)
