"""What a terminal or a build server adds to a request hides nothing of it, and neither does the length of a log."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers_main import block

from ctxkit.index.messages import message
from ctxkit.index.request import parse, without_noise

FILES = {
    'jar.py': 'def open_jar(jar):\n    if not jar:\n        raise E("no jar with that lid")\n    return jar\n',
    'shelf.py': 'def log_line(client, subject):\n    return f"client {client} subject {subject}"\n',
}


@pytest.mark.parametrize(
    ('shown', 'said'),
    [
        ('\x1b[31mFAILED\x1b[0m a.py::\x1b[1mtest\x1b[0m', 'FAILED a.py::test'),
        ('\x1b]8;;http://x\x07a.py:3\x1b]8;;\x07', 'a.py:3'),
        ('2024-06-11T09:32:44.0011223Z a.py:3\n2024-06-11T09:32:44Z b', 'a.py:3\nb'),
        ('build\tRun tests\t2024-06-11T09:32:44.0011223Z a.py:3', 'a.py:3'),
        ('since 2024-06-11T09:32:44Z it fails', 'since 2024-06-11T09:32:44Z it fails'),
    ],
)
def test_colours_and_times_are_left_out(shown, said):
    assert without_noise(shown) == said


def test_a_coloured_log_leads_to_its_line_and_message(git_repo):
    log = (
        '2024-06-11T09:32:44.0011223Z \x1b[1m\x1b[31mjar.py\x1b[0m:2: E\n'
        '2024-06-11T09:32:44.0011223Z \x1b[31mE   LidError: no \x1b[1mjar\x1b[0m with that lid\x1b[0m\n'
        '2024-06-11T09:32:44.0011223Z ##[error]Process completed with exit code 1.\n'
    )
    assert parse(log).places == (('jar.py', 2),)
    assert parse(log).message[:5] == ('no', 'jar', 'with', 'that', 'lid')
    assert block(git_repo(FILES), log).units[0].symbol == 'open_jar'


@pytest.mark.parametrize('ask', ['{log}\nwhy can open_jar not find a lid?', 'why can open_jar not find a lid?\n{log}'])
def test_what_is_asked_at_either_end_of_a_long_log_is_read(git_repo, ask):
    log = ''.join(f'INFO client {number} subject {number % 7} is here now\n' for number in range(2000))
    asked = ask.format(log=log)
    assert len(asked) > 50_000
    assert 'open_jar' in parse(asked).names
    assert 'open_jar' in [unit.symbol for unit in block(git_repo(FILES), asked).units]


def test_lines_of_a_log_that_differ_in_numbers_count_as_one(git_repo):
    log = ''.join(f'DEBUG client {number:x} subject {number * 7}\n' for number in range(200))
    frames = ''.join(f'\t/srv/jar.py:{number} +0x{number}f\n' for number in range(1, 5))
    asked = f'why can open_jar not find a lid?\n{log}{frames}'
    assert len(without_noise(asked).split('\n')) < 30
    assert parse(asked).places == tuple(('/srv/jar.py', number) for number in range(1, 5))
    assert block(git_repo(FILES), asked).units[0].symbol == 'open_jar'


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ("a.rb:9:in `open': no jar with that lid (LidError)", 'no jar with that lid'),
        ("a.rb:9:in 'Jar#open': no jar with that lid (LidError)", 'no jar with that lid'),
        ('it says `no jar with that lid` at once', 'no jar with that lid'),
        ('see `open_jar` and `close_jar`', ''),
    ],
)
def test_a_message_without_the_word_error(text, words):
    assert message(text) == tuple(words.split())


@pytest.mark.parametrize(
    'output',
    [
        'FAILED tests/test_jars.py::test_open_jar - assert 1 == 2\n= 1 failed, 3 passed =\n',
        '--- FAIL: TestOpenJar (0.00s)\nFAIL\n',
        ' FAIL  tests/jars.spec.js\n  ● jars › open jar\nTests:       1 failed, 3 passed\n',
        '[ERROR] Tests run: 4, Failures: 1, Errors: 0\n[ERROR]   JarsTest.testOpen_jar:12 expected:<1>\n',
        'There was 1 failure:\n\n1) App\\JarsTest::test_open_jar\nFAILURES!\nTests: 4, Failures: 1.\n',
        'Failures:\n\n  1) open jar has a lid\n\n4 examples, 1 failure\n',
        'test jars::tests::open_jar ... FAILED\n\ntest result: FAILED. 3 passed; 1 failed\n',
    ],
)
def test_a_failing_test_leads_to_the_code_before_other_tests(git_repo, output):
    tests = '\n\n'.join(
        f'def test_{verb}_jar():\n    jar = open_jar(1)\n    assert {verb} == jar'
        for verb in ('shut', 'shaken', 'full', 'empty', 'opened')
    )
    root = git_repo({**FILES, 'tests/test_jars.py': tests})
    shown = [unit.path for unit in block(root, output).units]
    assert shown[0] == 'jar.py'


def test_who_asks_for_tests_gets_them(git_repo):
    root = git_repo(
        {**FILES, 'tests/test_jars.py': 'def test_open_jar():\n    """Test that it opens."""\n    open_jar(1)\n'}
    )
    assert block(root, 'write more tests like the test of open jar').units[0].path == 'tests/test_jars.py'


@pytest.mark.parametrize(
    'pasted',
    [
        'QUJD' * 100_000 + '1',
        '1' * 300_000 + 'g',
        ('1' * 200 + 'g\n') * 1_500,
        'a/' * 150_000,
        'a.' * 150_000,
        '-' * 300_000,
        '\n' * 300_000,
        ('at' + ' ' * 1_000) * 300,
    ],
    ids=['base64', 'digits', 'hashes', 'folders', 'dots', 'rule', 'blank lines', 'blanks'],
)
def test_a_request_with_pasted_data_is_read_in_time(pasted):
    asked = f'why does jar.py:2 fail?\n{pasted}\nand open_jar?'
    program = 'import sys; from ctxkit.index.request import parse; print(*parse(sys.stdin.read()).places[0])'
    done = subprocess.run([sys.executable, '-c', program], input=asked, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ['jar.py', '2'], done.stderr
