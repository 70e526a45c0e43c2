"""Which commit a unit names, and how old it is: deleted lines, several commits at once, odd dates."""

from __future__ import annotations

import pytest
from helpers_hot import DAY, NOW, shown
from helpers_main import block, units_of, update, write

from ctxkit.repo import find
from ctxkit.units import prepare
from ctxkit.units.history import SEED_COMMITS, edits_today


def test_a_commit_that_only_deletes_lines_shows_the_definition_around_them(git_repo, git):
    long = 'def longer(x):\n    one(x)\n    gone(x)\n    three(x)\n\n\ndef other():\n    pass\n\n\n'
    long += 'class Box:\n    a = 1\n    b = 2\n'
    root = git_repo({'a.py': long, 'b.py': 'def later():\n    pass\n'})
    write(root, {'a.py': long.replace('    gone(x)\n', '').replace('    a = 1\n', '')})
    git(root, 'commit', '-qam', 'delete')
    write(root, {'a.py': '# moved down\n\n' + (root / 'a.py').read_text()})
    git(root, 'commit', '-qam', 'move')
    units = {unit.symbol: unit for unit in block(root).units}
    deleted = git(root, 'rev-parse', 'HEAD~1')[:8]
    assert units['longer'].why == f'changed in {deleted}' == units['Box'].why
    assert (units['longer'].start_line, units['longer'].end_line) == (3, 5)


def test_an_update_over_several_commits_names_the_one_that_changed_the_unit(git_repo, git):
    root = git_repo(
        {'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n', 'c.py': 'def c():\n    1\n'}
    )
    update(root)
    ids = {}
    for name in ('a', 'b', 'c'):
        text = (root / f'{name}.py').read_text().replace('1', '22')
        write(root, {f'{name}.py': text})
        git(root, 'commit', '-qam', f'change {name}')
        ids[name] = git(root, 'rev-parse', 'HEAD').strip()
    update(root, event='post-merge')
    assert {unit.symbol: unit.commit for unit in units_of(root)} == ids
    assert {unit.symbol: unit.why for unit in block(root).units} == {
        name: f'modified in {commit[:8]}' for name, commit in ids.items()
    }


def changed_long_ago(git_repo, git, ago):
    """`a` was changed, and `ago` commits after it changed `b`; one event told of all."""
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    update(root)
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'old')
    for n in range(ago):
        write(root, {'b.py': f'def b():\n    return {n + 10}\n'})
        git(root, 'commit', '-qam', f'n{n}')
    update(root, event='post-merge')
    return root


def test_a_unit_of_an_older_commit_than_the_last_twelve_says_so(git_repo, git):
    root = changed_long_ago(git_repo, git, 12)
    head = git(root, 'rev-parse', 'HEAD')[:8]
    assert {unit.symbol: unit.why for unit in block(root).units} == {
        'a': f'modified up to {head}',
        'b': f'modified in {head}',
    }


def test_a_commit_dated_in_the_future_is_as_old_as_the_one_that_came_after_it(git_repo, dated):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    for name, when in (('ahead', NOW + 70 * 365 * DAY), ('long_ago', NOW - 2 * DAY), ('newest', NOW - 3600)):
        write(root, {f'{name}.py': f'def {name}():\n    return 1\n'})
        dated(root, name, when)
    assert shown(root)[:2] == ['newest', 'ahead']
    update(root, now=NOW)
    assert shown(root)[:2] == ['newest', 'ahead']


def test_a_commit_dated_in_the_future_is_no_edit_of_today(git_repo, dated):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    for name, when in (('today', NOW - 3600), ('ahead', NOW + 70 * 365 * DAY)):
        write(root, {f'{name}.py': f'def {name}():\n    return 1\n'})
        dated(root, name, when)
    assert edits_today(find(root), 'HEAD', NOW) == {'today.py': 1}


def worked(root, git):
    """A commit of work after a first update, and the update that follows it."""
    update(root)
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    update(root, event='post-commit')


@pytest.mark.parametrize('how', ['amend', 'rebase'])
def test_a_unit_names_the_commit_that_the_history_has_after_it_was_rewritten(git_repo, git, how):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'other.py': ''})
    git(root, 'checkout', '-qb', 'topic')
    worked(root, git)
    before = git(root, 'rev-parse', 'HEAD')[:8]
    if how == 'amend':
        git(root, 'commit', '-q', '--amend', '-m', 'reworded')
    else:
        git(root, 'checkout', '-q', 'main')
        write(root, {'other.py': 'VALUE = 1\n'})
        git(root, 'commit', '-qam', 'meanwhile')
        git(root, 'checkout', '-q', 'topic')
        git(root, 'rebase', '-q', 'main')
    update(root, event='post-rewrite')
    after = git(root, 'rev-parse', 'HEAD')[:8]
    text = (root / '.ctx' / 'context.xml').read_text('utf-8')
    assert after != before and before not in text and f'why="modified in {after}"' in text


