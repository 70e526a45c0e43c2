"""What a block without a request says of places, links and commits is true of the work tree as it is now."""

from __future__ import annotations

import re

import pytest
from helpers_main import block, units_of, update, write

from ctxkit.repo import find, snapshot
from ctxkit.units import hot
from ctxkit.units.hunks import Hunk, follow

ALPHA = 'import os\n\n\ndef alpha(x):\n    return x + 1\n\n\ndef omega(y):\n    return alpha(y)\n'
CALLER = 'from a import alpha\n\n\ndef helper(z):\n    return alpha(z)\n'
ABOVE = '# one\n# two\n# three\nX = 1\n'
FRESH = '\n\ndef fresh():\n    return 2\n'


@pytest.fixture
def root(git_repo, git):
    """A repository with its first context, and a commit after it that changed `alpha`."""
    root = git_repo({'a.py': ALPHA, 'b.py': CALLER})
    update(root)
    write(root, {'a.py': ALPHA.replace('x + 1', 'x + 2')})
    git(root, 'commit', '-qam', 'two')
    update(root)
    return root


def assert_present(root):
    """Every unit's text stands at its lines, and every place that a link names holds that name."""
    shown = block(root).units
    assert shown
    for unit in shown:
        if unit.why.startswith('removed'):
            continue
        lines = (root / unit.path).read_text().split('\n')
        if unit.level == 'code':
            first = lines[unit.start_line - 1 : unit.end_line]
            assert unit.text.split('\n')[-1] == first[-1], unit
        for name, path, line in re.findall(r'(\S+) \(([^:()]+):(\d+)\)', unit.related):
            assert name in (root / path).read_text().split('\n')[int(line) - 1], unit.related
    return {unit.symbol: unit for unit in shown}


def test_an_edit_above_a_unit_moves_its_lines(root):
    write(root, {'a.py': ABOVE + (root / 'a.py').read_text()})
    shown = assert_present(root)
    assert (shown['alpha'].start_line, shown['alpha'].end_line) == (8, 9)
    assert 'omega (a.py:12)' in shown['alpha'].related


def test_a_commit_above_a_unit_moves_its_lines(root, git):
    write(root, {'a.py': ABOVE + (root / 'a.py').read_text()})
    git(root, 'commit', '-qam', 'three')
    update(root)
    shown = assert_present(root)
    assert (shown['alpha'].start_line, shown['alpha'].why.split()[0]) == (8, 'modified')


@pytest.mark.parametrize('committed', [False, True])
def test_a_deleted_caller_leaves_the_links(root, git, committed):
    assert 'called by helper (b.py:4)' in assert_present(root)['alpha'].related
    git(root, 'rm', '-q', 'b.py')
    if committed:
        git(root, 'commit', '-qm', 'three')
        update(root)
    assert 'helper' not in assert_present(root)['alpha'].related


def test_a_call_that_an_edit_took_away_leaves_the_links(root):
    write(root, {'b.py': CALLER.replace('alpha(z)', 'z')})
    assert 'helper' not in block(root).units[0].related + assert_present(root)['alpha'].related


def test_a_neighbour_of_a_neighbour_is_no_link_of_the_unit(root):
    """helper and omega both call alpha, and neither calls the other."""
    shown = assert_present(root)
    assert shown['omega'].related == 'calls alpha (a.py:4)'
    assert shown['helper'].related == 'calls alpha (a.py:4)'


def test_history_follows_lines_through_later_commits(git_repo, git):
    """In a clone without a stream the past commits alone say what changed: `omega` was changed, then moved down."""
    root = git_repo({'a.py': ALPHA})
    write(root, {'a.py': ALPHA.replace('return alpha(y)', 'return alpha(y) * 2')})
    git(root, 'commit', '-qam', 'two')
    two = git(root, 'rev-parse', 'HEAD').strip()
    inserted = 'def first():\n    return 1\n\n\ndef second():\n    return 2\n\n\n'
    write(root, {'a.py': inserted + (root / 'a.py').read_text()})
    git(root, 'commit', '-qam', 'three')
    why = {symbol: unit.why for symbol, unit in assert_present(root).items()}
    assert why['omega'] == f'changed in {two[:8]}'
    assert [symbol for symbol, said in why.items() if two[:8] in said] == ['omega']


def test_a_checkout_is_not_said_to_have_made_the_change(root, git):
    git(root, 'checkout', '-q', 'HEAD~1')
    update(root, event='post-checkout')
    assert block(root).units[0].why.startswith('came with the checkout of ')


