"""What a prompt says of tests, changelog and style does not lead to them: the wish beside it leads to the code."""

from __future__ import annotations

import pytest
from helpers_main import block, symbols, update

from ctxkit.index.chores import is_chore, without_chores
from ctxkit.index.request import BODY, parse
from ctxkit.index.terms import term_id

CODE = {
    'site/session.py': 'def keep_session(response):\n    """Keep the session of a server that redirects."""\n'
    '    return response.jar\n',
    'site/header.py': 'def send_header(response):\n    """Send a header."""\n    return response\n',
    'tests/test_regression.py': 'def test_regression():\n    """A regression test that passes."""\n    assert suite()\n'
    '\n\ndef test_session_redirect():\n    """The session over a redirect."""\n    assert keep_session(1)\n',
    'tools/changelog.py': 'def changelog_entry(release):\n    """Put an entry into the changelog of a release."""\n',
}
WISH = 'The session is lost when the server redirects.'
HOW = 'Please add a regression test and update the changelog. Do not refactor unrelated code.'


@pytest.mark.parametrize(
    'request_', [f'{WISH} {HOW}', f'{HOW}\n\n{WISH}', f'{WISH}\n\n- add a changelog entry\n- {HOW}']
)
def test_the_wish_leads_not_the_chores_beside_it(git_repo, request_):
    root = git_repo(CODE)
    update(root)
    assert block(root, request_).units[0].symbol == 'keep_session'
    assert symbols(root, request_)[0] == 'keep_session'


def test_a_request_for_tests_alone_is_for_tests(git_repo):
    root = git_repo(CODE)
    assert symbols(root, 'Please add a test to the suite.\nRun the tests.')[0].startswith('test_')
    assert symbols(root, 'add a changelog entry')[0] == 'changelog_entry'


def test_words_of_chores_count_a_quarter_and_name_nothing():
    read = parse(f'{WISH} Please add a case to tests/session_test.py.')
    assert read.terms[term_id('session')] == 1.0
    assert read.terms[term_id('case')] == BODY
    assert 'tests' not in read.plain and read.files == frozenset()


@pytest.mark.parametrize(
    ('said', 'wanted'),
    [
        ('Keep the session, and add a test.', 'Keep the session.'),
        ('keep the session over redirects and write some unit tests', 'keep the session over redirects'),
        ('Keep the session with a regression test for it', 'Keep the session for it'),
        ('Match the files and tests of a suite', 'Match the files and tests of a suite'),
        ('run it with the test client', 'run it with the test client'),
        ('find the page and add a test command', 'find the page and add a test command'),
    ],
)
def test_tests_asked_for_at_the_end_of_a_sentence_are_no_part_of_the_wish(said, wanted):
    assert without_chores(said) == wanted


def test_tests_asked_for_beside_the_wish_lead_nowhere(git_repo):
    root = git_repo(CODE)
    assert symbols(root, f'{WISH[:-1]}, keep it and add a regression test')[0] == 'keep_session'


def test_code_in_a_request_is_never_a_chore():
    text = 'This fails:\n\n```\nrun tests\nadd docs\n```\n\nWhy does the parser not see the second line?'
    assert without_chores(text) == text


@pytest.mark.parametrize(
    'sentence',
    [
        'Add a regression test, all existing tests must keep passing.',
        '- [ ] Unit tests for both paths, with a call count',
        'please also update the README and the docs',
        "Don't touch the other branches.",
        'No new dependencies, no public API change.',
        '`make test` and `make lint` need to be green.',
        'Explain your plan first before you write code.',
        'Use a conventional commit message.',
        'Stick to the style of the surrounding code.',
        'Keep the diff small.',
        'tests pls and run ruff',
        'CHANGES.md entry with the issue number.',
    ],
)
def test_sentences_that_say_how_to_work(sentence):
    assert is_chore(sentence)


