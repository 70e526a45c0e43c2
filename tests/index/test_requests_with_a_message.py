"""An error message that is pasted as the request leads to the code that says it, values put in or not."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest
from helpers_main import block, opened, search, update

from ctxkit.index.messages import how_much_said, message
from ctxkit.index.search import SEARCH, rank

# Other functions speak of the same things more often than the one that raises.
NOISE = '\n\n'.join(
    f'def {verb}_cookie(cookie, key, session):\n    """The cookie, the key and the session: {verb} an invalid cookie,'
    f' cookie key missing."""\n    cookie.key = session.cookie\n    return cookie, key, session'
    for verb in ('open', 'sign', 'read', 'drop', 'send')
)
RAISES = '\n\ndef check(it, name):\n    if it is None:\n        raise ValueError(\n            {})\n    return it\n'


@pytest.mark.parametrize(
    ('said', 'asked'),
    [
        ("f'no {name!r} cookie with a valid key, '\n            'so the session is lost'",
         "ValueError: no 'main' cookie with a valid key, so the session is lost"),
        ("'no %s cookie with a valid key (%d)' % (name, 3)", 'failed\n\nError: no main cookie with a valid key (3)'),
        ('"no cookie with a valid key"', 'why do I get "no cookie with a valid key" when I open a cookie session?'),
    ],
)  # fmt: skip
def test_the_function_that_says_a_message_is_found_first(git_repo, said, asked):
    root = git_repo({'jar.py': NOISE, 'rules.py': 'import jar\n' + RAISES.format(said)})
    assert search(root, asked)[0].symbol == 'check'
    assert block(root, asked).units[0].symbol == 'check'


def test_it_comes_before_the_frames_of_the_trace(git_repo):
    root = git_repo({'jar.py': NOISE, 'rules.py': RAISES.format("'no cookie with a valid key'")})
    trace = (
        'Traceback (most recent call last):\n  File "/srv/jar.py", line 3, in open_cookie\n    read_cookie(key)\n'
        '  File "/srv/jar.py", line 13, in read_cookie\n    check()\nValueError: no cookie with a valid key\n'
    )
    assert [place.symbol for place in search(root, trace)][0] == 'check'
    assert {unit.symbol for unit in block(root, trace).units[1:3]} == {'open_cookie', 'read_cookie'}


def test_a_test_that_expects_the_message_comes_after_the_code(git_repo):
    files = {'rules.py': RAISES.format("'no cookie with a valid key'")}
    files['tests/test_rules.py'] = "def test_key():\n    with raises('no cookie with a valid key'):\n        check()\n"
    found = search(git_repo(files), 'ValueError: no cookie with a valid key')
    assert [place.symbol for place in found[:2]] == ['check', 'test_key']


@pytest.mark.parametrize(
    ('code', 'covered'),
    [
        ('return fmt.Errorf("cannot open %q: the cookie jar is %s", name, state)', 6),
        ('throw new Error(`cannot open ${name}: the cookie jar is ${state}`)', 6),
        ('throw new Error("cannot open " + name + ": the cookie jar is " + state);', 6),
        ("raise \"cannot open #{name}: the cookie jar is #{state}\" unless key", 6),
        ('error("cannot open $name: the cookie jar is $state now")', 6),
        ('fatalError("cannot open \\(it.name): the cookie jar is \\(state)")', 6),
        ('bail!("cannot open {name:?}: the cookie jar is {}", state)', 6),
        ('MESSAGE = """\\\nCannot open main:\nthe cookie jar\n"""', 6),
        ('# cannot open main: the cookie jar is shut', 0),
        ('open("the cookie is the jar")', 0),
        ('"', 0),
    ],
)  # fmt: skip
def test_values_in_a_message_are_gaps_of_its_literal(code, covered):
    words = message('Error: cannot open main: the cookie jar is shut now')
    assert how_much_said(words, code).share == pytest.approx(covered / len(words))


def test_what_is_a_message():
    assert message('java.lang.IllegalStateException: Jar is shut\n\tat a.B.c(B.java:3)') == ('jar', 'is', 'shut')
    assert message('jar: error (at <stdin>:1): jar is shut') == ('jar', 'is', 'shut')
    assert message('panic: jar is\nshut\n\ngoroutine 1') == ('jar', 'is', 'shut')
    for head in ('Fehler:', 'Ошибка:', '错误：', '错误:', 'Erreur :', 'npm ERR!'):
        assert message(f'{head} jar is shut') == ('jar', 'is', 'shut')
    assert message('npm ERR! code E404\nnpm ERR! 404 jar is shut') == ('code', 'e404', '404', 'jar', 'is', 'shut')
    assert message('how are errors of a jar handled') == () == message('import "cookies/jar_of_cookies"')


TABLE = '\n'.join(f"ERR_{number} = 'the lid of box %s is no lid: {number}'" for number in range(300))


