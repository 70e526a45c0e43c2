"""A rebase, or a series of patches, is one update when it is over, however it goes."""

from __future__ import annotations

import time

import pytest
from helpers_events import ctxkit, settle, status, updates
from helpers_git_events import assert_fresh, change, rebase_of_twenty

from ctxkit.events import requests
from ctxkit.repo import find


def test_rebase_of_twenty_commits_is_one_update(work, git):
    assert rebase_of_twenty(work, git) == 1
    assert status(work)['branch'] == 'side'
    assert git(work, 'status', '--porcelain') == ''


def test_rebase_that_stops_at_a_conflict_is_done_when_it_is_over(work, git, monkeypatch):
    git(work, 'checkout', '-qb', 'side')
    change(work, git, 'mine')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'theirs')
    git(work, 'checkout', '-q', 'side')
    settle(work)
    git(work, 'rebase', '-q', 'main', check=False)
    assert (work / '.git' / 'rebase-merge').exists()
    before = len(updates(work))
    (work / 'app.py').write_text('def both():\n    return 3\n')
    git(work, 'add', 'app.py')
    monkeypatch.setenv('GIT_EDITOR', 'true')
    git(work, 'rebase', '--continue')
    assert_fresh(work, git)
    assert len(updates(work)) == before + 1


def test_rebase_that_drops_every_commit_is_seen(work, git):
    git(work, 'checkout', '-qb', 'side')
    picked = change(work, git, 'same')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'other', 'lib.py')
    git(work, 'cherry-pick', picked)
    git(work, 'checkout', '-q', 'side')
    git(work, 'rebase', '-q', 'main')
    assert_fresh(work, git)


@pytest.mark.slow
def test_rebase_with_the_apply_backend(work, git):
    git(work, 'checkout', '-qb', 'side')
    change(work, git, 'mine', 'side.py')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'theirs')
    git(work, 'checkout', '-q', 'side')
    git(work, 'rebase', '-q', '--apply', 'main')
    assert_fresh(work, git)
    assert updates(work)[-1] == 'post-rewrite' and 'post-applypatch' not in updates(work)


def test_a_series_of_patches_is_one_update(work, git, tmp_path):
    git(work, 'checkout', '-qb', 'side')
    for number in range(5):
        change(work, git, f'side_{number}', 'side.py')
    git(work, 'format-patch', '-q', 'main', '-o', str(tmp_path / 'patches'))
    git(work, 'checkout', '-q', 'main')
    settle(work)
    before = updates(work)
    git(work, 'am', '-q', *map(str, sorted((tmp_path / 'patches').iterdir())))
    assert_fresh(work, git)
    assert updates(work) == [*before, 'post-applypatch']
    assert 'side_4' in (work / '.ctx' / 'context.xml').read_text('utf-8')


@pytest.fixture
def conflicting(work, git, tmp_path):
    """Two patches, the second, and last, of which conflicts with main.

    Each event is waited for: of two in a row the second's worker can start late, and would wait for the end of am.
    """
    git(work, 'checkout', '-qb', 'side')
    settle(work)
    for name, file in (('first', 'side.py'), ('second', 'app.py')):
        change(work, git, name, file)
        settle(work)
    git(work, 'format-patch', '-q', 'main', '-o', str(tmp_path / 'patches'))
    git(work, 'checkout', '-q', 'main')
    settle(work)
    change(work, git, 'other')
    settle(work)
    return sorted(map(str, (tmp_path / 'patches').iterdir()))


def test_a_patch_that_conflicts_is_waited_for(work, git, conflicting):
    before = updates(work)
    git(work, 'am', '-q', '-3', *conflicting, check=False)
    assert 'waiting for the end of the am: post-applypatch' in ctxkit(work, 'doctor').stdout
    git(work, 'checkout', '--theirs', 'app.py')
    git(work, 'add', '-A')
    git(work, 'am', '--continue')
    assert_fresh(work, git)
    assert updates(work) == [*before, 'post-applypatch']


@pytest.fixture
def stopped(work, git, conflicting):
    """In the middle of `git am`: the first patch is in, the second conflicts."""
    git(work, 'am', '-q', '-3', *conflicting, check=False)
    return work


def test_a_series_that_was_given_up_is_nothing_to_mend(stopped, git):
    git(stopped, 'am', '--abort')
    done = ctxkit(stopped, 'doctor')
    assert done.returncode == 0 and 'noted, but HEAD has not moved: post-applypatch' in done.stdout


def test_an_update_by_hand_makes_good_what_a_skipped_patch_left(stopped, git):
    git(stopped, 'am', '--skip')
    said = ctxkit(stopped, 'doctor').stdout
    assert 'waiting, but no worker is running: post-applypatch; run: ctxkit hook drain, or ctxkit update' in said
    ctxkit(stopped, 'update')
    assert_fresh(stopped, git)
    assert ctxkit(stopped, 'doctor').returncode == 0 and 'waiting' not in ctxkit(stopped, 'status').stdout


def test_an_update_by_hand_keeps_what_is_noted_of_other_work_trees_and_meanwhile(work, git, tmp_path):
    git(work, 'worktree', 'add', '-q', '-b', 'linked', str(tmp_path / 'linked'))
    settle(work)
    repo, linked = find(work), find(tmp_path / 'linked')
    for one in (repo, linked):
        requests.note(repo.common_dir, requests.worktree_of(one), 'post-commit', '', one.root)
    before = requests.of_work_tree(repo)
    assert [file.name.rpartition('.')[0] for file, _ in before] == [requests.MAIN]
    time.sleep(0.02)  # further than the clock of the file system goes in one step
    requests.note(repo.common_dir, requests.MAIN, 'post-merge', '', work)
    requests.forget(before)
    assert {one.event for one in requests.pending(repo.common_dir)} == {'post-commit', 'post-merge'}
    requests.forget(requests.of_work_tree(repo))
    assert [one.worktree for one in requests.pending(repo.common_dir)] == ['linked']
