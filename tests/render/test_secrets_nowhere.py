"""A secret in the code stands in nothing that is written, streamed or shown."""

from __future__ import annotations

import base64
import random
import subprocess

import pytest
from helpers_main import TOKEN, block, run, search, update, write

from ctxkit.repo import find

PASSWORD = 'Xk29dfQm38sLz0vB'
ENV_VALUE = 'zq8Rk2vX7mPw9sLtN4bY'
_BODY = base64.b64encode(random.Random(7).randbytes(2300)).decode()
PEM_LINES = [_BODY[at : at + 64] for at in range(0, len(_BODY), 64)]
PEM = '-----BEGIN RSA ' + 'PRIVATE KEY-----\n' + '\n'.join(PEM_LINES) + '\n-----END RSA ' + 'PRIVATE KEY-----\n'

CODE = {
    'app.py': f'API_TOKEN = "{TOKEN}"\n\n\ndef connect(host, token="{TOKEN}", key="{ENV_VALUE}"):\n'
    f'    """Connect with {TOKEN}."""\n'
    f'    password = "{PASSWORD}"\n    return open_channel(host, token, password)\n\n\n'
    f'class Settings:\n    secret = "{TOKEN}"\n\n    def read(self):\n        return "{ENV_VALUE}"\n',
    'notes.md': f'# Deployment with {TOKEN}\n\nUse {TOKEN} to connect.\n\n'
    f'## The second {TOKEN} and {ENV_VALUE}\n\nMore about channels.\n',
    'compose.yaml': f'environment:\n  DATABASE_PASSWORD: {PASSWORD}\n  URL: postgres://admin:{PASSWORD}@db/app\n',
    'key.txt': f'The key for the channel follows, not {ENV_VALUE}.\n\n' + PEM + '\nThat was the key to connect.\n',
    'deploy.py': f'KEY = """{PEM}"""\n\n\ndef connect_with_key():\n    return KEY\n',
}
SECRETS = (TOKEN, PASSWORD, ENV_VALUE, *PEM_LINES[1:-1])


@pytest.fixture(scope='module')
def work(tmp_path_factory):
    root = tmp_path_factory.mktemp('secrets')
    write(root, {**CODE, '.gitignore': '.env\n'})
    git = ['git', '-c', 'user.name=A', '-c', 'user.email=a@b.invalid']
    for args in (['init', '-q'], ['add', '-A'], ['commit', '-qm', f'use {TOKEN}']):
        subprocess.run([*git, *args], cwd=root, check=True)
    write(root, {'.env': f'SERVICE_KEY={ENV_VALUE}\n'})
    update(root)
    write(
        root,
        {'app.py': CODE['app.py'] + f'\n\ndef later(token="{TOKEN}", key="{ENV_VALUE}"):\n    return "{ENV_VALUE}"\n'},
    )
    subprocess.run([*git, 'commit', '-qam', f'more of it, password={PASSWORD}'], cwd=root, check=True)
    update(root)
    write(root, {'edited.py': CODE['app.py'].replace('connect', 'connect_again'), 'new.md': CODE['notes.md']})
    return root


def clean(text):
    return [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize('name', ['context.xml', 'units.jsonl', 'status.json'])
def test_artefacts(work, name):
    text = (work / '.ctx' / name).read_text('utf-8')
    assert clean(text) == []
    if name != 'status.json':
        assert 'REDACTED' in text


def test_prepared_units_and_log(work):
    for file in sorted(find(work).data_dir.rglob('*')):
        if file.is_file() and file.suffix in ('.json', '') and not file.name.endswith('.lock'):
            assert clean(file.read_text('utf-8', 'replace')) == [], file.name


@pytest.mark.parametrize('form', ['xml', 'markdown', 'json'])
@pytest.mark.parametrize('query', ['', 'connect with a token', 'deployment key channel', 'the second settings'])
def test_block(work, query, form):
    shown = block(work, query, budget=8000)
    text = {'xml': shown.to_xml, 'markdown': shown.to_markdown, 'json': shown.to_json}[form]()
    assert clean(text) == []
    assert 'REDACTED' in text


@pytest.mark.parametrize('budget', [215, 230, 300, 500, 900])
def test_block_that_steps_down(work, budget):
    for query in ('', 'connect with a token'):
        assert clean(block(work, query, budget=budget).to_xml()) == []


def test_lines_of_a_table_that_a_message_of_the_request_stands_in(git_repo):
    table = [f'    KEY_{number} = "the jar number {number} has no lid today"' for number in range(80)]
    table[40:43] = [
        f'    SERVICE = "{ENV_VALUE}"',
        '    NO_COOKIE = "no cookie with a valid key"',
        f'    KEY = "{TOKEN}"',
    ]
    root = git_repo({'texts.py': 'class Texts:\n' + '\n'.join(table) + '\n', '.gitignore': '.env\n'})
    write(root, {'.env': f'SERVICE_KEY={ENV_VALUE}\n'})
    update(root)
    unit = block(root, 'Error: no cookie with a valid key').units[0]
    assert unit.level == 'excerpt' and 'SERVICE' in unit.text and 'KEY =' in unit.text
    assert clean(unit.text) == []


@pytest.mark.parametrize(
    'command',
    [
        ['search', 'deployment second channel'],
        ['search', '--json', 'deployment connect'],
        ['units'],
        ['units', '--json'],
        ['render'],
        ['render', '--query', 'key'],
        ['render', '--explain'],
        ['slice', 'app.py', 'notes.md', 'key.txt', 'deploy.py'],
        ['status'],
        ['doctor'],
        ['update', '--json'],
    ],
)
def test_commands(work, command):
    done = run(work, *command)
    found = clean(done.stdout + done.stderr)
    if command[0] == 'slice':  # it works outside of a repository too and knows no .env
        found = [secret for secret in found if secret != ENV_VALUE]
    assert found == []


def test_key_that_is_cut_by_a_window_of_text(git_repo):
    """Plain text is cut at 1,500 bytes; a key is longer, and its second half has no mark of its own."""
    root = git_repo({'key.txt': CODE['key.txt'].replace(ENV_VALUE, 'x'), 'app.py': 'def kept(): pass\n'})
    update(root)
    assert len({place.start_line for place in search(root, 'key channel connect')}) > 1
    for query in ('', 'key channel', PEM_LINES[30]):
        units = ''.join(unit.to_xml() for unit in block(root, query, budget=20_000).units)
        assert 'key.txt' in units and clean(units) == []
    assert clean(run(root, 'slice', 'key.txt').stdout) == []
