"""Stepping down to paths while answers invent names, choosing sections, the three forms, the same bytes twice."""

from __future__ import annotations

import json
import time

import pytest
from helpers_main import block, parsed, run, settings, update, write

from ctxkit.errors import CtxError
from ctxkit.feedback import log
from ctxkit.render import build
from ctxkit.repo import find

CODE = {
    'app.py': 'def charge(order):\n    return order.total\n\n\ndef refund(order):\n    return -charge(order)\n',
    'lib/money.py': 'def round_up(value):\n    return value + 1\n',
    'README.md': '# Money\n\nAbout money.\n',
}


@pytest.fixture
def work(git_repo):
    root = git_repo(CODE)
    update(root)
    return root


def answered(root, invented, names=40):
    log.note(find(root), 'answer', time.time(), 's', names=names, invented=invented)


@pytest.mark.parametrize('query', ['', 'charge an order'], ids=['unasked', 'asked'])
def test_only_paths_while_answers_invent_names(work, query):
    answered(work, invented=8)
    shown = block(work, query)
    assert shown.units and {unit.level for unit in shown.units} == {'path'}
    assert 'return order.total' not in shown.to_xml()
    assert 'only paths' in parsed(shown.to_xml()).findtext('preamble').lower()


def test_code_comes_back_when_answers_recover(work):
    answered(work, invented=8)
    assert {unit.level for unit in block(work).units} == {'path'}
    for _ in range(25):
        answered(work, invented=0)
    assert 'code' in {unit.level for unit in block(work).units}


def test_few_names_decide_nothing(work):
    answered(work, invented=5, names=8)
    assert 'code' in {unit.level for unit in block(work).units}


@pytest.mark.parametrize('name', ['environment', 'units', 'session', 'memory', 'web'])
def test_one_section(work, name):
    shown = build(find(work), settings(), now=time.time(), sections=[name])
    tags = [child.tag for child in parsed(shown.to_xml())][1:]
    assert tags == {'environment': ['environment_snapshot'], 'units': ['semantic_units']}.get(name, [])


def test_several_sections_on_the_command_line(work):
    done = run(work, 'render', '--section', 'units', '--section', 'environment')
    assert [child.tag for child in parsed(done.stdout)][1:] == ['environment_snapshot', 'semantic_units']


def test_unknown_section_is_named_with_those_that_there_are(work):
    with pytest.raises(CtxError, match='no section nothing'):
        build(find(work), settings(), now=time.time(), sections=['nothing'])
    assert 'environment, session' in run(work, 'render', '--section', 'nothing').stderr


def test_the_forms_say_the_same(work):
    said = {
        form: run(work, 'render', '--query', 'charge an order', '--format', form, SOURCE_DATE_EPOCH='1700000000').stdout
        for form in ('xml', 'markdown', 'json')
    }
    data = json.loads(said['json'])
    element = parsed(said['xml'])
    assert [unit['path'] for unit in data['units']] == [unit.get('path') for unit in element.iter('unit')]
    for unit in data['units']:
        assert f'{unit["path"]}:{unit["start_line"]}-{unit["end_line"]}' in said['markdown']
    assert data['request'] == 'charge an order'
    assert said['markdown'].endswith('charge an order\n') and said['xml'].endswith('charge an order\n')


@pytest.mark.parametrize(
    'args',
    [
        ['render'],
        ['render', '--query', 'charge an order'],
        ['render', '--format', 'json'],
        ['render', '--budget', '700', '--query', 'money'],
    ],
)
def test_same_tree_and_clock_give_the_same_bytes(work, args):
    write(work, {'app.py': CODE['app.py'] + '\n\ndef edited():\n    return 1\n'})
    first, second = (run(work, *args, SOURCE_DATE_EPOCH='1800000000').stdout for _ in range(2))
    assert first == second and first


def test_context_file_is_the_same_after_the_index_was_deleted(git_repo, git):
    import shutil

    root = git_repo(CODE)
    now = 1_900_000_000.0
    update(root, now=now)
    before = (root / '.ctx' / 'context.xml').read_bytes()
    shutil.rmtree(find(root).data_dir)
    shutil.rmtree(root / '.ctx')
    update(root, now=now)
    assert (root / '.ctx' / 'context.xml').read_bytes() == before


def test_update_that_changes_nothing_writes_nothing(work):
    now = time.time()
    update(work, now=now)
    before = (work / '.ctx' / 'context.xml').stat()
    assert not update(work, now=now).changed
    after = (work / '.ctx' / 'context.xml').stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_clones_of_the_same_commit_show_the_same_units(git_repo, git, tmp_path):
    root = git_repo(CODE)
    git(tmp_path, 'clone', '-q', str(root), 'copy')
    now = time.time()
    texts = [
        [unit.to_xml() for unit in build(find(one), settings(), query='charge', now=now).units]
        for one in (root, tmp_path / 'copy')
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    'state', ['not json', '{"kind": "answer"}', '[]', '{"kind":"answer","time":"x","names":"y"}', '\x00']
)
def test_damaged_feedback_log_steps_nothing_down(work, state):
    answered(work, invented=0)
    files = [file for file in find(work).data_dir.rglob('*') if file.is_file() and 'feedback' in str(file)]
    files += [file for file in (work / '.ctx').rglob('*') if file.is_file() and 'feedback' in str(file)]
    assert files
    for file in files:
        file.write_text(state + '\n')
    assert 'code' in {unit.level for unit in block(work).units}