@pytest.mark.parametrize(
    ('path', 'line', 'use'),
    [
        ('texts.py', "NO_COOKIE = 'no %s cookie with a valid key'", 'texts.NO_COOKIE'),
        ('texts.py', "TEXTS = {\n    'no.cookie': 'no %s cookie with a valid key',\n}", "TEXTS['no.cookie']"),
        ('texts.py', "NO_COOKIE = make(\n    'E12',\n    'no %s cookie with a valid key'\n)", 'texts.NO_COOKIE'),
        ('texts.properties', 'jar.no_cookie=no {0} cookie with a valid key', "texts['jar.no_cookie']"),
        ('en.yml', 'jar:\n  no_cookie: no %{name} cookie with a valid key', "translate('jar.no_cookie')"),
        ('en.json', '{"noCookie": "no {{name}} cookie with a valid key"}', 'translate("noCookie")'),
        ('texts.go', 'var ErrNoCookie = errors.New("no main cookie with a valid key")', 'texts.ErrNoCookie'),
        ('texts.rs', '#[error("no {name} cookie with a valid key")]\nNoCookie { name: String },', 'Texts.NoCookie'),
        ('texts.h', 'XX(ENOCOOKIE, "no main cookie with a valid key")', 'ENOCOOKIE'),
        ('Texts.java', 'enum Texts { NO_COOKIE("no {0} cookie with a valid key"); }', 'Texts.NO_COOKIE'),
    ],
)  # fmt: skip
def test_a_message_in_a_table_is_shown_by_its_line_and_with_who_uses_it(git_repo, path, line, use):
    rules = f'def deny(box):\n    return fail({use}, box)\n\n\ndef grant(box):\n    return box\n'
    root = git_repo({path: f'{TABLE}\n\n{line}\n', 'jar.py': NOISE, 'rules.py': rules})
    shown = block(root, 'Error: no main cookie with a valid key').units
    assert (shown[0].path, shown[1].symbol) == (path, 'deny')
    assert 'cookie with a valid key' in shown[0].text
    assert len(shown[0].text) < 1000
    assert {search(root, 'Error: no main cookie with a valid key')[at].path for at in (0, 1)} == {path, 'rules.py'}


def test_a_table_that_is_shown_by_its_line_is_not_named_again_at_the_end(git_repo):
    calls = ''.join(f'    jar.lid({line}, {line}, lid)\n' for line in range(400))
    table = ''.join(f'    KEY_{number} = "the jar number {number} has no lid today"\n' for number in range(60))
    files = {
        'texts.py': f'class Texts:\n{table}    NO_COOKIE = "no cookie with a valid key"\n\n\n'
        f'def lid_of_jar(jar):\n{calls}\n\ndef lid_of_key(jar):\n{calls}',
        'rules.py': 'from texts import Texts\n\n\ndef deny():\n    raise E(Texts.NO_COOKIE)\n',
        'other.py': 'def no_cookie(jar):\n' + calls.replace('lid(', 'valid_cookie(').replace('lid)', 'valid_key)'),
    }
    shown = block(git_repo(files), 'Error: no cookie with a valid key').units
    assert [(unit.path, unit.level) for unit in shown] == [
        ('texts.py', 'excerpt'),
        ('rules.py', 'code'),
        ('other.py', 'path'),
    ]


def test_the_line_of_a_table_holds_no_secret(git_repo):
    secret = 'ghp_' + 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'
    root = git_repo({'texts.py': f"{TABLE}\nTOKEN = '{secret}'\nNO_COOKIE = 'no cookie with a valid key'\n"})
    shown = block(root, 'Error: no cookie with a valid key').units[0]
    assert 'NO_COOKIE' in shown.text
    assert secret not in shown.text


@pytest.mark.parametrize(
    ('asked', 'literal'),
    [
        ('错误：无法打开文件 a.txt', '"无法打开文件 %s"'),
        ('报错: 无法打开文件 a.txt', 'f"无法打开文件 {path}"'),
        ('点击保存后提示“用户名不能为空”', "'用户名不能为空'"),
        ('エラー: ファイルを開けません', '"ファイルを開けません"'),
        ('「ファイルを開けません」と表示される', '"ファイルを開けません"'),
        ('오류: 파일을 열 수 없습니다', '"파일을 열 수 없습니다"'),
    ],
)
def test_a_message_without_spaces_is_found(git_repo, asked, literal):
    other = 'def show(file):\n    """打开文件 用户名 ファイルを開 파일을 열"""\n    return file\n'
    root = git_repo({'a.py': other, 'b.py': f'def fail(path):\n    raise E({literal})\n'})
    assert how_much_said(message(asked), literal).share > 0.6
    assert block(root, asked).units[0].symbol == 'fail'


@pytest.mark.parametrize('asked', ['"it was the one of them"', 'Error: it was the one of them'])
def test_a_message_of_words_that_say_nothing_leads_to_its_line_without_a_warning(git_repo, asked):
    root = git_repo(
        {'a.py': 'class Texts:\n    GONE = "it was the one of them"\n\n\ndef go():\n    raise E(Texts.GONE)\n'}
    )
    update(root)
    with warnings.catch_warnings(), opened(root) as corpus:
        warnings.simplefilter('error')
        assert {corpus.place(hit.chunk).symbol for hit in rank(corpus, asked, SEARCH)} == {'Texts', 'go'}


def test_a_literal_of_braces_is_searched_within_its_length():
    program = (
        'from ctxkit.index.messages import how_much_said; '
        'print(how_much_said(("a", "b"), "\'" + "{" * 300_000 + " a b\'").share)'
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=60)
    assert done.stdout == '1.0\n', done.stderr
