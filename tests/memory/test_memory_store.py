"""What lies on the disk: it survives damage, holds no secret, is for the person alone, and goes when cleared."""

from __future__ import annotations

import os
import shutil

import pytest
from helpers_memory import (
    CODE,
    DAY,
    NOW,
    active,
    claude_session,
    commit,
    lines,
    remember,
)

from ctxkit import repo as repos
from ctxkit.errors import CtxError
from ctxkit.memory import database, event, person, snapshot, store
from ctxkit.settings import Settings


def test_facts_survive_the_deletion_of_the_database(root):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Use toml for settings', NOW)
    kept = person.say(repo, 'convention', 'Never commit generated files', NOW)
    person.rule(repo, kept.id, 'retracted', NOW + 1)
    shutil.rmtree(repo.data_dir)
    assert lines(root) == []
    facts = person.all_facts(repo)
    assert {fact.text: fact.status for fact in facts} == {
        'Use toml for settings': 'active',
        'Never commit generated files': 'retracted',
    }


def test_what_waits_in_the_inbox_waits_there_after_the_deletion_of_the_database(root, home):
    file = claude_session(home, root, 's1', ['hello'])
    file.write_text(file.read_text().replace('Done.', 'I decided to use toml for the settings.'))
    os.utime(file, (NOW - DAY, NOW - DAY))
    (waiting,) = remember(root, home).facts
    assert waiting.status == 'proposed'
    shutil.rmtree(repos.find(root).data_dir)
    assert [fact.status for fact in person.all_facts(repos.find(root))] == ['proposed']


def test_a_broken_database_is_moved_aside(root):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Use toml for settings', NOW)
    for tail in ('-wal', '-shm'):
        store.path(repo).with_name(f'memory.db{tail}').unlink(missing_ok=True)
    store.path(repo).write_bytes(b'no database at all' * 1000)
    assert active(person.all_facts(repo)) == ['Use toml for settings']


def test_a_database_of_a_newer_ctxkit_and_one_that_cannot_be_opened_are_errors_in_one_line(root):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Use toml for settings', NOW)
    with store.opened(repo) as db:
        database.set_meta(db, 'format', '2')
    with pytest.raises(CtxError, match='written by a newer ctxkit'):
        person.all_facts(repo)
    for tail in ('', '-wal', '-shm'):
        store.path(repo).with_name(f'memory.db{tail}').unlink(missing_ok=True)
    store.path(repo).mkdir()
    with pytest.raises(CtxError, match='unable to open database file'):
        person.all_facts(repo)


def test_a_work_tree_that_is_broken_keeps_nothing_from_being_remembered_elsewhere(root, git, tmp_path):
    git(root, 'worktree', 'add', '-q', str(tmp_path / 'tree'), '-b', 'side')
    person.say(repos.find(tmp_path / 'tree'), 'decision', 'Use toml for settings', NOW)
    (tmp_path / 'tree' / '.git').unlink()
    person.say(repos.find(root), 'decision', 'Use one pool for requests', NOW)
    assert len(active(person.all_facts(repos.find(root)))) == 2


def test_no_secret_reaches_any_file(root, home):
    token = 'ghp_' + 'a1B2' * 9
    claude_session(
        home, root, 's1', [f'We decided to use pnpm, the key is {token}', f'{token} Never commit generated files.']
    )
    remember(root, home)
    person.say(repos.find(root), 'decision', f'Use toml with {token}', NOW)
    for base in (root / '.ctx', root / '.git/ctxkit'):
        for file in base.rglob('*'):
            assert file.is_dir() or token.encode() not in file.read_bytes(), file


def test_a_value_of_the_env_file_is_a_secret_whatever_it_looks_like(root, home, git):
    (root / '.env').write_text('DB_PASSWORD=gentle-otter-lagoon-77\n')
    said = 'We decided to use gentle-otter-lagoon-77 for the staging database.'
    claude_session(home, root, 's1', [said, 'What is gentle-otter-lagoon-77 for?'])
    repo = repos.find(root)
    event.on_commit(repo, Settings(), commit(git, root, 'x\n\nDecision: keep gentle-otter-lagoon-77'), frozenset(), NOW)
    remember(root, home)
    person.say(repo, 'decision', said, NOW)
    assert len(person.all_facts(repo)) >= 2
    for base in (root / '.ctx', root / '.git/ctxkit'):
        for file in base.rglob('*'):
            assert file.is_dir() or b'otter' not in file.read_bytes(), file


def test_a_secret_that_comes_into_the_env_file_later_leaves_the_snapshot(root, home):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Use gentle-otter-lagoon-77 for the staging database', NOW)
    file = root / '.ctx/memory.json'
    assert 'gentle-otter' in file.read_text()
    (root / '.env').write_text('DB_PASSWORD=gentle-otter-lagoon-77\n')
    remember(root, home)
    assert 'gentle-otter' not in file.read_text() and 'gentle-otter' not in '\n'.join(lines(root))


def test_clear_forgets_this_repository_and_nothing_else(root, home, git_repo):
    other = git_repo(CODE, name='other')
    for place in (root, other):
        person.say(repos.find(place), 'decision', 'Use toml for settings', NOW)
    claude_session(home, root, 's1', ['Never commit generated files.'])
    remember(root, home)
    gone: list[str] = []
    assert any('2 facts' in line for line in person.what_goes(repos.find(root)))
    person.clear(repos.find(root), NOW, gone.append)
    assert lines(root) == [] and not (root / '.ctx/memory').exists() and not (root / '.ctx/memory.json').exists()
    assert b'toml' not in b''.join(file.read_bytes() for file in (root / '.git/ctxkit').glob('memory*'))
    assert remember(root, home).skipped == {'from before memory was cleared': 1} and person.what_goes(repos.find(root))
    claude_session(home, root, 's2', ['Always sign commits.'], NOW + 60)
    assert active(remember(root, home, NOW + DAY).facts) == ['Always sign commits']
    assert len(lines(other)) == 2 and all(str(root) in path for path in gone)


@pytest.mark.skipif(os.name == 'nt', reason='no POSIX modes')
def test_only_the_person_can_read_the_database(root):
    repo = repos.find(root)
    person.say(repo, 'decision', 'Use toml for settings', NOW)
    assert store.path(repo).stat().st_mode & 0o077 == 0 and snapshot.path(repo).stat().st_mode & 0o077 == 0
