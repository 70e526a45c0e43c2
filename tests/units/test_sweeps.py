"""A change of many files hides no work, and what was worked on in it is no part of it."""

from __future__ import annotations

import time

import pytest
from helpers_hot import DAY, NOW, shown
from helpers_main import block, update, write

from ctxkit.units import walk


@pytest.fixture
def worked_on(dated, git_repo):
    """`worked_on(files, hooked)`: a repository of `files` in one of which a person wrote yesterday."""

    def make(files, hooked):
        root = git_repo(files)
        write(root, {'lib/m3.py': files['lib/m3.py'].replace('return 3', 'return worked(3)')})
        dated(root, 'work', NOW - DAY - 7200)
        if hooked:
            update(root, now=NOW - DAY)
        return root

    return make


@pytest.mark.parametrize('hooked', [False, True])
def test_a_sweep_over_many_files_does_not_hide_yesterdays_work(dated, worked_on, hooked):
    files = {f'lib/m{n}.py': f'import b\nimport a\n\n\ndef f{n}():\n    return {n}\n' for n in range(70)}
    root = worked_on(files, hooked)
    for name, text in files.items():
        text = (root / name).read_text()
        write(root, {name: '# A licence.\n' + text.replace('import b\nimport a', 'import a\nimport b')})
    write(root, {'lib/m9.py': (root / 'lib/m9.py').read_text().replace('return 9', 'return nine()')})
    dated(root, 'sweep', NOW - 60)
    if hooked:
        update(root, now=NOW, event='post-commit')
    symbols = shown(root)
    assert symbols[0] == 'f3' and 'f9' in symbols
    assert shown(root, NOW + 7200)[0] == 'f3'
    assert 'f9' in symbols[:2]  # of the sweep, code comes before imports


WRITTEN = ''.join(f'    step_{n}(x)\n' for n in range(12))


@pytest.mark.parametrize('hooked', [False, True])
def test_what_was_written_in_a_sweep_is_no_part_of_it(dated, worked_on, hooked):
    files = {f'lib/m{n}.py': f'import b\nimport a\n\n\ndef f{n}(x):\n    return {n}\n' for n in range(70)}
    root = worked_on(files, hooked)
    for name in files:
        write(root, {name: '# A licence.\n' + (root / name).read_text()})
    text = (root / 'lib/m9.py').read_text()
    write(root, {'lib/m9.py': text.replace('    return 9', WRITTEN + '    return 9')})
    dated(root, 'sweep', NOW - 60)
    if hooked:
        update(root, now=NOW, event='post-commit')
    assert shown(root)[:2] == ['f9', 'f3']


def test_where_much_of_a_sweep_is_large_it_says_nothing(dated, git_repo):
    files = {f'm{n}.py': f'def f{n}(x):\n    return {n}\n' for n in range(70)}
    root = git_repo(files)
    write(root, {'m3.py': files['m3.py'].replace('return 3', 'return worked(3)')})
    dated(root, 'work', NOW - DAY - 7200)
    for n, name in enumerate(files):
        text = (root / name).read_text()
        write(root, {name: text.replace('    return', (WRITTEN if n % 7 == 0 else '') + '    y = x\n    return')})
    dated(root, 'sweep', NOW - 60)
    assert shown(root)[0] == 'f3'


def test_edits_of_many_files_come_after_work_but_files_that_git_does_not_track_make_no_sweep(git_repo, git):
    files = {f'm{n}.py': f'import a\n\n\ndef f{n}():\n    return {n}\n' for n in range(60)}
    root = git_repo(files)
    write(root, {'m7.py': files['m7.py'].replace('return 7', 'return worked(7)')})
    git(root, 'commit', '-qam', 'work')
    write(root, {**{f'junk{n}.txt': f'note {n}' for n in range(60)}, 'm8.py': files['m8.py'].replace('8()', '8(x)')})
    assert shown(root, time.time())[0] == 'f8'
    write(root, {name: text.replace('import a', 'import b') for name, text in files.items() if name != 'm7.py'})
    assert shown(root, time.time())[0] == 'f7'


def test_a_first_commit_of_many_files_is_shown_for_want_of_others(git_repo):
    root = git_repo({f'm{n}.py': f'def f{n}():\n    return {n}\n' for n in range(60)})
    assert len(shown(root)) > 20


def test_many_deleted_files_do_not_hide_an_edit(git_repo, git):
    files = {f'a{n}.py': f'def f{n}():\n    return {n}\n' for n in range(45)}
    root = git_repo({**files, 'z.py': 'def z():\n    return 1\n'})
    for name in files:
        (root / name).unlink()
    write(root, {'z.py': 'def z():\n    return 2\n'})
    assert block(root).units[0].symbol == 'z'


def test_of_a_commit_of_very_many_files_some_spread_over_all_are_looked_at(git_repo, monkeypatch):
    """A shallow clone's only commit holds the whole tree: to look at 6,000 files took each event 3 s."""
    monkeypatch.setattr(walk, 'LARGEST_SWEEP', 60)
    monkeypatch.setattr(walk, 'SOME_FILES', 10)
    root = git_repo({f'm{number:02}.py': f'def f{number}():\n    return {number}\n' for number in range(70)})
    assert {unit.path for unit in block(root, budget=4000).units} == {f'm{at:02}.py' for at in range(0, 70, 7)}


def test_of_a_commit_of_very_many_definitions_the_files_of_some_are_looked_at(git_repo, monkeypatch):
    """250 generated files of 5,000 definitions took each event 1.3 GB."""
    monkeypatch.setattr(walk, 'MOST_PLACES', 70)
    code = ''.join(f'def f{{0}}_{n}():\n    return {{0}}{n}\n\n\n' for n in range(7))
    root = git_repo({f'm{number:02}.py': code.format(number) for number in range(70)})
    assert {unit.path for unit in block(root, budget=4000).units} == {f'm{at:02}.py' for at in range(0, 70, 7)}
