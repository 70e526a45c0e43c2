"""Ephemeral context lives as long as the conversation is about its matter."""

from __future__ import annotations

import pytest

from ctxkit.sessions import channels, log
from ctxkit.sessions.message import Message
from ctxkit.sessions.related import Matter, compare, judge
from ctxkit.sessions.state import state_of
from ctxkit.sessions.ttl import Judgement, State, advance
from ctxkit.sessions.words import language, named, strong
from ctxkit.settings import SessionSettings

PREVIEW = '<invoice> header: logo left, address right; table: item, quantity, unit price; footer: bank details'
UNRELATED = (
    'what is the weather in Rome tomorrow?',
    'who won the champions league in 2012?',
    'how do I boil an egg?',
    'what is the capital of Peru?',
    'how tall is mount everest?',
)


def say(db, role, content, tool='', session='s', limit=4, **keys):
    return log.append(
        db, Message(session, role, content, tool, **keys), SessionSettings(unrelated_messages=limit), 1.0, judge
    )


def begin(db, session='s'):
    say(db, 'user', 'Preview the invoice template', session=session)
    say(db, 'tool', PREVIEW, 'template_preview', session=session)


def is_active(db, session='s'):
    return bool(channels.active(db, session))


@pytest.mark.parametrize('limit', [3, 4, 5])
def test_that_many_unrelated_requests_in_a_row_end_the_context(db, limit):
    begin(db)
    for request in UNRELATED[: limit - 1]:
        say(db, 'user', request, limit=limit)
    assert is_active(db)
    say(db, 'user', UNRELATED[limit - 1], limit=limit)
    assert not is_active(db)
    assert f'{limit} unrelated requests' in state_of(db, 's').reason


def test_a_follow_up_begins_the_count_anew(db):
    begin(db)
    for request in (*UNRELATED[:3], 'the quantity column is too narrow', *UNRELATED[:3]):
        say(db, 'user', request)
    assert is_active(db)


def test_follow_ups_in_other_words_keep_it(db):
    begin(db)
    for request in ('a bit bigger please', 'and in blue?', 'put it on the other side', 'no, undo that', 'shorter'):
        say(db, 'user', request)
    assert is_active(db)


def test_what_ended_is_deactivated_but_not_deleted(db):
    begin(db)
    for request in UNRELATED:
        say(db, 'user', request)
    last = [entry for entry in channels.person(db, 's') if entry.ephemeral]
    assert [(entry.content, entry.active) for entry in last] == [(PREVIEW, False)]


def test_another_tool_ends_it(db):
    begin(db)
    say(db, 'tool', 'a cat', 'image_generate')
    assert not is_active(db)
    assert state_of(db, 's').reason == 'switched to image_generate'


def test_the_same_tool_goes_on_whatever_its_case(db):
    begin(db)
    say(db, 'tool', PREVIEW + ' v2', 'Template_Preview')
    assert len(channels.active(db, 's')) == 2


def test_the_next_context_does_not_revive_the_last(db):
    begin(db)
    say(db, 'tool', 'done', 'shell_run')
    say(db, 'tool', 'a new preview', 'template_preview')
    assert [entry.content for entry in channels.active(db, 's')] == ['a new preview']


def test_a_finished_operation_is_no_switch(db):
    begin(db)
    say(db, 'tool', 'saved', 'template_save', transaction_completed=True)
    assert is_active(db)


def test_answers_and_talk_of_others_do_not_count(db):
    begin(db)
    begin(db, 'other')
    for request in UNRELATED[:3]:
        say(db, 'user', request)
        say(db, 'assistant', 'an answer')
        say(db, 'user', UNRELATED[4], session='third')
    assert is_active(db) and is_active(db, 'other')


def test_the_state_moves_by_decisions_alone():
    state = advance(State(), 1, 'tool', 'a_preview', True, False, None, 3)
    assert state == State('a_preview', 1, True, 0, False, 'a_preview began')
    for _ in range(3):
        state = advance(state, 2, 'user', '', False, False, Judgement(False, ''), 3)
    assert not state.active
    assert advance(state, 5, 'user', '', False, False, Judgement(True, ''), 3) == state


@pytest.mark.parametrize(
    'request_',
    [
        'why does parse_headers fail?',
        'open src/app/http_client.py',
        'что делает parse_headers?',
        'parse_headers 是什么？',
    ],
)
def test_a_shared_name_is_enough_in_any_language(request_):
    matter = Matter(('look at src/app/http_client.py: def parse_headers(lines)',))
    assert compare(request_, matter).related


def test_a_name_from_elsewhere_does_not_count():
    matter = Matter(('the bread recipe: flour, water, salt',), ('how do I configure nginx?',))
    assert not compare('where does nginx write its access log?', matter).related


def test_the_embedding_tells_code_that_shares_no_name():
    matter = Matter(
        (
            'def retry_with_backoff(call, attempts=5, base=0.2): for n in range(attempts): try: return call() '
            'except Timeout: sleep(base * 2 ** n)',
        )
    )
    judgement = compare('which exceptions should not be retried?', matter)
    assert judgement.related and judgement.reason.startswith('near')


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('make the logo smaller', 'en'),
        ('rendilo più semplice e aggiungi una riga', 'it'),
        ('сделай короче', 'ru'),
        ('再短一点', 'zh'),
        ('mach es bitte kürzer', 'de'),
        ('¿puede ser más corto?', 'es'),
        ('rends le texte plus court', 'fr'),
        ('', 'en'),
    ],
)
def test_the_language_of_a_request(text, expected):
    assert language(text) == expected


def test_names_are_found_as_they_are_written():
    text = 'In `ctxkit/web/need.py` needsWebSearch() broke at line 33 since v2.1.3, see https://x.example/a?b=1 (12.5%)'
    assert named(text) == ['ctxkit/web/need.py', 'needsWebSearch', '33', 'v2.1.3', 'https://x.example/a?b=1', '12.5%']
    assert 'ctxkit/web/need.py' in strong(text)
