"""How many of something there are, said in the singular where there is one."""

import pytest

from ctxkit.counted import counted


@pytest.mark.parametrize(('number', 'said'), [(0, '0 work trees'), (1, '1 work tree'), (2, '2 work trees')])
def test_one_is_said_in_the_singular(number, said):
    assert counted(number, 'work tree') == said


def test_what_takes_no_s_names_its_plural():
    assert [counted(number, 'try', 'tries') for number in (1, 3)] == ['1 try', '3 tries']
