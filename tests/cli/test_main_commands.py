"""The commands of the main job as a person and a script meet them: output, exit codes, filters, what is imported."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from helpers_main import parsed, run, update, write

CODE = {
    'src/app.py': 'import os\n\n\ndef charge(order):\n    """Take the money."""\n    return order.total\n\n\n'
    'class Till:\n    size = 3\n\n    def open(self):\n        return charge(self)\n',
    'src/lib/money.py': 'def round_money(value):\n    return value\n',
    'srclib/money.py': 'def round_money(value):\n    return -value\n',
    'README.md': '# Money\n\nHow to charge.\n',
}


@pytest.fixture(scope='module')
def work(tmp_path_factory):
    root = tmp_path_factory.mktemp('cli')
    write(root, CODE)
    for args in (
        ['init', '-q', '-b', 'main'],
        ['add', '-A'],
        ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid', 'commit', '-qm', 'first'],
    ):
        subprocess.run(['git', *args], cwd=root, check=True)
    update(root)
    return root


def commit(root):
    name = ['-c', 'user.name=A', '-c', 'user.email=a@b.invalid']
    subprocess.run(['git', *name, 'commit', '-qam', 'next'], cwd=root, check=True)


def test_search_prints_place_and_symbol(work):
    done = run(work, 'search', 'charge')
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.splitlines()[0] == 'src/app.py:4-6  charge'


def test_search_finds_by_parts_of_a_name_in_any_style(work):
    for query in ('round_money', 'roundMoney', 'RoundMoney', 'round money', 'money rounding', 'Till.open', 'till open'):
        symbols = [json.loads(line)['symbol'] for line in run(work, 'search', '--json', query).stdout.splitlines()]
        assert ('Till.open' if 'ill' in query else 'round_money') in symbols[:2], query


def test_search_for_a_flag_needs_no_separator(git_repo):
    root = git_repo({'cli.py': "FLAGS = ['--no-colour', '-q']\n\n\ndef flags(no_colour):\n    return no_colour\n"})
    update(root)
    for query in ('--no-colour', '-q is ignored', '--no-colour does nothing'):
        done = run(root, 'search', '-k', '1', query)
        assert (done.returncode, done.stdout.split(':')[0]) == (0, 'cli.py'), query
    assert run(root, 'search', '--colour', 'flags').returncode == 2


def test_search_as_json(work):
    rows = [json.loads(line) for line in run(work, 'search', '--json', 'charge').stdout.splitlines()]
    assert set(rows[0]) >= {'path', 'start_line', 'end_line', 'symbol', 'score'}
    assert (rows[0]['path'], rows[0]['start_line'], rows[0]['end_line']) == ('src/app.py', 4, 6)
    scores = [row['score'] for row in rows]
    assert scores == sorted(scores, reverse=True) and all(score > 0 for score in scores)


@pytest.mark.parametrize('under', ['src', 'src/', './src', 'src/lib/..', 'src//'])
def test_search_under_a_folder(work, under):
    done = run(work, 'search', '--under', under, 'round_money')
    assert [line.split(':')[0] for line in done.stdout.splitlines() if 'round_money' in line] == ['src/lib/money.py']


def test_search_under_a_file_and_under_nothing(work):
    assert run(work, 'search', '--under', 'srclib/money.py', 'round_money').stdout.count('round_money') == 1
    done = run(work, 'search', '--under', 'nowhere', 'round_money')
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith('ctxkit: there is no nowhere in this repository; ')


def test_an_answer_file_that_is_not_there_is_named_and_is_no_bug(work):
    done = run(work, 'feedback', 'nowhere.md')
    assert done.returncode == 2 and "'nowhere.md' does not exist" in done.stderr


def test_search_under_from_inside_a_folder_is_below_the_repository(work):
    assert 'src/lib/money.py' in run(work / 'src', 'search', '--under', 'src/lib', 'round_money').stdout


@pytest.mark.parametrize(
    ('folder', 'under', 'found'), [('src', 'lib', 'src/lib'), ('src', '..', ''), ('src/lib', '.', 'src/lib')]
)
def test_search_under_a_folder_as_seen_from_here(work, folder, under, found):
    paths = [
        line.split(':')[0] for line in run(work / folder, 'search', '--under', under, 'round_money').stdout.splitlines()
    ]
    assert paths and all(path.startswith(found) for path in paths)
    assert bool(found) != any(path.startswith('srclib') for path in paths)


def test_what_has_no_name_is_told_by_its_first_line(git_repo):
    root = git_repo({'main.tf': '# ----\nresource "bucket" "logs" {\n  name = "x"\n}\n'})
    assert run(root, 'search', 'bucket logs').stdout.splitlines() == ['main.tf:1-4  resource "bucket" "logs" {']
    row = json.loads(run(root, 'search', '--json', 'bucket logs').stdout)
    assert (row['symbol'], row['head']) == ('', 'resource "bucket" "logs" {')
    update(root)
    write(root, {'main.tf': 'resource "bucket" "more" {\n}\n'})
    commit(root)
    update(root)
    assert ' main.tf:1-2  resource "bucket" "more" {  modified in ' in run(root, 'units').stdout


def test_nothing_found_is_said_beside_the_output(work, git_repo):
    done = run(work, 'search', '--under', 'src/lib', 'qqqqzzzz')
    assert (done.returncode, done.stdout, done.stderr) == (0, '', 'ctxkit: nothing found\n')
    assert run(work, 'search', ' ').returncode == 2
    root = git_repo({'a.py': 'x = 1\n'})
    assert run(root, 'units').stderr == 'ctxkit: no units: no context yet; run ctxkit update\n'
    update(root)
    assert run(root, 'units').stderr == 'ctxkit: no units: nothing has changed since the first context was made\n'
    for command in ('view', 'list'):
        done = run(root, 'memory', command)
        assert done.stdout == '' and done.stderr.startswith('ctxkit: nothing is remembered; ')


def test_update_as_json_names_skipped_files_as_status_does(git_repo):
    root = git_repo({'a.bin': b'\0' * 100})
    assert json.loads(run(root, 'update', '--json').stdout)['skipped'] == [{'path': 'a.bin', 'reason': 'binary'}]
    assert json.loads(run(root, 'status', '--json').stdout)['last']['skipped'] == [
        {'path': 'a.bin', 'reason': 'binary'}
    ]


def test_search_of_so_many(work):
    assert len(run(work, 'search', '-k', '1', 'money').stdout.splitlines()) == 1
    assert len(run(work, 'search', '-k', '3', 'money charge').stdout.splitlines()) == 3
    assert run(work, 'search', '-k', '0', 'money').returncode == 2


def test_search_that_finds_nothing_is_no_failure(work):
    done = run(work, 'search', 'qqqzzzxxx')
    assert (done.returncode, done.stdout) == (0, '')


def test_request_from_standard_input(work):
    for args in ([], ['--query', '-']):
        done = run(work, 'render', *args, said='charge an order\n')
        assert done.stdout.endswith('--------------------------------\ncharge an order\n')
        assert parsed(done.stdout).find('semantic_units')[0].get('symbol') == 'charge'
    assert '--------' not in run(work, 'render', said='').stdout
    assert '--------' not in run(work, 'render', said=' \n').stdout


def test_query_wins_over_standard_input(work):
    assert run(work, 'render', '--query', 'round money', said='charge').stdout.endswith('round money\n')


def test_budget_of_the_command_line(work):
    element = parsed(run(work, 'render', '--budget', '400').stdout)
    assert element.get('budget') == '400' and int(element.get('used')) <= 400


def test_output_file_is_written_whole(work, tmp_path):
    target = tmp_path / 'block.xml'
    done = run(work, 'render', '-o', str(target))
    assert done.stdout == ''
    parsed(target.read_text('utf-8'))
    assert run(work, 'render', '-o', str(tmp_path / 'none' / 'block.xml')).returncode == 1


@pytest.mark.skipif(os.name == 'nt', reason='no FIFOs, no links to devices')
def test_a_device_or_a_pipe_that_is_named_is_written_into_and_stays(work, tmp_path):
    """`ctxkit render -o /dev/null` by root put a file in the device's place."""
    pipe, link = tmp_path / 'pipe', tmp_path / 'link'
    os.mkfifo(pipe)
    with subprocess.Popen(['cat', str(pipe)], stdout=subprocess.PIPE) as reader:
        assert run(work, 'render', '-o', str(pipe)).returncode == 0
        assert reader.communicate()[0].startswith(b'<ctxkit')
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
    link.symlink_to(os.devnull)
    assert run(work, 'render', '-o', str(link)).returncode == 0
    assert link.is_symlink()
    assert run(work, 'render', '-o', '/dev/stdout').stdout.startswith('<ctxkit')


