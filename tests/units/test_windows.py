"""Windows of plain text: a line that moves the borders of all that follow has changed none of them."""

from __future__ import annotations

import pytest
from helpers_hot import NOW
from helpers_main import block, units_of, update, write

PARTS = [''.join(f'part {part} line {line} says {part * line}\n' for line in range(25)) for part in range(60)]


@pytest.fixture
def root(git_repo):
    """A long text without headings, in which each part is a line of a different length longer than before."""
    root = git_repo({'notes.txt': '\n'.join(PARTS), 'a.py': 'def a():\n    return 1\n'})
    update(root, now=NOW)
    return root


def insert(root):
    write(
        root,
        {
            'notes.txt': '\n'.join(
                [*PARTS[:3], 'a new line of a certain length that is not there yet\n' * 9, *PARTS[3:]]
            )
        },
    )


def test_an_edit_of_a_text_is_told_where_it_is_and_not_of_all_that_follows(root):
    insert(root)
    units = [unit for unit in block(root, budget=60_000, now=NOW + 60).units if unit.why == 'edited, not committed']
    assert 1 <= len(units) <= 2 and all('new line' in unit.text for unit in units)


def test_a_commit_to_a_text_has_changed_what_it_changed_and_not_all_that_follows(root, git):
    insert(root)
    git(root, 'commit', '-qam', 'insert')
    update(root, now=NOW + 60, event='post-commit')
    units = units_of(root)
    assert 1 <= len(units) <= 2 and all('new line' in unit.text for unit in units)
