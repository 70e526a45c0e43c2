"""A runner for the tests of the Action."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers_action import Runner


@pytest.fixture
def runner(git_repo: Callable[..., Path], git: Callable[..., str], tmp_path: Path) -> Runner:
    """A runner with a checkout of a repository that has a bare remote."""
    source = git_repo(
        {
            'shop/cart.py': 'class Cart:\n    def total(self):\n        return sum(self.prices)\n',
            'README.md': '# Shop\n',
        },
        name='source',
    )
    git(source, 'clone', '-q', '--bare', str(source), str(tmp_path / 'remote.git'))
    git(tmp_path, 'clone', '-q', str(tmp_path / 'remote.git'), 'checkout')
    return Runner(tmp_path / 'checkout', tmp_path / 'runner')
