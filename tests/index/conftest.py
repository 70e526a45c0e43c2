"""A repository that is indexed, for the tests that harm the index."""

from __future__ import annotations

import pytest
from helpers_index import CODE
from helpers_main import update


@pytest.fixture
def work(git_repo):
    root = git_repo(CODE)
    update(root)
    return root
