"""A repository and a home folder that the tests of memory share."""

from __future__ import annotations

import pytest
from helpers_memory import CODE


@pytest.fixture
def root(git_repo):
    return git_repo(CODE)


@pytest.fixture
def home(tmp_path):
    return tmp_path / 'home'


@pytest.fixture
def place(git_repo, tmp_path):
    """(repository, home, environment) of a person with settings and a ledger of their own."""
    return (
        git_repo({'a.py': 'x = 1\n'}),
        tmp_path / 'home',
        {'CTXKIT_CONFIG': str(tmp_path / 'settings' / 'config.yaml')},
    )