@pytest.mark.parametrize(
    'sentence',
    [
        'No dependencies are rebuilt when RUSTFLAGS changes.',
        'Do not change the packages order in Cargo.lock when only a patch version differs.',
        'Tests that run in a subprocess are not measured.',
        'Docs pages with a slash at the end are not found.',
        '`tox c -o out.ini` prints to the terminal and out.ini is not written.',
        'Skip tests whose metadata says :slow.',
        'Add the test parameters to the name in the report.',
        'Add a docs command that shows a setting.',
    ],
)
def test_what_the_program_does_is_a_wish_though_it_speaks_of_tests_or_packages(sentence):
    assert not is_chore(sentence)


@pytest.mark.parametrize(
    'sentence',
    [
        'Add a unit test for a header that is not sent when the server redirects.',
        'Unit tests for the case when the file is missing.',
        'Do not add dependencies unless needed.',
        'Run the tests when you are done.',
        'No new deps.',
        'Documentation page and CHANGELOG are updated, tests added',
    ],
)
def test_a_case_that_a_test_is_to_cover_or_a_condition_of_the_work_leaves_a_chore(sentence):
    assert is_chore(sentence)


@pytest.mark.parametrize(
    'wish',
    [
        'Die API gibt den Header nicht zurück, wenn der Server umleitet.',
        'Der Stil der Überschrift wird nicht übernommen.',
        'Lo stile non viene applicato al titolo della tabella.',
        'La API no devuelve el campo de error.',
        "Le style n'est pas appliqué au titre.",
        'Коммит не показывается в списке после ребейза.',
        '提交表单时不会校验必填字段。',
    ],
)
def test_what_does_not_happen_is_no_chore_in_another_language(wish):
    text = f'Hallo, ciao, hola. {wish}'
    assert without_chores(text, foreign=True) == text


@pytest.mark.parametrize(
    'chore',
    [
        'Die öffentliche API nicht ändern.',
        'Keine neuen Abhängigkeiten.',
        'Non toccare la API pubblica, niente nuove dipendenze.',
        'No cambies la API pública.',
        'Pas de nouvelle dépendance.',
        'Публичный API не менять.',
        '不要改公共 API。',
    ],
)
def test_what_is_not_to_be_done_is_a_chore_in_another_language(chore):
    assert chore.strip('.。') not in without_chores(f'The header is lost.\n{chore}\nLast line.', foreign=True)


@pytest.mark.parametrize(
    'sentence',
    [
        'The session is lost when the server redirects.',
        'Show the branch name in the commit list.',
        'No color in diff output when piped.',
        'Use the commit message as the title.',
        'Keep the cursor in place.',
        "Don't crash when the header is missing.",
        'Update the list of dependencies when the lock file changes.',
        'The tests fail on Windows since the path of the cache holds a colon.',
        'Add PR numbers to the list.',
    ],
)
def test_sentences_that_say_what_is_wanted(sentence):
    assert not is_chore(sentence, first=True)


@pytest.mark.parametrize(
    ('wish', 'how'),
    [
        ('Die Sitzung geht bei einer Umleitung verloren.', 'Bitte schreib einen Test dazu und ergänze das Changelog.'),
        ("La session est perdue lors d'une redirection.", 'Ajoute un test, et pas de nouvelle dépendance.'),
        ('La sessione si perde con un reindirizzamento.', 'Aggiungi un test e non toccare il changelog.'),
        ('La sesión se pierde con una redirección.', 'Escribe una prueba y actualiza el changelog, por favor.'),
        ('Сессия теряется при перенаправлении.', 'Добавь тест и обнови документацию.'),
        ('重定向时会话丢失。', '请添加测试,并更新文档。'),
    ],
)
def test_chores_in_other_languages_lead_nowhere_either(wish, how):
    read = parse(f'{wish} {how}')
    assert read.terms[term_id('session')] >= 1.0
    assert read.terms.get(term_id('test'), 0.0) <= 2 * BODY
    assert not {'test', 'tests', 'documentation'} & read.plain
