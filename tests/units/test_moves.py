"""A file that was moved is no change, and an edit with the move the only one."""

from __future__ import annotations

import time

import pytest
from helpers_hot import NOW
from helpers_main import block, opened, update, write

from ctxkit.repo import find
from ctxkit.units.history import SEED_COMMITS, edits_today, moved
from ctxkit.units.recall import hot_chunks


def test_a_file_that_was_only_moved_is_no_change(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    now = time.time()
    update(root, now=now)
    write(root, {'b.py': 'def b():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    update(root, now=now + 60)
    git(root, 'mv', 'a.py', 'moved.py')
    git(root, 'commit', '-qm', 'move')
    update(root, now=now + 120)
    log = (root / '.ctx' / 'units.jsonl').read_text()
    assert 'moved.py' not in log
    assert [unit.path for unit in block(root).units][0] == 'b.py'
    fresh = root.parent / 'fresh'
    git(root, 'clone', '-q', str(root), str(fresh))
    units = {unit.path: unit.why for unit in block(fresh).units}
    head = git(root, 'rev-parse', 'HEAD')[:8]
    assert 'b.py' in units and not any(head in why for why in units.values())


@pytest.mark.parametrize('staged', [False, True])
def test_an_uncommitted_move_is_no_change_and_an_edit_with_it_the_only_one(git_repo, git, staged):
    moved = 'import os\n\n\ndef keep():\n    return os\n\n\ndef edit():\n    return 1\n'
    root = git_repo({'lib/a.py': moved, 'b.py': 'def b():\n    return 1\n'})
    write(root, {'b.py': 'def b():\n    return 2\n', 'lib/a.py': moved.replace('return os', 'return os.sep')})
    git(root, 'commit', '-qam', 'work')
    (root / 'lib/a.py').rename(root / 'z.py')
    if staged:
        git(root, 'add', '-A')
    head = git(root, 'rev-parse', 'HEAD')[:8]
    units = {unit.symbol: (unit.path, unit.why) for unit in block(root).units}
    assert units.pop('edit')[1].startswith('changed in ')  # by the first commit
    assert units == {'b': ('b.py', f'changed in {head}'), 'keep': ('z.py', f'changed in {head}')}
    write(root, {'z.py': (root / 'z.py').read_text().replace('return 1', 'return 2')})
    first, *rest = block(root).units
    assert (first.path, first.symbol, first.why) == ('z.py', 'edit', 'edited, not committed')
    assert [unit.symbol for unit in rest] == ['b', 'keep']


def test_a_request_finds_only_what_was_edited_in_a_moved_file_to_be_fresh(git_repo, git):
    files = {'a.py': 'def keep():\n    return 1\n\n\ndef edit():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'}
    root = git_repo(files)
    git(root, 'mv', 'a.py', 'z.py')
    write(root, {'z.py': files['a.py'][:-2] + '2\n'})
    with opened(root, NOW) as corpus:
        assert [corpus.place(chunk).symbol for chunk in hot_chunks(corpus, [], corpus.edited)] == ['edit']


def test_a_move_counts_as_no_edit_of_today(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    git(root, 'mv', 'a.py', 'moved.py')
    write(root, {'b.py': 'def b():\n    return 2\n'})
    git(root, 'commit', '-qam', 'move and work')
    assert edits_today(find(root), 'HEAD', time.time()) == {'a.py': 1, 'b.py': 2}


@pytest.mark.parametrize('hooked', [False, True])
def test_of_a_file_that_a_commit_moved_and_changed_only_what_it_changed_is_told(git_repo, git, hooked):
    kept = ''.join(f'def keep{n}(value):\n    total = value + {n}\n    return total * {n}\n\n\n' for n in range(4))
    root = git_repo({'lib/a.py': f'import os\n\n\n{kept}def work():\n    return os\n'})
    if hooked:
        update(root, now=NOW)
    git(root, 'mv', 'lib/a.py', 'z.py')
    write(
        root, {'z.py': (root / 'z.py').read_text().replace('return os', 'return os.sep') + '\n\ndef new():\n    pass\n'}
    )
    git(root, 'commit', '-qam', 'move and work')
    if hooked:
        update(root, now=NOW + 60, event='post-commit')
    head = git(root, 'rev-parse', 'HEAD')[:8]
    said = {unit.symbol: unit.why for unit in block(root, now=NOW + 60).units if head in unit.why}
    words = ('modified', 'added') if hooked else ('changed', 'changed')
    assert said == {name: f'{word} in {head}' for name, word in zip(('work', 'new'), words, strict=True)}


@pytest.mark.parametrize('edited', [False, True])
def test_work_on_files_that_were_moved_since_is_shown_where_they_are_now(git_repo, git, edited):
    lines = ''.join(f'def part{number}():\n    return {number}\n\n\n' for number in range(8))
    root = git_repo({'old/a.py': lines, 'b.py': 'def b():\n    return 1\n'})
    update(root, now=NOW)
    write(root, {'old/a.py': lines.replace('return 3', 'return 33')})
    git(root, 'commit', '-qam', 'work')
    update(root, now=NOW + 60)
    work = git(root, 'rev-parse', 'HEAD')[:8]
    git(root, 'mv', 'old', 'between')
    git(root, 'commit', '-qm', 'move')
    git(root, 'mv', 'between', 'new')
    if edited:
        write(root, {'new/a.py': 'import os\n\n\n' + (root / 'new/a.py').read_text()})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'move again')
    update(root, now=NOW + 120)
    fresh = root.parent / 'fresh'
    git(root, 'clone', '-q', str(root), str(fresh))
    for where, why in ((root, f'modified in {work}'), (fresh, f'changed in {work}')):
        part = next(unit for unit in block(where).units if unit.symbol == 'part3')
        assert (part.path, part.start_line, part.why) == ('new/a.py', 16 if edited else 13, why)
        assert not any(unit.path.startswith(('old/', 'between/')) for unit in block(where).units)


def test_what_was_moved_and_wholly_rewritten_is_not_told_as_the_work_of_before(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    work = git(root, 'rev-parse', 'HEAD')[:8]
    git(root, 'mv', 'a.py', 'z.py')
    git(root, 'commit', '-qm', 'move')
    write(root, {'z.py': 'class Other:\n    """Nothing of it."""\n\n    def other(self):\n        return self\n'})
    git(root, 'commit', '-qam', 'rewrite')
    assert not any(unit.path == 'z.py' and work in unit.why for unit in block(root).units)


def test_what_a_switched_branch_brought_before_a_move_names_the_commit_that_made_it(git_repo, git):
    root = git_repo({'lib/a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    git(root, 'switch', '-qc', 'side')
    write(root, {'b.py': 'def b():\n    return 2\n'})
    git(root, 'commit', '-qam', 'side')
    update(root, now=NOW)
    git(root, 'switch', '-q', '-')
    write(root, {'lib/vat.py': 'def vat(x):\n    return x * 1.2\n'})
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'vat')
    made = git(root, 'rev-parse', 'HEAD')[:8]
    git(root, 'mv', 'lib', 'store')
    git(root, 'commit', '-qm', 'move')
    update(root, now=NOW + 60)
    assert {unit.path: unit.why for unit in block(root).units}['store/vat.py'] == f'added in {made}'


def test_only_the_last_commits_are_searched_for_moves(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': ''})
    git(root, 'mv', 'a.py', 'R100')
    git(root, 'commit', '-qm', 'move')
    assert moved(find(root), 'HEAD') == {'a.py': 'R100'}
    for number in range(SEED_COMMITS - 1):
        write(root, {'b.py': f'x = {number}\n'})
        git(root, 'commit', '-qam', 'work')
    assert moved(find(root), 'HEAD') == {'a.py': 'R100'}
    write(root, {'b.py': ''})
    git(root, 'commit', '-qam', 'work')
    assert moved(find(root), 'HEAD') == {}