def test_a_unit_names_no_commit_that_git_has_forgotten(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    worked(root, git)
    git(root, 'commit', '-q', '--amend', '-m', 'reworded')
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '-q', '--prune=now')  # as `git filter-repo` does
    update(root)
    assert [unit.why for unit in block(root).units] == [f'modified in {git(root, "rev-parse", "HEAD")[:8]}']


def test_a_unit_whose_commit_is_gone_and_far_back_names_none(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    worked(root, git)
    before = git(root, 'rev-parse', 'HEAD')[:8]
    git(root, 'commit', '-q', '--amend', '-m', 'reworded')
    for number in range(SEED_COMMITS):
        write(root, {f'new{number}.py': f'VALUE = {number}\n'})
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', f'more {number}')
    update(root, event='post-commit')
    text = (root / '.ctx' / 'context.xml').read_text('utf-8')
    assert before not in text and 'symbol="a" why="modified"' in text


def test_a_commit_after_a_history_that_is_gone_is_not_told_as_checked_out(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    update(root)
    git(root, 'commit', '-q', '--amend', '-m', 'rewritten')
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '-q', '--prune=now')
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    update(root, event='post-commit')
    assert [unit.why.partition(' in ')[0] for unit in block(root).units] == ['modified']


def test_a_comment_above_a_method_is_of_the_method_not_of_its_class(git_repo, git):
    code = 'class Box {\n  int size;\n\n  /** Opens. */\n  void open() {\n    lift(1);\n  }\n}\n'
    root = git_repo({'Box.java': code})
    write(root, {'Box.java': code.replace('Opens.', 'Opens the lid.')})
    git(root, 'commit', '-qam', 'words')
    words = git(root, 'rev-parse', 'HEAD')[:8]
    assert [unit.symbol for unit in block(root).units if unit.why == f'changed in {words}'] == ['Box.open']


def test_a_way_back_leaves_no_half_a_sentence(git_repo, git):
    """Of several commits that are gone from the history again no one is named."""
    root = changed_long_ago(git_repo, git, 14)
    git(root, 'reset', '-q', '--hard', 'HEAD~1')
    assert {unit.symbol: unit.why for unit in block(root).units}['a'] == 'modified'


def test_what_one_commit_added_and_the_next_one_changed_is_not_said_to_be_added_by_the_next(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    update(root)
    write(root, {'b.py': 'def b(value):\n    return value\n', 'c.py': 'def c(value):\n    return value\n'})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'add')
    first = git(root, 'rev-parse', 'HEAD')[:8]
    write(root, {'b.py': 'def b(value):\n    return value or None\n'})
    git(root, 'commit', '-qam', 'change')
    second = git(root, 'rev-parse', 'HEAD')[:8]
    update(root, event='post-merge')
    said = {unit.symbol: unit.why for unit in block(root).units}
    assert (said['b'], said['c']) == (f'changed in {second}', f'added in {first}')


def test_what_an_amended_commit_added_is_not_said_to_be_modified_by_it(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    for text in ('def b(value):\n    return value\n', 'def b(value):\n    return value or None\n'):
        update(root, event='post-commit')
        write(root, {'b.py': text})
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'add', *(['--amend'] if 'None' in text else []))
    update(root, event='post-rewrite')
    assert {unit.symbol: unit.why for unit in block(root).units}[
        'b'
    ] == f'changed in {git(root, "rev-parse", "HEAD")[:8]}'


def test_a_commit_that_no_event_has_told_is_shown_however_much_changed_before_it(git_repo, git, monkeypatch):
    monkeypatch.setattr(prepare, 'MAX_PREPARED', 6)
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    update(root)
    write(root, {f'many{n}.py': f'def many{n}(value):\n    return value * {n}\n' for n in range(8)})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'many')
    update(root, event='post-commit')
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'by a program that runs no hook')
    assert {unit.symbol: unit.why for unit in block(root).units}[
        'a'
    ] == f'changed in {git(root, "rev-parse", "HEAD")[:8]}'
