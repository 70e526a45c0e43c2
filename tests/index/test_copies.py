"""Code that stands in several files, as in a library that is also kept as one large file."""

from __future__ import annotations

import pytest
from helpers_main import block, search

PARTS = {
    f'lib/{part}.py': '\n\n'.join(
        f'def {verb}_{part}(stream, depth):\n    """{verb.title()} the {part} of a stream."""\n'
        f'    return [{verb}(stream, item, depth) for item in stream.{part}]\n'
        for verb in ('read', 'write', 'skip')
    )
    for part in ('header', 'body')
}
MADE = {'all_in_one.py': '\n\n'.join(PARTS.values())}


@pytest.fixture
def root(git_repo):
    return git_repo({**PARTS, **MADE})


def test_the_part_is_shown_and_not_what_was_made_from_it(root):
    assert search(root, 'skip the body of a stream')[0].path == 'lib/body.py'
    paths = [unit.path for unit in block(root, 'skip the body of a stream').units]
    assert paths[0] == 'lib/body.py'
    assert paths.index('all_in_one.py') >= 3  # what else could help comes first


def test_a_file_that_the_request_names_is_shown_though_it_is_a_copy(root):
    for request in ('all_in_one.py:3', 'File "all_in_one.py", line 3, in read_header'):
        assert block(root, request).units[0].path == 'all_in_one.py'
        assert search(root, request)[0].path == 'all_in_one.py'


def test_what_differs_is_no_copy(git_repo):
    files = dict(PARTS)
    files['lib/old.py'] = PARTS['lib/body.py'].replace('in stream.body', 'in stream.old_body')
    found = search(git_repo(files), 'skip_body')
    assert [place.path for place in found[:2]] == ['lib/body.py', 'lib/old.py']


def test_the_same_text_twice_in_one_file_is_no_copy(git_repo):
    twice = PARTS['lib/body.py'] + '\n\n' + PARTS['lib/body.py']
    found = [place for place in search(git_repo({'lib/body.py': twice}), 'skip_body') if place.symbol == 'skip_body']
    assert len(found) == 2
