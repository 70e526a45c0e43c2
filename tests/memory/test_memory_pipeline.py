"""Which conversations a run reads and when: leave, age, work trees, long ones, changed and vanished ones."""

from __future__ import annotations

import os

import pytest
from helpers_memory import (
    DAY,
    NOW,
    active,
    claude_session,
    claude_user,
    commit,
    enabled,
    lines,
    remember,
    write_lines,
)

from ctxkit import repo as repos
from ctxkit.errors import CtxError
from ctxkit.memory import doctor, event, person, store
from ctxkit.settings import Settings


def test_nothing_is_read_unless_the_person_says_so(root, home):
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    repo = repos.find(root)
    event.on_commit(repo, Settings(), repos.resolve(repo), frozenset(), NOW)
    assert not store.path(repo).exists() and lines(root) == []
    from ctxkit.memory.run import run

    with pytest.raises(CtxError, match='turned off') as raised:
        run(repo, Settings(), home, {'CTXKIT_CONFIG': 'mine.yaml'}, NOW)
    assert str(raised.value.hint).endswith('mine.yaml')


def test_a_second_run_reads_nothing(root, home):
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    remember(root, home)
    before = (root / '.ctx/memory/MEMORY.md').read_bytes()
    report = remember(root, home)
    assert report.read == 0 and (root / '.ctx/memory/MEMORY.md').read_bytes() == before


def test_worktrees_share_memory_and_foreign_folders_do_not(root, home, git, tmp_path):
    git(root, 'worktree', 'add', '-q', str(tmp_path / 'tree'), '-b', 'side')
    nested = root / 'vendor' / 'lib'
    nested.mkdir(parents=True)
    git(nested, 'init', '-q')
    (tmp_path / 'link').symlink_to(root)
    claude_session(home, tmp_path / 'tree', 's1', ['We decided to use alpha for the queue.'])
    claude_session(home, root / 'app', 's2', ['We decided to use beta for the cache.'])
    claude_session(home, tmp_path / 'link', 's3', ['We decided to use gamma for the mail.'])
    claude_session(home, nested, 's4', ['We decided to use delta for the tests.'])
    claude_session(home, root.parent, 's5', ['We decided to use epsilon for the docs.'])
    claude_session(home, str(root) + '-other', 's6', ['We decided to use zeta for the site.'])
    report = remember(root, home)
    words = ' '.join(active(report.facts))
    assert all(name in words for name in ('alpha', 'beta', 'gamma'))
    assert not any(name in words for name in ('delta', 'epsilon', 'zeta'))
    assert report.skipped == {'another folder': 3}
    git(root, 'worktree', 'remove', '--force', str(tmp_path / 'tree'))
    claude_session(home, tmp_path / 'tree', 's7', ['We decided to use eta for the logs.'])
    assert 'eta' in ' '.join(active(remember(root, home).facts))


@pytest.mark.parametrize(
    ('age', 'changes', 'reason'),
    [
        (40 * DAY, {}, 'older than 30 days'),
        (3600, {}, 'active within 12 hours and shorter than 24 turns'),
        (40 * DAY, {'max_rollout_age_days': 50}, ''),
        (3600, {'min_rollout_idle_hours': 0}, ''),
    ],
)
def test_old_and_active_conversations_are_left_alone(root, home, age, changes, reason):
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'], NOW - age)
    report = remember(root, home, **changes)
    assert report.skipped == ({reason: 1} if reason else {}) and len(report.facts) == (0 if reason else 1)


def test_a_long_conversation_is_taken_in_while_it_goes_on(root, home):
    texts = ['We decided to use pnpm instead of npm.', *['go on'] * 23]
    claude_session(home, root, 's1', texts, NOW - 60)
    assert active(remember(root, home).facts) == ['We decided to use pnpm instead of npm']
    claude_session(home, root, 's1', [*texts, 'Never commit generated files.'], NOW - 30)
    assert len(active(remember(root, home).facts)) == 1
    claude_session(home, root, 's1', [*texts, 'Never commit generated files.', *['go on'] * 23], NOW - 10)
    assert len(active(remember(root, home).facts)) == 2


def test_no_more_conversations_are_read_in_a_start_than_allowed(root, home):
    from ctxkit.memory.run import run

    for number in range(5):
        claude_session(
            home, root, f's{number}', [f'We decided to use tool{number} for task{number}.'], NOW - DAY - number
        )
    report = run(repos.find(root), enabled(max_rollouts_per_startup=2), home, {}, NOW)
    assert report.read == 2 and sorted(fact.text for fact in report.facts) == [
        'We decided to use tool0 for task0',
        'We decided to use tool1 for task1',
    ]


def test_a_vanished_transcript_keeps_its_facts_and_a_forgotten_one_does_not(root, home):
    file = claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'])
    claude_session(home, root, 's2', ['Never commit generated files.'])
    remember(root, home)
    file.unlink()
    assert len(active(remember(root, home).facts)) == 2
    repo = repos.find(root)
    assert person.forget(repo, 'claude:s2', NOW) == 1
    assert active(remember(root, home).facts) == ['We decided to use pnpm instead of npm']
    assert 'generated' not in (root / '.ctx/memory.json').read_text() + (root / '.ctx/memory/MEMORY.md').read_text()