@pytest.mark.parametrize('how', [(), ('add',), ('add', '-N')], ids=['untracked', 'staged', 'intended'])
def test_a_new_file_and_a_new_function_are_added_before_they_are_committed(root, git, how):
    write(root, {'new.py': 'def new():\n    return 1\n', 'a.py': (root / 'a.py').read_text() + FRESH})
    if how:
        git(root, *how, 'new.py')
    why = {unit.symbol: unit.why for unit in block(root).units}
    assert (why['new'], why['fresh']) == ('added, not committed', 'added, not committed')
    write(root, {'a.py': (root / 'a.py').read_text().replace('alpha(y)', 'y')})
    assert {unit.symbol: unit.why for unit in block(root).units}['omega'] == 'edited, not committed'


@pytest.mark.parametrize(
    ('lines', 'hunks', 'now'),
    [
        ((5, 8), [], [(5, 8)]),
        ((5, 8), [Hunk(0, 0, 1, 3)], [(8, 11)]),
        ((5, 8), [Hunk(8, 0, 9, 3)], [(5, 8)]),
        ((5, 8), [Hunk(6, 0, 7, 2)], [(5, 6), (9, 10)]),
        ((5, 8), [Hunk(6, 1, 6, 0)], [(5, 5), (6, 7)]),
        ((5, 8), [Hunk(4, 9, 4, 1)], []),
        ((5, 8), [Hunk(1, 5, 1, 1), Hunk(8, 2, 4, 1)], [(2, 3)]),
    ],
)
def test_lines_follow_a_change(lines, hunks, now):
    assert follow([lines], hunks) == now


def test_what_a_shown_function_holds_is_not_shown_again(root, git):
    write(root, {'c.py': 'def outer(f):\n    def inner(x):\n        return f(x)\n\n    return inner\n'})
    git(root, 'add', 'c.py')
    git(root, 'commit', '-qm', 'three')
    update(root)
    assert 'outer.inner' in [unit.symbol for unit in units_of(root)]
    assert 'outer' in [unit.symbol for unit in block(root).units]
    assert 'outer.inner' not in [unit.symbol for unit in block(root).units]


def test_a_shown_class_does_not_stand_for_its_methods(git_repo):
    """Its header alone is shown."""
    code = 'class Ledger:\n    """A ledger of bookings."""\n\n    def post(self, booking):\n        return booking\n'
    root = git_repo({'a.py': code})
    shown = {unit.symbol: unit.text for unit in block(root, 'ledger').units}
    assert 'def post' not in shown['Ledger'] and 'def post' in shown['Ledger.post']


def test_a_changelog_is_not_documentation_of_what_it_names(git_repo):
    pages = {'CHANGES.md': '# Version 1\n\n`charge_order` is faster.\n', 'guide.md': '# Use\n\nCall `charge_order`.\n'}
    root = git_repo({'a.py': 'def charge_order(x):\n    return x\n', **pages})
    related = {unit.symbol: unit.related for unit in block(root).units}['charge_order']
    assert related == 'shown in Use (guide.md:1)?'


def test_what_a_way_back_brought_was_written_by_none_of_it(root, git):
    write(root, {'a.py': (root / 'a.py').read_text().replace('alpha(y)', 'y')})
    git(root, 'commit', '-qam', 'three')
    update(root)
    git(root, 'reset', '-q', '--hard', 'HEAD~1')
    update(root)
    assert block(root).units[0].symbol == 'omega'
    assert block(root).units[0].why == f'came with the checkout of {git(root, "rev-parse", "HEAD")[:8]}'


def test_of_a_rewritten_branch_the_new_commits_have_written_what_they_change(root, git):
    write(root, {'c.py': 'def gone():\n    return 1\n'})
    git(root, 'add', 'c.py')
    git(root, 'commit', '-qm', 'three')
    write(root, {'a.py': (root / 'a.py').read_text().replace('alpha(y)', 'y')})
    git(root, 'commit', '-qam', 'four')
    update(root)
    git(root, 'reset', '-q', '--hard', 'HEAD~2')
    for number in range(2):
        write(root, {f'{number}.py': f'def new_{number}():\n    return 1\n'})
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'other')
    update(root)
    commit, before = (git(root, 'rev-parse', name)[:8] for name in ('HEAD', 'HEAD~1'))
    why = {unit.symbol: unit.why for unit in block(root).units}
    assert why['omega'] == f'came with the checkout of {commit}'
    assert (why['new_0'], why['new_1']) == (f'added in {before}', f'added in {commit}')


def test_units_that_another_version_prepared_are_made_anew(git_repo, monkeypatch):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    update(root)
    monkeypatch.setattr(hot, '__version__', '0.0.1')
    hot.save(find(root), hot.Prepared(snapshot(find(root)).commit, ()))
    monkeypatch.undo()
    assert [unit.symbol for unit in block(root).units] == ['a']
