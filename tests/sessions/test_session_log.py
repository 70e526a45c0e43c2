"""The message log: two channels, tool exchanges whole, append-only truth, retention, secrets."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest
from helpers_sessions import NOW, contents, say

from ctxkit.errors import CtxError
from ctxkit.safety.database import transaction
from ctxkit.sessions import channels
from ctxkit.sessions.database import FILE, opened
from ctxkit.sessions.message import MAX_CONTENT
from ctxkit.settings import SessionSettings


def test_the_person_sees_everything_and_the_model_only_what_is_permanent(db):
    say(db, 'user', 'show the prompt')
    say(db, 'tool', 'draft of the prompt', 'prompt_preview')
    say(db, 'assistant', 'here it is')
    assert [(entry.content, entry.ephemeral) for entry in channels.person(db, 's')] == [
        ('show the prompt', False),
        ('draft of the prompt', True),
        ('here it is', False),
    ]
    assert contents(channels.model(db, 's')) == ['show the prompt', 'here it is']


def test_the_model_sees_the_last_twelve_oldest_first(db):
    for number in range(40):
        say(db, 'user', f'm{number}')
        say(db, 'tool', f'p{number}', 'page_preview')
    assert contents(channels.model(db, 's')) == [f'm{number}' for number in range(28, 40)]


def test_a_result_whose_call_is_before_the_window_is_left_out(db):
    say(db, 'assistant', 'call', 'shell', call_id='c1')
    say(db, 'tool', 'result', 'shell', call_id='c1')
    for number in range(11):
        say(db, 'user', f'm{number}')
    assert contents(channels.model(db, 's')) == [f'm{number}' for number in range(11)]
    assert contents(channels.model(db, 's', 13))[:2] == ['call', 'result']


def test_a_call_that_has_no_result_yet_is_left_out(db):
    say(db, 'user', 'run it')
    say(db, 'tool_call', 'pytest', 'shell', call_id='c1')
    assert contents(channels.model(db, 's')) == ['run it']
    say(db, 'tool_result', '3 passed', 'shell', call_id='c1')
    assert contents(channels.model(db, 's')) == ['run it', 'pytest', '3 passed']


def test_parallel_calls_are_paired_by_their_ids(db):
    for call in 'ab':
        say(db, 'tool_call', f'call {call}', 'shell', call_id=call)
    for call in 'ba':
        say(db, 'tool_result', f'result {call}', 'shell', call_id=call)
    # The window of three begins after call a, whose result must go with it.
    assert contents(channels.model(db, 's', 3)) == ['call b', 'result b']


def test_calls_without_ids_are_paired_in_their_turn(db):
    say(db, 'assistant', 'first call', 'shell')
    say(db, 'tool', 'first result', 'shell')
    say(db, 'assistant', 'second call', 'shell')
    say(db, 'tool', 'second result', 'shell')
    pairs = [entry.call_id for entry in channels.person(db, 's')]
    assert pairs[0] == pairs[1] != pairs[2] == pairs[3]
    assert contents(channels.model(db, 's', 3)) == ['second call', 'second result']


def test_a_tool_message_that_never_had_another_half_stays(db):
    say(db, 'tool', 'built by hand', 'build')
    say(db, 'assistant', 'saved', 'prompt_save')
    assert contents(channels.model(db, 's')) == ['built by hand', 'saved']


def test_half_of_an_exchange_flagged_by_the_caller_hides_the_other_half(db):
    say(db, 'tool_call', 'call', 'shell', call_id='x', ephemeral=False)
    say(db, 'tool_result', 'result', 'shell', call_id='x', ephemeral=True)
    say(db, 'user', 'and now')
    assert contents(channels.model(db, 's')) == ['and now']


@pytest.mark.parametrize(
    ('role', 'tool', 'expected'),
    [
        ('tool', 'prompt_preview', True),
        ('tool', 'mcp__editor__takeSnapshot', True),
        ('tool_result', 'Read', True),
        ('tool', 'Grep', True),
        ('assistant', 'draft_mail', True),
        ('tool', 'slice_view', True),
        ('tool', 'save_preview', False),
        ('tool', 'Edit', False),
        ('tool', 'apply_patch', False),
        ('tool', 'Bash', False),
        ('user', 'prompt_preview', False),
        ('assistant', '', False),
    ],
)
def test_rules_by_tool_decide_what_is_ephemeral(db, role, tool, expected):
    assert say(db, role, 'x', tool).ephemeral is expected


def test_the_callers_flag_and_the_persons_globs_come_before_the_rules(db):
    settings = SessionSettings(ephemeral_tools=('bash*',), permanent_tools=('read',))
    assert say(db, 'tool', 'x', 'Bash', settings=settings).ephemeral
    assert not say(db, 'tool', 'x', 'Read', settings=settings).ephemeral
    assert not say(db, 'tool', 'x', 'Bash', settings=settings, ephemeral=False).ephemeral
    assert say(db, 'assistant', 'a draft', settings=settings, ephemeral=True).ephemeral


def test_content_cannot_be_changed_afterwards(db):
    say(db, 'user', 'as it was')
    with pytest.raises(sqlite3.IntegrityError, match='append-only'):
        db.execute("UPDATE chat_messages SET content = 'otherwise'")
    assert contents(channels.person(db, 's')) == ['as it was']


def test_secrets_are_redacted_before_they_are_written(db, tmp_path):
    token = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
    say(db, 'user', f'my token is {token}, use it')
    kept = contents(channels.person(db, 's'))[0]
    assert token not in kept and 'REDACTED' in kept
    assert all(token.encode() not in file.read_bytes() for file in (tmp_path / '.ctx').iterdir())


def test_a_secret_at_the_cut_of_a_long_message_does_not_survive_in_part(db):
    token = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
    head = 3 * (MAX_CONTENT // 4)
    for shift in range(0, 48, 8):
        say(db, 'user', 'x ' * ((head - shift) // 2) + token + ' y' * MAX_CONTENT, session=f's{shift}')
        kept = contents(channels.person(db, f's{shift}'))[0]
        assert 'ghp_a1' not in kept
        assert len(kept) < MAX_CONTENT + 100
        assert 'characters left out' in kept


def test_a_very_long_message_is_bounded_and_hides_secrets_at_both_ends(db):
    token = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
    say(db, 'tool', f'{token} began\n{"line" * 800_000}\nended {token}', 'build')
    kept = contents(channels.person(db, 's'))[0]
    assert len(kept) < MAX_CONTENT + 100
    assert 'began' in kept and 'ended' in kept and token not in kept


def test_idle_conversations_and_surplus_messages_go_by_themselves(db):
    settings = SessionSettings(keep_days=10, max_messages=600)
    say(db, 'user', 'long ago', session='old', settings=settings, now=NOW - 11 * 86400)
    say(db, 'user', 'the day before yesterday', settings=settings, now=NOW - 2 * 86400)
    with transaction(db):
        for number in range(997):
            db.execute(
                "INSERT INTO chat_messages (session_id, role, content, logged) VALUES ('s', 'user', ?, ?)",
                (f'm{number}', NOW),
            )
    say(db, 'user', 'newest', settings=settings)
    assert not channels.is_known(db, 'old')
    assert db.execute('SELECT count(*) FROM chat_messages').fetchone() == (600,)
    assert contents(channels.model(db, 's', 1)) == ['newest']


def test_turns_count_the_requests(db):
    for role in ('system', 'user', 'assistant', 'user', 'assistant'):
        say(db, role, role)
    assert [entry.turn for entry in channels.person(db, 's')] == [0, 1, 1, 2, 2]


def test_a_log_that_is_a_link_is_refused(tmp_path):
    with opened(tmp_path / 'elsewhere', make=True):
        pass
    (tmp_path / '.ctx').mkdir()
    (tmp_path / '.ctx' / FILE).symlink_to(tmp_path / 'elsewhere' / FILE)
    with pytest.raises(CtxError, match='is a link'), opened(tmp_path / '.ctx', make=True):
        pass


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / 'elsewhere').mkdir()
    (tmp_path / '.ctx').symlink_to(tmp_path / 'elsewhere')
    with pytest.raises(CtxError, match='is a link'), opened(tmp_path / '.ctx', make=True):
        pass
    assert list((tmp_path / 'elsewhere').iterdir()) == []


def test_a_damaged_log_is_an_error_in_one_line(tmp_path):
    (tmp_path / '.ctx').mkdir()
    (tmp_path / '.ctx' / FILE).write_bytes(b'this is no database at all, only text ' * 200)
    with pytest.raises(CtxError) as caught, opened(tmp_path / '.ctx'):
        pass
    assert 'damaged or not from ctxkit' in caught.value.format_message()


@pytest.mark.skipif(sys.platform == 'win32', reason='no permission bits there')
def test_only_the_person_can_read_the_log(tmp_path):
    with opened(Path(tmp_path, '.ctx'), make=True):
        assert (tmp_path / '.ctx' / FILE).stat().st_mode & 0o077 == 0
