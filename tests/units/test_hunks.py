"""Which lines past commits left, and how git is asked for them."""

from __future__ import annotations

import tracemalloc

import pytest
from helpers_hot import NOW
from helpers_main import write

from ctxkit.repo import find, started
from ctxkit.units import hunks
from ctxkit.units.history import recent
from ctxkit.units.hunks import Hunk, follow, touched_lines


@pytest.mark.parametrize(
    ('line', 'hunks', 'now'),
    [
        (5, [], 5),
        (5, [Hunk(0, 0, 1, 3)], 8),
        (5, [Hunk(5, 0, 6, 2)], 5),
        (5, [Hunk(5, 1, 5, 3)], 7),
        (5, [Hunk(6, 1, 6, 0)], 5),
        (5, [Hunk(5, 2, 5, 2)], None),
        (5, [Hunk(1, 2, 1, 0), Hunk(9, 1, 7, 1)], 3),
    ],
)
def test_the_place_of_deleted_lines_follows_a_change(line, hunks, now):
    assert follow([(line + 1, line)], hunks) == ([] if now is None else [(now + 1, now)])


def test_the_diff_of_a_whole_tree_is_not_held(git_repo, git):
    lines = '0123456789\n' * 40_000
    root = git_repo({f'f{number}.txt': f'{number}\n{lines}' for number in range(12)})  # 5 MB, as in a shallow clone
    repo, head = find(root), git(root, 'rev-parse', 'HEAD').strip()
    (past,) = recent(repo, head, NOW)
    blobs = {path: git(root, 'rev-parse', f'HEAD:{path}').strip() for path in past.paths}
    tracemalloc.start()
    try:
        touched = touched_lines(repo, [past], head, blobs)[head]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert touched == dict.fromkeys(blobs, [(1, 40_001)])
    assert most < 1_000_000


def three_commits(git_repo, git):
    """A repository, and its commits to `a`, `b` and `c`, the oldest first."""
    root = git_repo({name: 'one\ntwo\n' for name in 'abc'})
    made = []
    for name in 'abc':
        write(root, {name: f'{"0" * 40}\none\ntwo\n'})  # a line like that with which git announces a commit
        git(root, 'commit', '-qam', name)
        made.append(git(root, 'rev-parse', 'HEAD').strip())
    write(root, {'a': f'above\n{"0" * 40}\none\ntwo\n'})
    git(root, 'commit', '-qam', 'again')
    return root, made


def touched_by_all(root, git):
    repo, head = find(root), git(root, 'rev-parse', 'HEAD').strip()
    blobs = {path: git(root, 'rev-parse', f'HEAD:{path}').strip() for path in 'abc'}
    return touched_lines(repo, recent(repo, head, NOW)[:4], head, blobs)


def test_several_commits_are_compared_by_two_gits(git_repo, git, monkeypatch):
    root, made = three_commits(git_repo, git)
    starts = []
    monkeypatch.setattr(hunks.git, 'started', lambda *args, **how: starts.append(args) or started(*args, **how))
    touched = touched_by_all(root, git)
    assert [touched[commit] for commit in made] == [{'a': [(2, 2)]}, {'b': [(1, 1)]}, {'c': [(1, 1)]}]
    assert len(starts) == 2


def test_a_commit_whose_contents_are_missing_hides_no_other(git_repo, git):
    root, made = three_commits(git_repo, git)
    blob = git(root, 'rev-parse', f'{made[1]}:b').strip()
    write(root, {'b': 'three\n'})
    git(root, 'commit', '-qam', 'another')
    (root / '.git' / 'objects' / blob[:2] / blob[2:]).unlink()
    touched = touched_by_all(root, git)
    assert touched[made[1]] == {'b': [(1, 1_000_000)]}
    assert touched[made[2]] == {'c': [(1, 1)]}
