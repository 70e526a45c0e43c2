"""Code in a language without a grammar takes part in a block as code, not as prose does."""

from __future__ import annotations

import pytest
from helpers_main import block, symbols

from ctxkit.index.text_classes import CODE, CONFIG, PAGE, text_class

HASKELL = 'module Check where\n\n\ncheckPrintf cmd =\n  warn cmd "printf formats should be quoted"\n'
SHELL = 'modify() {\n  printf "modify %s formats" "$1"\n  printf "cmd"\n}\n\nwarn() {\n  printf "%s" "$1" should\n}\n'


def test_the_code_asked_for_comes_before_functions_that_share_words(git_repo):
    root = git_repo({'src/Check.hs': HASKELL, 'build.sh': SHELL, 'README.md': '# Check\n\nprintf formats\n'})
    shown = block(root, 'checkPrintf should warn of printf formats').units
    assert shown[0].path == 'src/Check.hs'


def test_a_heading_alone_is_named_but_not_shown(git_repo):
    root = git_repo({'guide.md': '# Guide\n\n## Session cookies\n\n### Signing\n\nHow session cookies are signed.\n'})
    shown = {unit.symbol: unit.level for unit in block(root, 'session cookies').units}
    assert shown['Guide > Session cookies > Signing'] == 'code'
    assert set(shown.values()) <= {'code', 'path'} and shown.get('Guide > Session cookies', 'path') == 'path'
    assert 'Guide > Session cookies' in symbols(root, 'session cookies')


@pytest.mark.parametrize(
    ('path', 'found'),
    [
        ('a/main.tf', CODE),
        ('Dockerfile.dev', CODE),
        ('CMakeLists.txt', CODE),
        ('B.SQL', CODE),
        ('a.ipynb', CODE),
        ('Sim.compute', CODE),
        ('values.yaml', CONFIG),
        ('_helpers.tpl', PAGE),
        ('app.vue', PAGE),
        ('index.html', PAGE),
        ('notes.txt', ''),
        ('data.json', ''),
        ('sql/README', ''),
    ],
)
def test_what_a_file_is_by_its_name(path, found):
    assert text_class(path) == found


TASKS = '- name: Turn {0} off\n  ansible.builtin.command: {0}off -a\n  when: {0}_on and not {0}_kept\n\n'
SCRIPT = 'def clean_{0}(value):\n    """Clean what {0} left."""\n    return value\n'


def test_in_a_tree_of_configuration_that_is_the_code(git_repo):
    files = {f'roles/{name}/tasks/main.yml': TASKS.format(name) * 3 for name in ('swap', 'cache', 'lamp', 'log')}
    files['scripts/clean.py'] = SCRIPT.format('swap')
    assert block(git_repo(files), 'turn swap off').units[0].path == 'roles/swap/tasks/main.yml'
    files['lib.py'] = ''.join(SCRIPT.format(f'f{number}') for number in range(30))
    assert block(git_repo(files, 'code'), 'turn swap off').units[0].path == 'scripts/clean.py'


def test_in_a_tree_of_documents_those_are_the_code(git_repo):
    page = ''.join(f'## {name}\n\n* {name} loggers {"word " * 20}\n\n' for name in ('JSON', 'Plain', 'Color'))
    files = {'README.md': f'# Guide\n\n{page}', 'check.go': 'package main\n\nfunc check() { loggers() }\n'}
    assert block(git_repo(files), 'JSON loggers').units[0].path == 'README.md'
    files['more.go'] = 'package main\n\n' + ''.join(f'func f{n}() {{ g({n}) }}\n\n' for n in range(60))
    assert block(git_repo(files, 'code'), 'JSON loggers').units[0].path == 'check.go'
