"""Parts of long texts and tables: a line that moves the borders of all that follow has changed none of them."""

from __future__ import annotations

import pytest
from helpers_hot import NOW
from helpers_main import block, units_of, update, write


@pytest.fixture(params=['notes.txt', 'list.h'])
def inserted(request, git_repo):
    """A repository, and a call that puts some lines into a long text without headings, or a table without functions."""
    said, new = 'part {0} line {1} says {2}\n', 'a new line of a certain length\n'
    if request.param == 'list.h':
        said, new = 'TEST_DECLARE (part{0}_line{1}_{2})\n', 'TEST_DECLARE (a_new_line_of_a_certain_length)\n'
    parts = [''.join(said.format(part, line, part * line) for line in range(25)) for part in range(60)]
    root = git_repo({request.param: '\n'.join(parts), 'a.py': 'def a():\n    return 1\n'})
    update(root, now=NOW)
    return root, lambda: write(root, {request.param: '\n'.join([*parts[:3], new * 9, *parts[3:]])})


def test_an_edit_of_a_text_is_told_where_it_is_and_not_of_all_that_follows(inserted):
    root, insert = inserted
    insert()
    units = [unit for unit in block(root, budget=60_000, now=NOW + 60).units if unit.why == 'edited, not committed']
    assert 1 <= len(units) <= 2 and all('new_line' in unit.text.replace(' ', '_') for unit in units)


def test_a_commit_to_a_text_has_changed_what_it_changed_and_not_all_that_follows(inserted, git):
    root, insert = inserted
    insert()
    git(root, 'commit', '-qam', 'insert')
    update(root, now=NOW + 60, event='post-commit')
    units = units_of(root)
    assert 1 <= len(units) <= 2 and all('new_line' in unit.text.replace(' ', '_') for unit in units)
