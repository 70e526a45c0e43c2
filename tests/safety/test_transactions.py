"""A change of a database happens whole or not at all, and what went wrong is what is said."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

import pytest

from ctxkit.safety.database import private_file, transaction


@pytest.fixture
def db(tmp_path):
    with closing(sqlite3.connect(tmp_path / 'one.db', isolation_level=None)) as link:
        link.execute('CREATE TABLE kept (word TEXT UNIQUE)')
        yield link


def words(db):
    return [row[0] for row in db.execute('SELECT word FROM kept')]


def test_all_of_it_or_nothing(db):
    with transaction(db):
        db.execute("INSERT INTO kept VALUES ('a')")
    with pytest.raises(ZeroDivisionError), transaction(db):
        db.execute("INSERT INTO kept VALUES ('b')")
        1 / 0  # noqa: B018
    assert words(db) == ['a'] and not db.in_transaction


def test_an_error_that_ended_the_transaction_by_itself_is_the_one_that_is_raised(db):
    with transaction(db):
        db.execute("INSERT INTO kept VALUES ('a')")
    with pytest.raises(sqlite3.IntegrityError, match='UNIQUE'), transaction(db):
        db.execute("INSERT INTO kept VALUES ('b')")
        db.execute("INSERT OR ROLLBACK INTO kept VALUES ('a')")
    assert words(db) == ['a']


def test_a_transaction_within_another_is_part_of_it(db):
    with pytest.raises(ZeroDivisionError), transaction(db):
        with transaction(db):
            db.execute("INSERT INTO kept VALUES ('a')")
        assert db.in_transaction
        1 / 0  # noqa: B018
    assert words(db) == []


def test_full_database_keeps_what_it_had(db):
    with transaction(db):
        db.execute("INSERT INTO kept VALUES ('a')")
    db.execute('PRAGMA max_page_count = 20')
    with pytest.raises(sqlite3.OperationalError, match='full'), transaction(db):
        for number in range(1000):
            db.execute('INSERT INTO kept VALUES (?)', (f'{number}' + 'x' * 2000,))
    assert words(db) == ['a'] and not db.in_transaction


@pytest.mark.skipif(os.name == 'nt', reason='Windows has no such permissions')
def test_file_is_the_persons_alone_and_one_that_is_there_stays(tmp_path):
    file = private_file(tmp_path / 'new.db')
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text('content')
    assert private_file(file).read_text() == 'content'
