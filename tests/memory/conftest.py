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