def test_explain_adds_up(work):
    done = run(work, 'render', '--query', 'charge', '--explain')
    total = [line for line in done.stdout.splitlines() if line.startswith('total')][0]
    assert 'of 5100' in total
    assert 'src/app.py:4-6 charge' in done.stdout


EXIT = [
    (['render'], 0),
    (['search', 'charge'], 0),
    (['units'], 0),
    (['gc'], 0),
    (['--help'], 0),
    (['--version'], 0),
    (['render', '--section', 'nothing'], 1),
    (['render', '--budget', '10'], 1),
    (['update', '--rev', 'nowhere'], 1),
    (['fold', 'nothere.jsonl'], 1),
    (['nothing'], 2),
    (['render', '--nothing'], 2),
    (['search'], 2),
    (['render', '--format', 'pdf'], 2),
    (['render', '--budget', 'x'], 2),
    (['gc', '--days', '-1'], 2),
]


@pytest.mark.parametrize(
    ('args', 'code'), EXIT, ids=lambda value: ' '.join(value) if isinstance(value, list) else str(value)
)
def test_exit_codes(work, args, code):
    done = run(work, *args)
    assert done.returncode == code, done.stderr
    assert 'Traceback' not in done.stderr
    if code == 1:
        assert done.stderr.startswith('ctxkit: ') and done.stderr.count('\n') == 1
    if code == 0 and args != ['units']:  # which says that there are none
        assert done.stderr == ''


