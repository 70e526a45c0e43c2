"""What is said adds up to facts: who may decide, what confirms, replaces and takes back."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from helpers_main import update
from helpers_memory import (
    DAY,
    NOW,
    active,
    claude_file,
    claude_session,
    claude_user,
    commit,
    lines,
    remember,
    write_lines,
)

from ctxkit import repo as repos
from ctxkit.memory import commits, event, person, section, snapshot
from ctxkit.memory.facts import Source, Statement
from ctxkit.memory.merge import merge
from ctxkit.settings import Settings


def test_a_persons_words_become_facts_and_reach_the_block(root, home):
    claude_session(
        home,
        root,
        's1',
        [
            'The goal of this project is an offline code search.',
            'We decided to use pnpm instead of npm.',
            'Never commit generated files.',
            'We still have to decide whether sessions expire.',
            'thanks',
        ],
    )
    report = remember(root, home)
    assert report.read == 1 and len(active(report.facts)) == 4
    body = json.loads((root / '.ctx/memory.json').read_text())
    assert body['goal']['text'] == 'The goal of this project is an offline code search'
    assert [entry['text'] for entry in body['decisions']] == ['We decided to use pnpm instead of npm']
    assert body['conventions'][0]['who'] == 'human' and body['conventions'][0]['sources'][0]['session'] == 's1'
    assert len(body['openQuestions']) == 1
    shown = lines(root)
    assert shown[0] == section.GUIDANCE
    assert [line.split(':')[0] for line in shown[1:]] == ['goal', 'decision', 'convention', 'open question']


def test_a_later_word_replaces_an_earlier_one_and_the_old_one_is_kept_as_former(root, home):
    claude_session(home, root, 's1', ['We use npm for the web client.'], NOW - 5 * DAY)
    claude_session(home, root, 's2', ['We switched from npm to pnpm for the web client.'], NOW - 2 * DAY)
    report = remember(root, home)
    assert active(report.facts) == ['We switched from npm to pnpm for the web client']
    (old,) = [fact for fact in report.facts if fact.status == 'superseded']
    assert old.superseded_by == next(fact.id for fact in report.facts if fact.status == 'active')
    assert '~~We use npm for the web client~~' in (root / '.ctx/memory/MEMORY.md').read_text()
    assert not any('use npm' in line for line in lines(root))


def test_the_same_said_in_two_conversations_confirms(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.'], NOW - 5 * DAY)
    claude_session(home, root, 's2', ['never commit generated files'], NOW - 2 * DAY)
    (fact,) = remember(root, home).facts
    assert fact.confirmations == 2 and fact.first_seen < fact.last_seen and len(fact.sources) == 2


def test_a_fork_confirms_nothing(root, home):
    file = claude_session(home, root, 's1', ['Never commit generated files.'])
    shutil.copy(file, file.with_name('s2.jsonl'))
    os.utime(file.with_name('s2.jsonl'), (NOW - DAY, NOW - DAY))
    (fact,) = remember(root, home).facts
    assert fact.confirmations == 1


@pytest.mark.parametrize(
    ('said', 'later'),
    [
        ('Always keep the line length at 100 characters.', 'Always keep the line length at 120 characters.'),
        ('Always squash commits before merging.', 'Never squash commits before merging.'),
        ("Let's use MySQL for the reports.", "Let's use PostgreSQL for the reports."),
        ('We still have to decide whether the cache uses Redis.', 'We decided to use Redis for the cache.'),
    ],
)
def test_what_cannot_both_hold_is_settled_by_the_later(root, home, said, later):
    claude_session(home, root, 's1', [said], NOW - 5 * DAY)
    claude_session(home, root, 's2', [later], NOW - 2 * DAY)
    assert active(remember(root, home).facts) == [later.rstrip('.')]


def test_two_purposes_are_two_facts(root, home):
    claude_session(home, root, 's1', ['We use SQLite for tests.', 'We use PostgreSQL for production.'])
    assert len(active(remember(root, home).facts)) == 2


def test_a_decision_closes_a_question_that_has_its_words_in_another_form(root, home):
    claude_session(home, root, 's1', ['Open question: how long may a reservation live?'], NOW - 5 * DAY)
    claude_session(home, root, 's2', ['We decided that a reservation lives for ten minutes.'], NOW - 2 * DAY)
    assert active(remember(root, home).facts) == ['We decided that a reservation lives for ten minutes']


def test_what_was_taken_back_is_gone(root, home):
    claude_session(home, root, 's1', ['Never commit generated files.', 'Scratch that.'])
    assert active(remember(root, home).facts) == []


@pytest.mark.parametrize(
    ('said', 'back'),
    [
        ('We decided to use black for formatting.', 'Forget what I said about black, we keep ruff.'),
        ('Abbiamo deciso di usare black per la formattazione.', 'Dimentica quello che ho detto su black.'),
        ('Wir haben uns für black entschieden.', 'Vergiss, was ich über black gesagt habe.'),
        ('Hemos decidido usar black para el formato.', 'Olvida lo que dije sobre black.'),
        ("Nous avons décidé d'utiliser black pour le format.", "Oublie ce que j'ai dit sur black."),
        ('Мы решили использовать black для кода.', 'Забудь, что я говорил про black.'),
        ('我们决定用 black 做格式化。', '忘掉我关于 black 的决定。'),
    ],
)
@pytest.mark.parametrize('later', [False, True])
def test_what_is_taken_back_by_its_name_goes_and_what_was_said_last_stays(root, home, said, back, later):
    rule = 'Never commit generated files.'
    claude_session(home, root, 's1', [said, rule, *([] if later else [back])], NOW - 5 * DAY)
    if later:
        claude_session(home, root, 's2', [back], NOW - 2 * DAY)
    assert active(remember(root, home).facts) == [rule.rstrip('.')]


def test_an_agents_word_waits_until_a_person_accepts_it(root, home, git):
    rows = [
        claude_user('u1', 'Hello', None, str(root)),
        {
            **claude_user('a1', '', 'u1', str(root)),
            'type': 'assistant',
            'message': {
                'id': 'm',
                'role': 'assistant',
                'content': [{'type': 'text', 'text': 'I decided to use toml for the settings.'}],
            },
        },
    ]
    write_lines(claude_file(home, root, 's1'), rows, ended=NOW - DAY)
    (fact,) = remember(root, home).facts
    assert fact.status == 'proposed' and lines(root) == []
    assert 'toml' not in (root / '.ctx/memory/MEMORY.md').read_text()
    person.rule(repos.find(root), fact.id[:6], 'accepted', NOW)
    assert any('toml' in line for line in lines(root))


def test_a_rejected_proposal_stays_rejected_when_it_is_repeated(root):
    said = Statement('decision', 'I decided to use toml', 'agent', Source('claude', 's1', 'm1'), NOW)
    again = Statement('decision', 'I decided to use toml', 'agent', Source('claude', 's2', 'm2'), NOW + DAY)
    (fact,) = merge([said], {})
    assert [one.status for one in merge([said, again], {fact.id: ('rejected', NOW + 1)})] == ['retracted']


def test_a_persons_later_word_brings_a_retracted_fact_back():
    said = Statement('decision', 'Use toml for settings', 'human', Source('claude', 's1', 'm1'), NOW)
    again = Statement('decision', 'Use toml for settings', 'human', Source('claude', 's2', 'm2'), NOW + DAY)
    (fact,) = merge([said], {})
    assert merge([said], {fact.id: ('retracted', NOW + 1)})[0].status == 'retracted'
    assert merge([said, again], {fact.id: ('retracted', NOW + 1)})[0].status == 'active'


def test_an_agent_cannot_replace_what_a_person_said():
    person_said = Statement(
        'decision', 'Use pnpm for packages', 'human', Source('claude', 's1', 'm1'), NOW, chosen='pnpm'
    )
    agent_said = Statement(
        'decision',
        'Use npm for packages',
        'agent',
        Source('claude', 's2', 'm2'),
        NOW + 1,
        chosen='npm',
        instead_of='pnpm',
    )
    assert [fact.status for fact in merge([person_said, agent_said], {})] == ['active', 'proposed']


def test_commits_speak_without_any_setting(root, git):
    repo = repos.find(root)
    ident = commit(git, root, 'Change\n\nDecision: use SQLite instead of Redis\n')
    event.on_commit(repo, Settings(), ident, frozenset(), NOW)
    (fact,) = snapshot.load(repo)
    assert fact.who == 'commit' and fact.status == 'active' and fact.sources[0].message == ident[:12]


def test_all_commits_that_an_event_brought_speak(root, git):
    """A pull, a merge, a rebase, or two commits before the worker looks."""
    update(root)
    repo = repos.find(root)
    for said in ('use SQLite instead of Redis', 'keep the core free of threads', 'write docs in Markdown'):
        commit(git, root, f'Change\n\nDecision: {said}\n')
    commit(git, root, 'Nothing to say')
    update(root)
    assert {fact.text for fact in snapshot.load(repo)} == {
        'use SQLite instead of Redis',
        'keep the core free of threads',
        'write docs in Markdown',
    }


def test_where_the_commit_before_is_forgotten_the_last_one_speaks(root, git):
    ident = commit(git, root, 'Change\n\nDecision: use SQLite instead of Redis\n')
    assert len(commits.statements(repos.find(root), ident, 'f' * 40)) == 1


def test_an_open_question_expires_and_a_decision_does_not():
    question, decision = merge(
        [
            Statement('question', 'whether it expires', 'human', Source('c', 's', '1'), NOW),
            Statement('decision', 'Use toml', 'human', Source('c', 's', '2'), NOW),
        ],
        {},
    )
    assert question.shown(NOW + 89 * DAY) and not question.shown(NOW + 91 * DAY) and decision.shown(NOW + 999 * DAY)