def test_what_a_rewind_took_out_of_a_conversation_goes_from_memory(root, home):
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.', 'Never commit generated files.'])
    assert len(active(remember(root, home).facts)) == 2
    claude_session(home, root, 's1', ['We decided to use pnpm instead of npm.'], NOW - DAY + 60)
    assert active(remember(root, home).facts) == ['We decided to use pnpm instead of npm']


def test_an_event_never_raises_and_leaves_a_note(root):
    repo = repos.find(root)
    (root / '.ctx').write_text('a file where the folder should be')
    person_said = 'Decision: use toml\n'
    event.on_commit(repo, Settings(), repos.resolve(repo), frozenset(), NOW)
    del person_said
    store.path(repo).parent.mkdir(parents=True, exist_ok=True)
    store.path(repo).touch()
    event.on_commit(repo, Settings(), repos.resolve(repo), frozenset(), NOW)
    assert 'CtxError' in (repo.data_dir / 'memory.error').read_text()


def test_a_commit_of_more_paths_than_a_command_line_holds_is_looked_at(root):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Call `load_config` once', NOW)
    changed = frozenset(f'folder/{number:0200}' for number in range(20_000))
    event.on_commit(repo, Settings(), repos.resolve(repo), changed, NOW)
    assert not event.error_file(repo).exists()


def test_the_note_goes_with_an_event_that_makes_it_good(root):
    repo = repos.find(root)
    store.path(repo).parent.mkdir(parents=True)
    store.path(repo).touch()
    event.error_file(repo).write_text('CtxError: no\n')
    event.on_commit(repo, Settings(), repos.resolve(repo), frozenset(), NOW)
    assert not event.error_file(repo).exists()


def test_an_aider_history_that_came_with_the_clone_is_nobodys_word_here(root, home, git):
    file = root / '.aider.chat.history.md'
    file.write_text('# aider chat started at 2026-05-25 10:00:00\n\n#### We decided to use pnpm instead of npm.\n')
    commit(git, root, 'Add it')
    os.utime(file, (NOW - DAY, NOW - DAY))
    assert remember(root, home).facts == []
    said = doctor.lines(repos.find(root), enabled(), home, {}, NOW)
    assert any(line.startswith('git tracks') and file.name in line for line in said)
    git(root, 'rm', '-q', '--cached', file.name)
    assert active(remember(root, home).facts) == ['We decided to use pnpm instead of npm']


@pytest.mark.parametrize('cwd', ['/w/\0app', '{root}/' + 'x' * 300])
def test_a_folder_that_no_system_has_costs_no_other_conversation(root, home, cwd):
    claude_session(home, '/elsewhere', 's0', ['hello there'])
    rows = [claude_user('u1', 'Use toml.', cwd=cwd.format(root=root))]
    write_lines(home / '.claude' / 'projects' / 'x' / 's1.jsonl', rows, ended=NOW - DAY)
    claude_session(home, root, 's2', ['We decided to use pnpm instead of npm.'])
    assert 'We decided to use pnpm instead of npm' in active(remember(root, home).facts)


def test_ten_thousand_files_are_not_opened_again(root, home, monkeypatch):
    for number in range(50):
        claude_session(home, f'/elsewhere/{number}', f's{number}', ['hello there'])
    remember(root, home)
    from ctxkit.memory import transcripts

    monkeypatch.setattr(transcripts, 'describe', lambda found: pytest.fail(f'opened {found.path}'))
    assert remember(root, home).skipped == {'another folder': 50}


def test_the_background_start_needs_the_setting_and_is_not_repeated(root, home, monkeypatch):
    from ctxkit.memory.event import on_commit
    from ctxkit.safety import children

    started = []
    repo = repos.find(root)
    monkeypatch.setattr(children, 'start_detached', lambda *args: started.append(args))
    counts = []
    for settings, now in ((Settings(), NOW), (enabled(), NOW), (enabled(), NOW + 60), (enabled(), NOW + 3600)):
        on_commit(repo, settings, '', frozenset(), now)
        counts.append(len(started))
    assert counts == [0, 1, 1, 2]


def test_a_restored_older_transcript_is_read_again(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'], NOW - DAY)
    remember(root, home)
    claude_session(home, root, 's1', ['Never commit generated files.', 'Always sign commits.'], NOW - 2 * DAY)
    assert len(active(remember(root, home).facts)) == 2


def test_a_new_extractor_reads_everything_again(root, home, monkeypatch):
    claude_session(home, root, 's1', ['Never commit generated files.'])
    remember(root, home)
    from ctxkit.memory import phase_one, scan

    monkeypatch.setattr(phase_one, 'VERSION', 99)
    monkeypatch.setattr(scan, 'VERSION', 99)
    assert remember(root, home).read == 1 and remember(root, home).read == 0


def test_a_very_long_transcript_is_read_in_several_runs(root, home, monkeypatch):
    from ctxkit.memory.transcripts import claude, json_lines

    texts = [f'We decided to use tool{n} for task{n}.' for n in range(30)]
    claude_session(home, root, 's1', texts)
    monkeypatch.setattr(json_lines, 'BLOCK_BYTES', 512)
    monkeypatch.setattr(claude, 'records', lambda info, offset=0: json_lines.records(info, offset, limit=8000))
    counts = [len(active(remember(root, home).facts)) for _ in range(5)]
    assert counts[0] < 30 and counts == sorted(counts) and counts[-1] == 30
    assert remember(root, home).read == 0
