"""What the tests of units share."""

from __future__ import annotations

import pytest
from helpers_hot import DAY, NOW
from helpers_main import opened, units_of, update

from ctxkit.units.link import links


@pytest.fixture(params=['committed', 'hooked', 'uncommitted'])
def removing(request, git):
    """`removing(root, change)`: change the work tree, commit or not; gives what stands behind `removed`."""

    def make(root, change):
        if request.param == 'hooked':
            update(root)
        change()
        if request.param == 'uncommitted':
            return ', not committed'
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'remove')
        if request.param == 'hooked':
            update(root, event='post-commit')
            assert all(unit.text for unit in units_of(root)), 'the stream holds code alone'
        return f' in {git(root, "rev-parse", "HEAD")[:8]}'

    return make


@pytest.fixture
def dated(git, monkeypatch):
    """`dated(root, message, when)`: commit everything at that time (epoch seconds); what is not dated is long ago."""
    monkeypatch.setenv('GIT_COMMITTER_DATE', f'{int(NOW) - 30 * DAY} +0000')

    def make(root, message, when):
        monkeypatch.setenv('GIT_COMMITTER_DATE', f'{int(when)} +0000')
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', message, f'--date={int(when)} +0000')

    return make


@pytest.fixture
def linked(git_repo):
    """`linked(files, 'path', 'symbol')`: {(relation, path, symbol): resolved} of one definition."""
    made = {}

    def ask(files, path, symbol):
        key = tuple(sorted(files.items()))
        root = made.get(key) or git_repo(files, f'work{len(made)}')
        made[key] = root
        with opened(root) as corpus:
            where = corpus.file(path)
            assert where, path
            chunk = next(one for one in corpus.numbers(*where) if corpus.place(one).symbol == symbol)
            return {
                (link.relation, corpus.path(link.chunk), corpus.place(link.chunk).symbol): link.resolved
                for link in links(corpus, chunk)
            }

    return ask
