"""The stream: what recent events produced, bounded in time and size, each unit once, never over its tokens."""

from __future__ import annotations

import json
import time

import pytest
from helpers_main import block, parsed, run, units_of, update, write

from ctxkit import tokens
from ctxkit.units import stream
from ctxkit.units.hot import order
from ctxkit.units.score import hot_score
from ctxkit.units.stream import StreamUnit

CODE = {
    'app.py': 'def charge(order):\n    return order.total\n\n\ndef refund(order):\n    return -charge(order)\n',
    'tests/test_app.py': 'from app import charge\n\n\ndef test_charge():\n    assert charge(1)\n',
}


def change(root, git, files, message='change'):
    write(root, files)
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', message)


@pytest.fixture
def work(git_repo):
    root = git_repo(CODE)
    update(root)
    return root


def test_first_index_produces_no_units(work):
    assert units_of(work) == []


def test_commit_produces_the_units_that_it_changed(work, git):
    change(work, git, {'app.py': CODE['app.py'].replace('return order.total', 'return order.total + 1')})
    update(work, event='post-commit')
    (unit,) = units_of(work)
    assert (unit.path, unit.symbol, unit.change, unit.event) == ('app.py', 'charge', 'modified', 'post-commit')
    assert unit.commit == git(work, 'rev-parse', 'HEAD').strip()
    assert unit.text == 'def charge(order):\n    return order.total + 1'
    assert {(one.relation, one.symbol, one.resolved) for one in unit.related} == {
        ('called by', 'refund', True),
        ('tested by', 'test_charge', True),
    }


def test_search_between_a_commit_and_its_update_loses_no_unit(work, git):
    change(work, git, {'app.py': CODE['app.py'] + '\n\ndef late():\n    return 0\n'})
    assert 'late' in run(work, 'search', 'late').stdout
    run(work, 'render')
    assert update(work).units == 1
    assert [unit.symbol for unit in units_of(work)] == ['late']


def test_unit_is_replaced_and_not_repeated(work, git):
    for number in range(3):
        change(work, git, {'app.py': CODE['app.py'].replace('order.total', f'order.total + {number}')})
        update(work)
    assert [unit.symbol for unit in units_of(work)].count('charge') == 1
    assert 'order.total + 2' in next(unit.text for unit in units_of(work) if unit.symbol == 'charge')


def test_moved_code_has_not_changed(work, git):
    change(work, git, {'app.py': '# A comment above.\n\n\n' + CODE['app.py']})
    update(work)
    assert [unit.symbol for unit in units_of(work) if unit.kind == 'function'] == []


def test_deleted_code_leaves_the_block_without_a_request(work, git):
    change(work, git, {'app.py': CODE['app.py'] + '\n\ndef short_lived():\n    return 0\n'})
    update(work)
    change(work, git, CODE)
    update(work)
    assert 'def short_lived' not in block(work).to_xml()
    assert 'def short_lived' not in (work / '.ctx' / 'context.xml').read_text('utf-8')


def test_units_leave_after_a_day(work, git):
    now = time.time()
    change(work, git, {'app.py': CODE['app.py'] + '\n\ndef late():\n    return 0\n'})
    update(work, now=now)
    update(work, now=now + 23 * 3600)
    assert [unit.symbol for unit in units_of(work)] == ['late']
    update(work, now=now + 25 * 3600)
    assert units_of(work) == []


def test_stream_is_bounded_in_size(work, git, monkeypatch):
    monkeypatch.setattr(stream, 'MAX_BYTES', 20_000)
    for number in range(4):
        change(
            work,
            git,
            {
                f'more{number}.py': ''.join(
                    f'def more_{number}_{one}(value):\n    return value * {one}\n\n\n' for one in range(20)
                )
            },
        )
        update(work)
    size = (work / '.ctx' / 'units.jsonl').stat().st_size
    assert 10_000 < size <= 20_000
    assert any(unit.symbol.startswith('more_3') for unit in units_of(work)), 'the newest stay'
    assert not any(unit.symbol.startswith('more_0') for unit in units_of(work)), 'the oldest go'


def test_one_event_writes_a_bounded_number_of_units(work, git):
    change(
        work,
        git,
        {
            f'many{number}.py': ''.join(f'def many_{number}_{one}():\n    return {one}\n\n\n' for one in range(20))
            for number in range(20)
        },
    )
    update(work)
    assert 0 < len(units_of(work)) <= 60


BIG = {
    'long.py': 'def enormous(value):\n'
    + '    value = compute(value) + compute(value) * 3\n' * 400
    + '    return value\n',
    'wide.py': 'def parameters('
    + ',\n    '.join(f'parameter_number_{number}=None' for number in range(800))
    + '):\n    return 1\n',
    'line.py': 'def one_line():\n    return "' + 'word ' * 900 + '"\n',
    'compute.py': 'def compute(value):\n' + '    value += 1\n' * 300 + '    return value\n',
    'users.py': ''.join(
        f'def user_{number}(value):\n    """Use it."""\n    return compute(value) + {number}\n\n\n'
        for number in range(40)
    ),
    'notes.md': '# Title\n\n' + 'Many words about compute and more words.\n' * 600,
}


def test_no_unit_is_over_1024_tokens(work, git):
    change(work, git, BIG)
    update(work)
    found = units_of(work)
    assert {'long.py', 'wide.py', 'line.py', 'compute.py', 'notes.md'} <= {unit.path for unit in found}
    for unit in found:
        whole = tokens.count(unit.text) + sum(tokens.count(one.text) for one in unit.related)
        assert whole <= 1024, (unit.path, unit.symbol, whole)
        assert tokens.count(unit.signature) <= 1024, unit.path
        assert unit.tokens == tokens.count(unit.text)
        assert all(one.hops in (1, 2) for one in unit.related)


