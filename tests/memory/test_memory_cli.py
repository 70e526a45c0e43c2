"""`ctxkit memory` on the command line: what it prints, asks, and refuses."""

from __future__ import annotations

import json
import os
import sys

import pytest
from click.testing import CliRunner
from helpers_memory import claude_session

from ctxkit.cli.memory import memory
from ctxkit.cli.search import search


@pytest.fixture
def root(git_repo, monkeypatch):
    place = git_repo({'a.py': 'x = 1\n'})
    monkeypatch.chdir(place)
    return place


def call(*args, ok=True, input=None):
    result = CliRunner().invoke(memory, args, input=input)
    assert (result.exit_code == 0) is ok, result.output
    return result.stdout if ok else result.output


def test_set_add_view_list_retract(root):
    assert 'active goal: An offline search' in call('set', 'goal', 'An offline search')
    call('add', 'decision', 'Use toml for settings')
    call('add', 'question', 'Do sessions expire?')
    assert [line.split(':')[0] for line in call('view').splitlines()[1:]] == ['goal', 'decision', 'open question']
    assert 'retracted: Use toml' in call('retract', 'toml')
    assert 'toml' not in call('view') and 'retracted decision' in call('list', '--all')
    assert 'toml' not in call('list')


def test_what_is_known_in_other_words_or_as_another_kind_is_named_and_not_added(root):
    known = call('add', 'decision', 'Use ruff instead of flake8 for linting')
    assert call('add', 'convention', 'Use ruff instead of flake8 for the linting always') == known
    assert len(call('list').splitlines()) == 1


@pytest.mark.skipif(sys.platform != 'linux', reason='other systems have no such names')
def test_all_works_in_a_folder_whose_name_is_no_utf8(tmp_path, monkeypatch, git):
    folder = tmp_path / os.fsdecode(b'caf\xe9')
    folder.mkdir()
    monkeypatch.chdir(folder)
    git(folder, 'init', '-q')
    (folder / 'a.py').write_text('def f():\n    return 1\n')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'First')
    call('add', 'decision', 'Use toml for settings')
    call('enqueue')
    assert 'Use toml' in call('view')
    found = CliRunner().invoke(search, ['f', '--json'])
    assert json.loads(found.stdout)['path'] == 'a.py'


def test_a_new_goal_replaces_the_former(root):
    call('set', 'goal', 'One thing')
    call('set', 'goal', 'Another thing')
    assert call('view').count('goal:') == 1 and 'superseded goal: One thing' in call('list', '--all')


def test_what_was_retracted_can_be_said_again(root):
    call('add', 'decision', 'Use toml for settings')
    call('retract', 'toml')
    call('add', 'decision', 'Use toml for settings')
    assert 'Use toml' in call('view')


def test_nothing_is_found_or_too_much(root):
    call('add', 'decision', 'Use toml for settings')
    call('add', 'convention', 'Keep settings small')
    assert '2 facts under' in call('retract', 'settings', ok=False)
    assert 'nothing remembered under' in call('retract', 'zzz', ok=False)
    assert 'nothing to remember' in call('add', 'decision', '  \n ', ok=False)


@pytest.mark.parametrize('words', [('read', 'memory://root'), ('view', '--summary')])
def test_what_is_not_made_yet_says_what_makes_it(root, words):
    said = call(*words, ok=words[0] == 'view')
    assert 'ctxkit memory rebuild makes it, once your own settings say memories.enabled: true' in said


def test_clear_says_what_goes_and_asks(root):
    assert 'nothing is remembered' in call('clear')
    call('add', 'decision', 'Use toml for settings')
    assert 'memory.db: 1 fact from' in call('clear', input='n\n')
    assert 'Use toml' in call('view')
    assert 'removed:' in call('reset', '--yes')
    assert call('view') == '' and not (root / '.ctx/memory.json').exists()


def test_rebuild_needs_the_setting_then_reads(root, clean_person, monkeypatch):
    assert 'turned off' in call('rebuild', ok=False)
    assert 'no transcript is read' in call('doctor')
    monkeypatch.setenv('CTXKIT_MEMORIES_ENABLED', 'true')
    monkeypatch.setenv('CTXKIT_MEMORIES_MAX_ROLLOUT_AGE_DAYS', '3650')
    claude_session(clean_person, root, 's1', ['We decided to use pnpm instead of npm.'])
    claude_session(clean_person, '/elsewhere', 's2', ['We decided to use evil.'])
    assert 'claude:s1: due' in call('doctor')
    assert '1 conversation read' in call('rebuild')
    assert 'claude:s1: read; nothing new since then (1 turn; 1 statement)' in call('doctor')
    assert '1 place: another folder' in call('doctor') and 'claude:s2: another folder' in call('doctor', '--all')
    assert 'pnpm' in call('view', '--summary') and 'not authoritative' in call('view', '--summary')
    assert '# Project memory' in call('read', 'memory://root/MEMORY.md')
    assert 'not a memory URL' in call('read', 'file:///etc/passwd', ok=False)
    row = json.loads(call('export'))
    assert row['text'] == 'We decided to use pnpm instead of npm' and row['sources'][0]['agent'] == 'claude'
    assert '1 statement removed' in call('forget', 'claude:s1')
    assert call('view') == '' and 'forgotten on request' in call('doctor')
    assert 'no conversation' in call('forget', 'claude:zzz', ok=False)


def test_the_inbox_is_listed_and_ruled(root, clean_person, monkeypatch):
    monkeypatch.setenv('CTXKIT_MEMORIES_ENABLED', 'true')
    monkeypatch.setenv('CTXKIT_MEMORIES_MAX_ROLLOUT_AGE_DAYS', '3650')
    assert call('inbox').strip() == 'the inbox is empty'
    file = claude_session(clean_person, root, 's1', ['hello'])
    ended = file.stat().st_mtime
    file.write_text(file.read_text().replace('Done.', 'I decided to use toml for the settings.'))
    os.utime(file, (ended, ended))
    call('rebuild')
    line = call('inbox', 'list')
    assert ' proposed decision: ' in line
    assert 'rejected' in call('inbox', 'reject', line.split()[0])
    assert call('inbox').strip() == 'the inbox is empty' and call('view') == ''


def test_enqueue_marks_and_the_ledger_is_empty(root):
    assert 'memories.enabled' in call('enqueue')
    assert call('ledger').strip() == 'no model was ever called'


def test_export_to_a_file(root, tmp_path):
    call('add', 'decision', 'Use toml for settings')
    call('export', '-o', str(tmp_path / 'out.jsonl'))
    assert json.loads((tmp_path / 'out.jsonl').read_text())['kind'] == 'decision'


def test_control_characters_of_a_fact_do_not_reach_the_terminal(root):
    call('add', 'decision', 'Use \x1b[31mtoml\u202e for settings')
    assert '\x1b' not in call('list') and '\u202e' not in call('view')
