"""Of a pasted issue the title says what is wanted; its body and the parts of a template add to that."""

from __future__ import annotations

import time

import pytest
from helpers_main import block, opened, symbols, update

from ctxkit.embedding import encoder_for
from ctxkit.index.issue import title_of, without_asides
from ctxkit.index.path_classes import factors
from ctxkit.index.request import BODY, parse, vector_of
from ctxkit.index.terms import term_id

BODY_TEXT = 'It happens each time, and I have no idea what else I could try to get around it. ' * 4
CODE = {
    'drafts.py': 'def store_draft(draft):\n    """Keep the draft of a letter."""\n    return folder.put(draft)\n',
    'version.py': 'def build_version(os, cargo):\n    """The version of the build, of cargo and of the os."""\n'
    '    return f"build {os} cargo {cargo} version commit rust channel"\n',
    'session.py': 'def send_session(session, header):\n    """Send the session with a header."""\n    return session\n',
}
ISSUE = """Draft of a letter is lost when the folder is full

## Steps to reproduce

1. open a session and send a header
2. send the session again, with another header

```python
session = send_session(header)
```

## Environment

| key | value |
| --- | --- |
| version | 0.90 |
| build os | linux |
| cargo version | cargo 1.7 |
| rust channel | stable |
| build version commit | 1234 |
"""


def test_title_of_an_issue_leads(git_repo):
    root = git_repo(CODE)
    assert symbols(root, ISSUE)[0] == 'store_draft'
    assert block(root, ISSUE).units[0].symbol == 'store_draft'
    assert 'send_session' in symbols(root, ISSUE)


@pytest.mark.parametrize(
    ('before', 'title'),
    [
        ('Session cookies are lost\n\n', 'Session cookies are lost'),
        ('## Session cookies are lost\r\n\r\n', 'Session cookies are lost'),
        ('Please fix the following issue:\n\nSession cookies are lost\n\n', 'Session cookies are lost'),
        ('Hi, please look into this issue.\n\nSession cookies are lost\n\n', 'Session cookies are lost'),
        ('Please test before you fix it. This script of mine\n\n', ''),
        ('Hi all\n\nplease look into this failure\n\nTraceback of it\nin two lines\n\n', ''),
        ('### Current behavior\n\nSession cookies are lost\n\n', 'Session cookies are lost'),
        ('**Is your feature request related to a problem? Please describe.**\n\nIt is.\n\n', ''),
        ('<!-- Read the guide\n\nfirst -->\n\nSession cookies are lost\n\n', 'Session cookies are lost'),
        ('JAR-311\n\nSession cookies are lost\n\n', 'Session cookies are lost'),
        ('https://example.com/a/b/issues/3\n\nSession cookies are lost\n\n', 'Session cookies are lost'),
        ('会话保存后丢失\n\n', '会话保存后丢失'),
        ('Session cookies are lost:\n\n', ''),
        ('Session cookies are lost\nwhen it rains\n\n', ''),
        ('Fix this\n\n', ''),
        ('We deployed it yesterday, and since then users complain.\n\n', ''),
        (f'Session cookies are {"really " * 40}lost\n\n', ''),
    ],
)
def test_a_title_stands_alone_and_says_something(before, title):
    body = ISSUE.partition('\n\n')[2].replace('## Steps to reproduce', 'Steps\nto reproduce')
    assert title_of(before + body) == title


def test_a_short_text_or_a_diff_has_no_title():
    assert title_of('Session cookies are lost\n\nOnly on Mondays.') == ''
    diff = f'Session cookies are lost\n\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-one\n+two\n{BODY_TEXT}'
    assert parse(diff).terms[term_id('two')] == 1


def test_the_vector_of_a_diff_is_that_of_the_whole_text(git_repo):
    diff = f'Session cookies are lost\n\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-one\n+store_draft\n{BODY_TEXT}'
    root = git_repo(CODE)
    update(root)
    with opened(root) as corpus:
        encoder = encoder_for('bundled')
        assert vector_of(encoder, diff, corpus).tolist() != vector_of(encoder, diff[:24], corpus).tolist()
        issue = diff.replace('@@', '')
        assert vector_of(encoder, issue, corpus).tolist() == vector_of(encoder, diff[:24], corpus).tolist()


def test_words_of_the_body_count_for_a_part_and_code_in_it_is_named():
    asked = parse(f'Session cookies are lost\n\n{BODY_TEXT} See `store` and put_back, or drop.')
    assert asked.terms[term_id('lost')] == 1
    assert asked.terms[term_id('drop')] == BODY
    assert {'store', 'put_back', 'lost'} <= set(asked.names)
    assert 'drop' not in asked.names


def test_a_test_in_the_body_asks_for_no_tests():
    issue = ISSUE.replace('another header', 'another header; I have put the test into tests')
    assert factors(parse(issue).plain) == factors(frozenset())
    assert factors(parse(issue.replace('Draft of', 'Tests of the draft of')).plain) != factors(frozenset())


def test_parts_about_the_machine_are_left_out_and_code_is_not():
    text = '# A\nkept\n\n**Environment**\r\nlinux\n\n## Code\n```\n# version\nkept too\n```\n### Screenshots\nnone\n'
    assert without_asides(text) == '# A\nkept\n\n## Code\n```\n# version\nkept too\n```'


@pytest.mark.parametrize(
    ('heading', 'left_out'),
    [
        ('### Fastify version', True),
        ('#### What version of it are you using?', True),
        ('**Desktop (please complete the following information):**', True),
        ('## Additional context', True),
        ('## Context', False),
        ('## Configuration loading', False),
        ('### Environment variables are not passed on', False),
    ],
)
def test_a_heading_that_names_the_machine_in_passing_keeps_its_part(heading, left_out):
    assert without_asides(f'{heading}\ntext') == ('' if left_out else f'{heading}\ntext')


def test_a_message_in_the_body_still_leads_to_the_code_that_says_it(git_repo):
    root = git_repo({**CODE, 'lid.py': 'def shut(jar):\n    raise E("no jar has such a lid")\n'})
    issue = f'Something is wrong with my kitchen\n\n{BODY_TEXT}\n\nLidError: no jar has such a lid\n'
    assert block(root, issue).units[0].symbol == 'shut'


def test_an_issue_whose_body_names_a_function_is_about_the_code(git_repo):
    root = git_repo(CODE)
    told = 'Nobody on our floor could explain this unpleasant beep, nor did coffee or a neighbour help us. ' * 3
    shown = block(root, f'Nothing works any more since yesterday\n\n{told}Perhaps `send_session(header)` beeps?\n')
    assert shown.units[0].symbol == 'send_session' and not shown.units[0].why


def test_a_text_of_many_short_lines_is_read_in_no_time():
    before = time.perf_counter()
    assert title_of('a\n\n' * 150_000) == ''
    assert time.perf_counter() - before < 1