def test_lines_are_json_with_snake_case_keys_newest_last(work, git):
    for number in range(2):
        change(work, git, {f'new{number}.py': f'def new_{number}():\n    return {number}\n'})
        update(work, now=time.time() + number)
    rows = [json.loads(line) for line in (work / '.ctx' / 'units.jsonl').read_text('utf-8').splitlines()]
    assert [row['symbol'] for row in rows] == ['new_0', 'new_1']
    assert all(key == key.lower() and ' ' not in key for row in rows for key in row)


def test_units_command_shows_them_hottest_first(work, git):
    now = time.time()
    change(work, git, {'old.py': 'def older():\n    return 1\n'})
    update(work, now=now - 3600)
    change(work, git, {'new.py': 'def newer():\n    return 1\n'})
    update(work, now=now)
    done = run(work, 'units')
    assert [line.split()[2] for line in done.stdout.splitlines()] == ['newer', 'older']
    rows = [json.loads(line) for line in run(work, 'units', '--json').stdout.splitlines()]
    assert [row['symbol'] for row in rows] == ['newer', 'older']
    assert rows[0]['hot_score'] > rows[1]['hot_score']


UNIT = StreamUnit(
    'i', 0.0, 'update', 'c' * 40, 'a.py', 'f', 'function', 1, 2, 'modified', 'd', 1, 5, 'def f()', 'def f(): pass'
)


@pytest.mark.parametrize(
    ('minutes', 'edits', 'score'), [(0, 0, 1.0), (0, 2, 1.6), (9, 0, 0.1), (9, 1, 0.4), (-5, 0, 1.0)]
)
def test_hot_score_is_the_formula(minutes, edits, score):
    assert hot_score(minutes, edits) == pytest.approx(score)


def test_what_changed_in_the_last_five_minutes_comes_first_then_the_last_change_then_what_is_worked_on_most():
    now = 100_000.0

    def unit(name, minutes, edits):
        return UNIT._replace(id=name, symbol=name, time=now - minutes * 60, edits_today=edits)

    units = [unit('cold', 600, 0), unit('busy', 30, 5), unit('fresh', 4, 0), unit('just now', 1, 0)]
    assert [one.symbol for one in order(units, now, 5)] == ['just now', 'fresh', 'busy', 'cold']
    assert [one.symbol for one in order(units, now, 0)] == ['just now', 'busy', 'fresh', 'cold']


def test_a_changelog_that_every_commit_touches_does_not_come_before_code():
    def unit(name, minutes, edits, kind='function', path='a.py'):
        return UNIT._replace(id=name, symbol=name, time=-minutes * 60.0, edits_today=edits, kind=kind, path=path)

    units = [
        unit('a day of notes', 300, 12, 'section', 'CHANGELOG.md'),
        unit('older', 400, 1),
        unit('last', 200, 1),
        unit('its notes', 200, 12, 'section', 'CHANGELOG.md'),
        unit('its test', 200, 1, path='tests/test_a.py'),
    ]
    assert [one.symbol for one in order(units, 0.0, 5)] == ['last', 'its test', 'its notes', 'older', 'a day of notes']


def test_order_does_not_depend_on_the_order_given():
    units = [
        UNIT._replace(id=str(number), path=f'p{number % 3}.py', start_line=number, time=float(number % 4) * 1000)
        for number in range(12)
    ]
    assert order(units, 5000.0, 5) == order(units[::-1], 5000.0, 5)


def test_uncommitted_edit_comes_before_what_was_committed_a_while_ago(work, git):
    change(work, git, {'app.py': CODE['app.py'] + '\n\ndef committed_now():\n    return 0\n'})
    update(work, now=time.time() - 600)
    write(work, {'other.py': 'def edited_now():\n    return 1\n'})
    names = [unit.symbol for unit in block(work).units]
    assert names.index('edited_now') < names.index('committed_now')


def test_history_fills_a_block_where_nothing_changed_lately(git_repo):
    root = git_repo(CODE)
    element = parsed(block(root).to_xml())
    assert {unit.get('symbol') for unit in element.iter('unit')} >= {'charge', 'refund'}


def test_merge_of_two_streams_keeps_the_newest_of_each():
    old = [UNIT._replace(id='a', time=10.0), UNIT._replace(id='b', time=20.0), UNIT._replace(id='c', time=1.0)]
    new = [UNIT._replace(id='a', time=30.0, text='new')]
    merged = stream.merge(old, new, since=5.0, until=1e6)
    assert [(one.id, one.text) for one in merged] == [('b', UNIT.text), ('a', 'new')]


def test_what_a_clock_that_was_years_ahead_made_goes_and_is_not_of_the_last_minutes(git_repo, git):
    root = git_repo({'a.py': 'def first():\n    return 1\n'})
    now = time.time()
    update(root, now=now)
    for name, when in (('years', now + 2e9), ('ahead', now + 7200), ('now', now)):
        write(root, {f'{name}.py': f'def {name}_made():\n    return 1\n'})
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', name)
        update(root, now=when, event='post-commit')
    assert {unit.symbol for unit in units_of(root)} == {'ahead_made', 'now_made'}
    assert block(root, now=now + 1).units[0].symbol == 'now_made'
