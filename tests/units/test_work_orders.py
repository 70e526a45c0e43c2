"""A prompt that says only how to go on names no code; one that says what is wrong does, however short."""

from __future__ import annotations

import pytest

from ctxkit.units.work_orders import MOST, is_work_order


@pytest.mark.parametrize(
    'prompt',
    [
        'open a PR',
        'run the tests and fix what fails',
        'commit this with a good message',
        'rebase on main',
        'write the changelog',
        'update README.md',
        'undo that',
        'explain what you did',
        'why?',
        'no, I meant the other one',
        'that broke the tests',
        'Tests?',
        'fix #3565',
        'see https://example.org/issues/12',
        '[Image #1] it still doesn’t work',
        'do option B',
        '2',
        'what does this test do?',
        'where are we?',
        'how do I continue?',
        'go test ./... fails',
        'create a new branch called fix/lost-cookies and open a draft PR',
        'ok now commit, push and open a pull request against main with a short description',
        'führe die Tests aus und behebe die Fehler',
        'lance les tests et corrige ce qui ne passe pas',
        'haz un commit con un buen mensaje',
        'esegui i test e correggi gli errori',
        'запусти тесты',
        '把测试跑一遍，修复失败的',
        'テストを実行して',
        '커밋해줘',
    ],
)
def test_how_to_go_on_is_a_work_order(prompt):
    assert is_work_order(prompt)


@pytest.mark.parametrize(
    'prompt',
    [
        'timeouts?',
        'fix the parser',
        'run the tests of the proxy and fix what fails',
        'the merge of nested options is wrong',
        'the commit message template is ignored',
        'now the same for the async client',
        'open a PR that closes the socket on a timeout',
        'test_all',
        'fix `merge`',
        'git.commit fails',
        'tests/unit fails',
        'add a test for describe()',
        'wrong version comparison',
        'format dates in UTC',
        'wo wird der Token geprüft',
        'la sesión caduca',
        '登录失败',
        'how does the build pipeline work?',
        'where is the main method?',
        'what does the merge function do?',
        'run the tests ' * (MOST // 10),
    ],
)
def test_what_names_a_thing_is_none(prompt):
    assert not is_work_order(prompt)
