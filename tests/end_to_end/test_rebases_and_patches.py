"""A rebase, or a series of patches, is one update when it is over, however it goes."""

from __future__ import annotations

import pytest
from helpers_events import ctxkit, settle, status, updates
from helpers_git_events import assert_fresh, change


def test_rebase_of_twenty_commits_is_one_update(work, git):
    git(work, 'checkout', '-qb', 'side')
    for number in range(20):
        change(work, git, f'side_{number}', 'side.py')
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'on_main')
    git(work, 'checkout', '-q', 'side')
    settle(work)
    before = len(updates(work))
    git(work, 'rebase', '-q', 'main')
    assert_fresh(work, git)
    assert len(updates(work)) == before + 1
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


def test_a_patch_that_conflicts_is_waited_for(work, git, tmp_path):
    git(work, 'checkout', '-qb', 'side')
    change(work, git, 'first', 'side.py')
    change(work, git, 'second')
    git(work, 'format-patch', '-q', 'main', '-o', str(tmp_path / 'patches'))
    git(work, 'checkout', '-q', 'main')
    change(work, git, 'other')
    settle(work)
    before = updates(work)
    git(work, 'am', '-q', '-3', *map(str, sorted((tmp_path / 'patches').iterdir())), check=False)
    assert 'noted for after the am: post-applypatch' in ctxkit(work, 'doctor').stdout
    git(work, 'checkout', '--theirs', 'app.py')
    git(work, 'add', '-A')
    git(work, 'am', '--continue')
    assert_fresh(work, git)
    assert updates(work) == [*before, 'post-applypatch']
