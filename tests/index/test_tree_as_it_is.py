"""A search and a block show the work tree as it is: no ghosts of what was deleted, edits laid over the commit."""

from __future__ import annotations

import os

import pytest
from helpers_main import block, search, symbols, units_in, update, write

from ctxkit.index import current

CODE = {
    'app.py': 'def charge(order):\n    """Take the money."""\n    return order.total\n\n\n'
    'def refund(order):\n    return -order.total\n',
    'lib.py': 'def format_price(value):\n    return f"{value:.2f}"\n',
}


@pytest.fixture
def work(git_repo):
    root = git_repo(CODE)
    update(root)
    return root


def shown(root, query):
    return block(root, query).to_xml()


def test_deleted_function_leaves_no_ghost(work, git):
    write(work, {'app.py': 'def charge(order):\n    return order.total\n'})
    git(work, 'commit', '-qam', 'no refunds')
    update(work)
    assert 'refund' not in symbols(work, 'refund')
    assert 'def refund' not in shown(work, 'refund an order')


def test_deleted_file_leaves_no_ghost(work, git):
    git(work, 'rm', '-q', 'lib.py')
    git(work, 'commit', '-qm', 'gone')
    update(work)
    assert all(place.path != 'lib.py' for place in search(work, 'format_price'))
    assert 'lib.py' not in shown(work, 'format_price')


def test_deletion_is_seen_without_an_update(work, git):
    git(work, 'rm', '-q', 'lib.py')
    git(work, 'commit', '-qm', 'gone')
    assert 'format_price' not in symbols(work, 'format_price')


def test_many_updates_with_deletions_between_them_leave_no_ghosts(work, git):
    for number in range(6):
        write(work, {f'part{number}.py': f'def part_number_{number}():\n    return {number}\n'})
        git(work, 'add', '-A')
        git(work, 'commit', '-qm', f'add {number}')
        update(work)
        git(work, 'rm', '-q', f'part{number}.py')
        git(work, 'commit', '-qm', f'remove {number}')
    update(work)
    assert not [place for place in search(work, 'part number', count=50) if place.path.startswith('part')]


@pytest.mark.parametrize('staged', [False, True], ids=['unstaged', 'staged'])
def test_edit_is_laid_over_the_commit(work, git, staged):
    write(work, {'app.py': 'def charge(order):\n    """Take it with tax."""\n    return order.total * 1.2\n'})
    if staged:
        git(work, 'add', '-A')
    assert symbols(work, 'refund').count('refund') == 0
    text = shown(work, 'charge an order')
    assert 'order.total * 1.2' in text
    assert 'Take the money' not in text


def test_edit_is_in_the_block_without_a_request(work):
    write(work, {'app.py': CODE['app.py'].replace('return -order.total', 'return -order.total  # after a call')})
    found = units_in(block(work))
    assert 'after a call' in found['refund']
    assert 'not committed' in next(unit.why for unit in block(work).units if unit.symbol == 'refund')


@pytest.mark.parametrize('query', ['', 'refund an order'], ids=['unasked', 'asked'])
def test_committed_text_of_an_edited_file_is_not_shown(work, query):
    write(work, {'app.py': 'def charge(order):\n    return 0\n'})
    text = shown(work, query)
    assert 'order.total' not in text
    assert 'dirty="true"' in text


@pytest.mark.parametrize('query', ['', 'ship a parcel'], ids=['unasked', 'asked'])
def test_untracked_file_is_shown(work, query):
    write(work, {'ship.py': 'def ship_parcel(parcel):\n    return parcel.track()\n'})
    assert 'parcel.track()' in shown(work, query)


def test_untracked_file_is_found_by_search(work):
    write(work, {'deep/er/ship.py': 'def ship_parcel(parcel):\n    return parcel.track()\n'})
    assert [place.path for place in search(work, 'ship_parcel')][:1] == ['deep/er/ship.py']


@pytest.mark.parametrize('query', ['', 'price format'], ids=['unasked', 'asked'])
def test_removed_file_is_not_shown(work, query):
    (work / 'lib.py').unlink()
    assert 'def format_price' not in shown(work, query)
    assert 'format_price' not in symbols(work, 'format_price')


