"""A block for a request shows no line of code twice."""

from __future__ import annotations

from helpers_main import block

CODE = """def outer(box):
    lid = box.lid

    def open_lid(key):
        if key.fits(lid):
            lid.open(key)
        return lid

    return open_lid


def other():
    return None
"""


def test_a_function_that_came_first_is_not_shown_again_in_the_one_around_it(git_repo):
    root = git_repo({'a.py': CODE})
    shown = block(root, 'why does open_lid not open the lid').units
    texts = [unit.text for unit in shown if unit.level == 'code']
    assert sum('lid.open(key)' in text for text in texts) == 1
    assert shown[0].symbol == 'outer'  # it has the place of what stands in it
