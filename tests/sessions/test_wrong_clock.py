"""A clock that is wrong for a while deletes no conversation."""

from __future__ import annotations

import pytest
from helpers_sessions import NOW, contents, say

from ctxkit.safety.database import transaction
from ctxkit.sessions import channels
from ctxkit.sessions.log import PRUNE_EVERY
from ctxkit.settings import SessionSettings

DAY = 86_400
SETTINGS = SessionSettings(keep_days=90)


def fill(db, now):
    """Messages of another conversation, until the next one is a look at the retention limits, and that one."""
    last = db.execute('SELECT max(id) FROM chat_messages').fetchone()[0] or 0
    with transaction(db):
        for _ in range(PRUNE_EVERY - 1 - last % PRUNE_EVERY):
            db.execute(
                "INSERT INTO chat_messages (session_id, role, content, logged) VALUES ('filler', 'user', '', ?)", (now,)
            )
    say(db, 'user', 'looks', session='filler', settings=SETTINGS, now=now)


@pytest.mark.parametrize('ahead', [60, 365, 20_000])
def test_a_clock_that_is_ahead_deletes_no_conversation_on_its_first_day(db, ahead):
    for days in (80, 40, 1):
        say(db, 'user', f'{days} days ago', session=f'{days}', settings=SETTINGS, now=NOW - days * DAY)
    for minutes in (0, 60, 600):
        fill(db, NOW + ahead * DAY + minutes * 60)
    assert all(channels.is_known(db, session) for session in ('80', '40', '1'))
    fill(db, NOW + 60)  # right again
    say(db, 'user', 'go on', session='80', settings=SETTINGS, now=NOW + 120)
    fill(db, NOW + 2 * DAY)
    assert contents(channels.person(db, '80')) == ['80 days ago', 'go on']
    assert all(channels.is_known(db, session) for session in ('40', '1'))


def test_what_was_said_while_the_clock_was_behind_is_not_old_when_it_is_right_again(db):
    say(db, 'user', 'the day before', session='before', settings=SETTINGS, now=NOW - 2 * DAY)
    say(db, 'user', 'said in 1980', session='behind', settings=SETTINGS, now=315_532_800.0)
    fill(db, NOW)
    assert channels.is_known(db, 'behind')
    for days in (30, 60, 95, 97):
        fill(db, NOW + days * DAY)
    assert not channels.is_known(db, 'behind')  # as old by now as what was said before it


def test_a_break_that_is_longer_than_the_limit_counts_from_its_second_day_on(db):
    say(db, 'user', 'before the break', session='before', settings=SETTINGS, now=NOW)
    fill(db, NOW + 100 * DAY)
    assert channels.is_known(db, 'before')
    fill(db, NOW + 102 * DAY)
    assert not channels.is_known(db, 'before')