def test_ignored_file_is_not_read(work):
    write(work, {'.gitignore': 'private/\n', 'private/key.py': 'def very_private(): pass\n'})
    assert 'very_private' not in symbols(work, 'very_private')
    assert 'very_private' not in shown(work, '')


def test_renamed_file_is_shown_under_its_new_name_alone(work, git):
    git(work, 'mv', 'lib.py', 'money.py')
    assert [place.path for place in search(work, 'format_price') if place.symbol == 'format_price'] == ['money.py']


def test_edit_taken_back_is_shown_as_committed_again(work):
    write(work, {'lib.py': 'def other(): pass\n'})
    assert 'other' in symbols(work, 'other')
    write(work, {'lib.py': CODE['lib.py']})
    assert 'other' not in symbols(work, 'other')
    assert 'format_price' in symbols(work, 'format_price')


def test_edited_lines_are_counted_in_the_edited_file(work):
    write(work, {'lib.py': '\n\n\n' + CODE['lib.py']})
    place = next(place for place in search(work, 'format_price') if place.symbol == 'format_price')
    assert (place.start_line, place.end_line) == (4, 5)


def test_file_replaced_by_a_link_is_not_read(work, tmp_path):
    outside = tmp_path / 'outside.py'
    outside.write_text('def secret_outside():\n    return 1\n')
    (work / 'lib.py').unlink()
    os.symlink(outside, work / 'lib.py')
    assert 'secret_outside' not in symbols(work, 'secret_outside')
    for query in ('', 'secret outside'):
        text = shown(work, query)
        assert 'secret_outside' not in text
        assert 'def format_price' not in text


def test_edited_file_behind_a_linked_folder_is_not_read(git_repo, git, tmp_path):
    root = git_repo({'pack/mod.py': 'def inside():\n    return 1\n'})
    update(root)
    outside = tmp_path / 'outside'
    outside.mkdir()
    (outside / 'mod.py').write_text('def secret_outside():\n    return 1\n')
    (root / 'pack' / 'mod.py').unlink()
    (root / 'pack').rmdir()
    os.symlink(outside, root / 'pack')
    assert 'secret_outside' not in symbols(root, 'secret_outside')
    for query in ('', 'secret outside'):
        assert 'secret_outside' not in shown(root, query)


def test_more_edits_than_are_read_hide_what_is_no_longer_true(git_repo, monkeypatch):
    monkeypatch.setattr(current, 'MAX_EDITED', 3)
    root = git_repo({f'm{number}.py': f'def committed_{number}():\n    return 1\n' for number in range(6)})
    update(root)
    for number in range(6):
        write(root, {f'm{number}.py': f'def edited_{number}():\n    return 1\n'})
    found = symbols(root, 'committed edited', count=50)
    assert [name for name in found if name.startswith('committed')] == []
    assert len([name for name in found if name.startswith('edited')]) == 3


def test_edits_and_commits_rank_as_if_indexed_from_scratch(git_repo, git):
    """The same tree gives the same order, however it came about."""
    files = {
        f'pack{number % 3}/mod{number}.py': f'def load_{number}(path):\n    """Load configuration {number}."""\n'
        f'    return parse(path, {number})\n'
        for number in range(12)
    }
    slow = git_repo(files, 'slow')
    update(slow)
    changed = {
        'pack0/mod0.py': 'def load_zero(path):\n    """Load configuration anew."""\n    return path\n',
        'pack9/extra.py': 'def configuration_of(path):\n    return path\n',
    }
    write(slow, changed)
    git(slow, 'rm', '-q', '--cached', 'pack1/mod1.py')
    (slow / 'pack1/mod1.py').unlink()
    fast = git_repo({**{path: text for path, text in files.items() if path != 'pack1/mod1.py'}, **changed}, 'fast')
    query = 'load the configuration'
    dirty = [(place.path, place.symbol) for place in search(slow, query, count=30)]
    git(slow, 'add', '-A')
    git(slow, 'commit', '-qm', 'change')
    update(slow)
    committed = [(place.path, place.symbol) for place in search(slow, query, count=30)]
    anew = [(place.path, place.symbol) for place in search(fast, query, count=30)]
    assert committed == anew
    assert dirty == anew
