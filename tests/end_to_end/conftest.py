"""A repository with our hooks, for the tests from event to context."""

from __future__ import annotations

import pytest
from helpers_events import install_hooks
from helpers_git_events import CODE


@pytest.fixture
def work(git_repo, git):
    """A repository with our hooks and a first context."""
    root = git_repo(CODE)
    install_hooks(root)
    return root