def test_bug_is_exit_code_3_with_a_log_and_no_traceback(work, tmp_path):
    script = (
        'import ctxkit.units.places as places, ctxkit.cli as cli\n'
        'def broken(*args): raise RuntimeError("unexpected")\n'
        'places.find_places = broken\n'
        'cli.main(["search", "x"])\n'
    )
    done = subprocess.run([sys.executable, '-c', script], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.count('\n') == 1 and 'unexpected' in done.stderr and 'Traceback' not in done.stderr


def test_broken_pipe_ends_quietly(work):
    done = subprocess.run(
        f'{sys.executable} -m ctxkit search --json -k 100 money | head -c 1',
        shell=True,
        cwd=work,
        capture_output=True,
        check=False,
    )
    assert done.stderr == b''


def test_who_stops_reading_is_no_failure(work):
    pipe = f'set -o pipefail; {sys.executable} -m ctxkit model info | true'
    done = subprocess.run(['bash', '-c', pipe], cwd=work, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b'')


LAST = (
    'import atexit, sys\n'
    'from ctxkit.cli import main\n'
    'atexit.register(lambda: print("the interpreter was taken apart"))\n'
    'main()\n'
)


@pytest.mark.parametrize(
    ('args', 'code', 'short'),
    [
        (['render', '--section', 'units'], 0, True),  # the environment's section tells the second
        (['search', 'money'], 0, True),
        (['render', '--section', 'nothing'], 1, True),
        (['search'], 2, True),
        (['units'], 0, False),
    ],
)
def test_short_commands_end_at_once_with_their_code_and_all_of_their_output(work, args, code, short):
    whole = run(work, *args)
    done = subprocess.run([sys.executable, '-c', LAST, *args], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == whole.returncode == code
    assert done.stdout.endswith('the interpreter was taken apart\n') != short
    assert done.stdout.startswith(whole.stdout) and done.stderr == whole.stderr


@pytest.mark.skipif(not Path('/dev/full').exists(), reason='needs a device that is always full')
@pytest.mark.parametrize('args', [['render'], ['search', 'money'], ['doctor']])
def test_output_to_a_full_disk_is_one_line(work, args):
    with open('/dev/full', 'w') as full:
        done = subprocess.run([sys.executable, '-m', 'ctxkit', *args], cwd=work, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b'ctxkit: the output cannot be written: no space left\n')


@pytest.mark.parametrize('command', ['update', 'render', 'search', 'units', 'gc', 'slice', 'fold'])
def test_help_of_each_command_says_what_it_does(work, command):
    done = run(work, command, '--help')
    assert done.returncode == 0 and len(done.stdout) > 100


HEAVY = ('numpy', 'onnxruntime', 'tokenizers', 'tree_sitter', 'yaml', 'rich', 'sqlite3')


def imported(work, *args, names=HEAVY):
    script = (
        f'import sys, ctxkit.cli as cli\ntry:\n    cli.main({list(args)!r})\nfinally:\n    '
        f'print([name for name in {names!r} if name in sys.modules], file=sys.stderr)\n'
    )
    done = subprocess.run(
        [sys.executable, '-c', script], cwd=work, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return set(eval(done.stderr.strip().splitlines()[-1]))


# What only indexing, remembered facts or other models need: each costs a cold render milliseconds.
UNUSED = (
    'ctxkit.index.build',
    'ctxkit.index.scan',
    'ctxkit.index.words',
    'ctxkit.memory.facts',
    'ctxkit.slicing.languages',
    'onnxruntime',
    'tokenizers',
    'tree_sitter',
    'yaml',
    'secrets',
    'random',
)


@pytest.mark.parametrize(
    ('args', 'used'),
    [
        # what a bare name means, for the links of a unit, is a matter of the language
        (('render', '--query', 'where is money added'), {'numpy', 'ctxkit.slicing.languages'}),
        (('search', 'money'), {'numpy'}),
    ],
)
def test_an_answer_from_a_ready_index_imports_no_more_than_it_uses(work, args, used):
    assert imported(work, *args, names=('numpy', *UNUSED)) == used


def test_render_of_an_up_to_date_repository_imports_nothing_heavy(work):
    subprocess.run(['git', 'status'], cwd=work, capture_output=True, check=True)
    assert imported(work, 'render') & {'numpy', 'onnxruntime', 'tokenizers', 'tree_sitter', 'rich'} == set()


@pytest.mark.parametrize('args', [['--help'], ['--version'], ['units'], ['show'], ['status']])
def test_small_commands_import_nothing_heavy(work, args):
    assert imported(work, *args) & {'numpy', 'onnxruntime', 'tokenizers', 'tree_sitter', 'rich'} == set()


@pytest.mark.parametrize('args', [['render', '--query', 'charge'], ['search', 'charge']])
def test_search_imports_no_parser_where_nothing_changed(work, args):
    assert imported(work, *args) & {'tree_sitter', 'rich', 'onnxruntime', 'tokenizers'} == set()


def test_update_says_nothing_in_a_pipe(work):
    done = run(work, 'update')
    assert (done.stdout, done.stderr) == ('', '')


@pytest.mark.skipif(os.name == 'nt', reason='a folder that is used cannot be removed there')
@pytest.mark.parametrize('command', [('status',), ('render',), ('memory', 'list'), ('feedback',)])
def test_a_folder_that_was_removed_meanwhile_is_an_error_in_one_line(tmp_path, command):
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@" </dev/null'
    (tmp_path / 'gone').mkdir()
    ctxkit = (sys.executable, '-m', 'ctxkit')
    done = subprocess.run(
        ['sh', '-c', script, 'sh', str(tmp_path / 'gone'), *ctxkit, *command], capture_output=True, text=True
    )
    assert done.returncode == 1 and 'the current folder no longer exists' in done.stderr
