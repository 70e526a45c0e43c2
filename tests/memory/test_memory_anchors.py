"""A fact is bound to the code that it speaks of: changed, vanished, moved."""

from __future__ import annotations

import os

from helpers_memory import (
    CODE,
    DAY,
    NOW,
    claude_session,
    commit,
    lines,
    remember,
)

from ctxkit import repo as repos
from ctxkit.memory import event, person, snapshot
from ctxkit.settings import Settings


def test_a_changed_unit_makes_its_fact_unverified_and_a_vanished_one_drops_it(root, home, git):
    repo = repos.find(root)
    person.say(repo, 'convention', 'Never call `load_config` twice', NOW)
    assert snapshot.load(repo)[0].anchors[0].symbol == 'load_config'
    other = commit(git, root, 'elsewhere', app__load_py=CODE['app/load.py'], README_md='x')
    event.on_commit(repo, Settings(), other, frozenset({'README.md'}), NOW)
    assert not any('unverified' in line for line in lines(root))
    (root / 'app/load.py').write_text(CODE['app/load.py'].replace('return path', 'return path or None'))
    changed = commit(git, root, 'change it')
    event.on_commit(repo, Settings(), changed, frozenset({'app/load.py'}), NOW)
    assert any(f'(unverified since {changed[:10]})' in line for line in lines(root))
    later = commit(git, root, 'nothing')
    event.on_commit(repo, Settings(), later, frozenset(), NOW)
    assert any(f'(unverified since {changed[:10]})' in line for line in lines(root))
    (root / 'app/load.py').write_text('def other():\n    return 1\n')
    event.on_commit(repo, Settings(), commit(git, root, 'drop it'), frozenset({'app/load.py'}), NOW)
    assert lines(root) == []


def test_a_unit_that_moved_unchanged_is_followed(root, git):
    repo = repos.find(root)
    person.say(repo, 'convention', 'Never call `load_config` twice', NOW)
    (root / 'app/load.py').write_text('def other():\n    return 1\n')
    (root / 'app/moved.py').write_text('def load_config(path):\n    return path\n')
    event.on_commit(repo, Settings(), commit(git, root, 'move'), frozenset({'app/load.py', 'app/moved.py'}), NOW)
    event.on_commit(repo, Settings(), commit(git, root, 'later'), frozenset(), NOW)
    (fact,) = snapshot.load(repo)
    assert fact.anchors[0].path == 'app/moved.py' and fact.unverified_since == '' and not fact.gone


def test_what_was_said_before_the_code_changed_is_stale_when_it_is_read(root, home, git):
    claude_session(
        home,
        root,
        's1',
        ['Never call `load_config` twice in one request.', 'Never call `other` from a thread.'],
        NOW - DAY,
    )
    env = f'{int(NOW - 2 * DAY)} +0000'
    git(root, '-c', 'user.name=x', 'commit', '--amend', '-q', '--no-edit', '--date', env)
    os.environ['GIT_COMMITTER_DATE'] = env
    try:
        git(root, 'commit', '--amend', '-q', '--no-edit')
        os.environ['GIT_COMMITTER_DATE'] = f'{int(NOW - DAY / 2)} +0000'
        (root / 'app/load.py').write_text('def load_config(path):\n    return None\n')
        git(root, 'commit', '-qam', 'change one, drop one')
    finally:
        del os.environ['GIT_COMMITTER_DATE']
    report = remember(root, home)
    by_text = {fact.text: fact for fact in report.facts}
    assert by_text['Never call `load_config` twice in one request'].unverified_since
    assert by_text['Never call `other` from a thread'].gone
    assert len(lines(root)) == 2


def test_of_several_commits_to_the_file_the_one_that_changed_the_unit_is_named(root, git):
    repo = repos.find(root)
    person.say(repo, 'convention', 'Never call `load_config` twice', NOW)
    (root / 'app/load.py').write_text(CODE['app/load.py'].replace('return path', 'return path or None'))
    changed = commit(git, root, 'change it')
    for number in range(2):
        with (root / 'app/load.py').open('a') as file:
            file.write(f'\n\ndef more{number}():\n    return {number}\n')
        last = commit(git, root, 'another function')
    event.on_commit(repo, Settings(), last, frozenset({'app/load.py'}), NOW)
    assert any(f'(unverified since {changed[:10]})' in line for line in lines(root))


def test_a_fact_is_not_unverified_since_a_commit_that_was_amended(root, git):
    repo = repos.find(root)
    person.say(repo, 'convention', 'Never call `load_config` twice', NOW)
    (root / 'app/load.py').write_text(CODE['app/load.py'].replace('return path', 'return path or None'))
    event.on_commit(repo, Settings(), commit(git, root, 'change it'), frozenset({'app/load.py'}), NOW)
    git(root, 'commit', '-q', '--amend', '-m', 'said otherwise')
    amended = git(root, 'rev-parse', 'HEAD').strip()
    event.on_commit(repo, Settings(), amended, frozenset(), NOW)
    assert any(f'(unverified since {amended[:10]})' in line for line in lines(root))
