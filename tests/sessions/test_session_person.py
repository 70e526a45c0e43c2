"""What the person does to the log: marks, done and keep, deletion that leaves nothing on the disk."""

from __future__ import annotations

import sqlite3

import pytest
from helpers_sessions import contents, say

from ctxkit.errors import CtxError
from ctxkit.sessions import channels, person
from ctxkit.sessions.database import FILE
from ctxkit.sessions.state import state_of


def test_conversations_are_isolated(db):
    say(db, 'user', 'mine', session='a')
    say(db, 'user', 'yours', session='b')
    say(db, 'tool', 'draft', 'page_preview', session='b')
    assert contents(channels.person(db, 'a')) == ['mine']
    person.delete(db, 'b')
    assert contents(channels.person(db, 'a')) == ['mine']
    assert not channels.is_known(db, 'b')


def test_marking_one_half_ephemeral_takes_the_other_along(db):
    call = say(db, 'assistant', 'call', 'shell')
    say(db, 'tool', 'long output', 'shell')
    say(db, 'user', 'thanks')
    person.mark(db, call.id, ephemeral=True)
    assert contents(channels.model(db, 's')) == ['thanks']
    person.mark(db, call.id, ephemeral=False)
    assert contents(channels.model(db, 's')) == ['call', 'long output', 'thanks']


def test_marking_an_unknown_message_is_an_error(db):
    with pytest.raises(CtxError, match='no message 7'):
        person.mark(db, 7, ephemeral=True)


def test_done_deletes_the_ephemeral_messages_and_the_state_together(db):
    say(db, 'user', 'preview it')
    say(db, 'tool', 'the draft', 'page_preview')
    assert say(db, 'tool', 'saved', 'page_save', transaction_completed=True).asked
    assert state_of(db, 's').asked
    assert person.done(db, 's') == 1
    assert contents(channels.person(db, 's')) == ['preview it', 'saved']
    assert db.execute('SELECT count(*) FROM session_states').fetchone() == (0,)


def test_done_changes_nothing_when_it_fails_half_way(db, tmp_path):
    say(db, 'tool', 'the draft', 'page_preview')
    db.execute("CREATE TRIGGER refuse BEFORE DELETE ON session_states BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises(sqlite3.IntegrityError):
        person.done(db, 's')
    assert contents(channels.person(db, 's')) == ['the draft']


def test_keep_leaves_the_context_active(db):
    say(db, 'user', 'preview it')
    say(db, 'tool', 'the draft', 'page_preview')
    say(db, 'tool', 'saved', 'page_save', transaction_completed=True)
    assert person.keep(db, 's') == 1
    state = state_of(db, 's')
    assert state.active and not state.asked
    assert contents(channels.active(db, 's')) == ['the draft']


def test_keep_makes_a_context_active_again_that_had_ended(db):
    say(db, 'tool', 'the draft', 'page_preview')
    for number in range(4):
        say(db, 'user', f'something else {number}')
    assert channels.active(db, 's') == []
    person.keep(db, 's')
    assert contents(channels.active(db, 's')) == ['the draft']


def test_deleted_words_do_not_stay_on_disk(db, tmp_path):
    say(db, 'user', 'xylophone-quagmire ' * 50)
    say(db, 'user', 'this stays', session='t')
    person.delete(db, 's')
    left = b''.join(file.read_bytes() for file in (tmp_path / '.ctx').iterdir() if file.name.startswith(FILE))
    assert b'xylophone-quagmire' not in left
    assert b'this stays' in left


def test_clear_removes_every_conversation(db):
    say(db, 'user', 'one', session='a')
    say(db, 'tool', 'two', 'page_preview', session='b')
    assert person.clear(db) == 2
    assert channels.conversations(db) == []
    assert db.execute('SELECT count(*) FROM session_states').fetchone() == (0,)
