"""What comes first without a request: code before imports and prose, nothing of our own, nothing twice."""

from __future__ import annotations

import json
import time

import pytest
from helpers_hot import DAY, NOW, shown
from helpers_main import block, run, units_of, update, write

from ctxkit import tokens
from ctxkit.agents import marked
from ctxkit.agents.files import install
from ctxkit.agents.template import load, names, pointer_for
from ctxkit.repo import find
from ctxkit.units import hot
from ctxkit.units.history import SEED_COMMITS
from ctxkit.units.stream import StreamUnit


@pytest.mark.parametrize('committed', [False, True])
def test_our_own_lines_in_an_instructions_file_are_no_unit(git_repo, git, committed):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'CLAUDE.md': '# Rules\n\nBe brief.\n'})
    ours = marked.put((root / 'CLAUDE.md').read_text(), 'claude-code', pointer_for(['claude-code']))
    write(root, {'AGENTS.md': marked.put('', 'codex', pointer_for(['codex'])), 'CLAUDE.md': ours})
    if committed:
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'agents')
    units = {unit.path: unit for unit in block(root).units}
    assert 'AGENTS.md' not in units and 'a.py' in units
    assert units['CLAUDE.md'].text.strip() == '# Rules\n\nBe brief.'


@pytest.mark.parametrize('committed', [False, True])
def test_files_that_we_write_for_agents_are_no_units(git_repo, git, committed):
    root = git_repo({'a.py': 'def a():\n    return 1\n', '.cursor/commands/mine.md': '# Mine\n\nDo it.\n'})
    install(find(root), names())
    assert {'.pi/extensions/ctxkit.ts', '.opencode/command/memory.md'} <= {
        path.relative_to(root).as_posix() for path in root.rglob('*')
    }
    if committed:
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'agents')
    paths = {unit.path for unit in block(root).units}
    assert {'a.py', '.cursor/commands/mine.md'} <= paths
    assert not paths & {path for name in names() for path, _ in load(name).files}


@pytest.mark.parametrize('committed', [False, True])
def test_settings_that_hold_only_what_we_wrote_are_no_units(git_repo, git, committed):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    allowed = '{"permissions": {"allow": ["Bash(make)"]}}\n'
    write(root, {'.claude/settings.json': allowed, 'kilo.json': '{"$schema": "x"}'})
    install(find(root), names())
    if committed:
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'agents')
    assert {unit.path for unit in block(root).units} == {'a.py', '.claude/settings.json'}


def test_imports_come_after_the_code_that_was_written_with_them(git_repo, git):
    root = git_repo({'a.py': 'import x\n\n\ndef a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    for n in range(3):
        write(root, {'a.py': f'import x, y{n}\n\n\ndef a():\n    return 1\n'})
        git(root, 'commit', '-qam', f'{n}')
    update(root, now=NOW)
    write(root, {'a.py': 'import x, y\n\n\ndef a():\n    return 1\n', 'b.py': 'def b():\n    return 2\n'})
    git(root, 'commit', '-qam', 'both')
    update(root, now=NOW, event='post-commit')
    assert [
        unit['symbol']
        for unit in map(json.loads, run(root, 'units', '--json', SOURCE_DATE_EPOCH=str(int(NOW))).stdout.splitlines())
    ] == ['b', '']
    assert shown(root)[:2] == ['b', '']


def test_a_hotter_inner_function_is_shown_once_with_the_one_around_it():
    inner = StreamUnit(
        'i',
        NOW,
        'update',
        'c' * 40,
        'a.py',
        'f.g',
        'function',
        2,
        3,
        'modified',
        'd',
        1,
        5,
        'def g()',
        '    def g():\n        pass',
    )
    outer = inner._replace(
        id='o',
        symbol='f',
        start_line=1,
        end_line=4,
        signature='def f()',
        text='def f():\n    def g():\n        pass\n    g()',
    )
    third = inner._replace(id='t', path='b.py', symbol='h', text='def h(): pass')
    units, used, left = hot.select([inner, third, outer], 1000, tokens.count, 7)
    assert [unit.symbol for unit in units] == ['f', 'h'] and not left
    assert used == sum(tokens.count(unit.to_xml()) + 1 for unit in units)
    large = outer._replace(text=outer.text + '\n    call(it, again)' * 20)
    units, used, _ = hot.select([inner, third, large], used + 40, tokens.count, 7)
    assert [(unit.symbol, unit.level) for unit in units] == [('f.g', 'code'), ('h', 'code'), ('f', 'signature')]


def test_files_named_like_a_commit_in_a_log_are_files(git_repo):
    names = ['\x01' + 'a' * 40, *'²³⁴⁵']  # digits of which no time can be read
    root = git_repo(dict.fromkeys(names, 'text\n'))
    assert {unit.path for unit in block(root).units} <= {*names}


@pytest.mark.parametrize('name', ['main.tf', 'Dockerfile', 'src/Lib.hs'])
def test_code_without_a_grammar_comes_before_prose(git_repo, git, name):
    root = git_repo({'README.md': '# A\n\nold\n', name: 'old {\n}\n'})
    write(root, {'README.md': '# A\n\nnew\n', name: 'new {\n}\n'})
    git(root, 'commit', '-qam', 'both')
    assert [unit.path for unit in block(root).units][:2] == [name, 'README.md']


def test_of_one_commit_what_the_program_does_comes_before_tests_and_pages(git_repo, git):
    files = {
        '__tests__/a.py': 'def f():\n    pass\n',
        'src/z.py': 'def g():\n    pass\n',
        'a.css': 'a {}\n',
        'b.tf': 'b {}\n',
    }
    root = git_repo({name: '' for name in files})
    write(root, files)
    git(root, 'commit', '-qam', 'all')
    assert [unit.path for unit in block(root).units] == ['src/z.py', 'b.tf', '__tests__/a.py', 'a.css']


@pytest.mark.parametrize('name', ['a_test.go', 'a.test.ts', 'a_spec.rb', 'test_a.py'])
def test_of_one_commit_a_test_beside_the_code_comes_after_it(git_repo, git, name):
    code = f'z.{name.rpartition(".")[2]}'
    root = git_repo({code: '', name: ''})
    write(root, dict.fromkeys((code, name), 'package a\n\nfunc F() {}\n'))
    write(root, {code: 'package a\n\nfunc G() {}\n'})
    git(root, 'commit', '-qam', 'both')
    assert [unit.path for unit in block(root).units] == [code, name]


def test_what_stands_in_many_files_is_shown_once_and_named_last(git_repo, git):
    root = git_repo({f'm{n}/versions.tf': 'version = 1\n' for n in range(5)} | {'notes.md': 'old\n'})
    write(root, {f'm{n}/versions.tf': 'version = 2\n' for n in range(5)} | {'notes.md': 'new\n'})
    git(root, 'commit', '-qam', 'raise')
    told = [(unit.path, unit.level) for unit in block(root).units]
    assert told[:2] == [('m0/versions.tf', 'code'), ('notes.md', 'code')]
    assert {level for _, level in told[2:]} == {'path'} and len(told) == 6


@pytest.mark.parametrize('committed', [False, True])
def test_a_heading_alone_is_no_unit(git_repo, git, committed):
    root = git_repo({'CHANGES.md': '# Changes\n\n## 1.0\n\n### Fixed\n\n- one\n'})
    update(root)
    write(root, {'CHANGES.md': '# Changes\n\n## 1.1\n\n### Added\n\n- two\n\n## 1.0\n\n### Fixed\n\n- one\n'})
    if committed:
        git(root, 'commit', '-qam', 'two')
        update(root)
        assert [unit.symbol for unit in units_of(root)] == ['Changes > 1.1 > Added']
    assert [unit.symbol for unit in block(root).units][:1] == ['Changes > 1.1 > Added']
    assert not {'Changes', 'Changes > 1.1'} & {unit.symbol for unit in block(root).units}


@pytest.mark.parametrize('name', ['Cargo.lock', 'package-lock.json', 'go.sum', 'app/pnpm-lock.yaml'])
def test_a_lock_file_comes_last_though_it_changed_last(git_repo, git, name):
    root = git_repo({name: 'one 1\n', 'a.py': 'def a():\n    return 1\n', 'notes.txt': 'old\n'})
    write(root, {'a.py': 'def a():\n    return 2\n', 'notes.txt': 'new\n'})
    git(root, 'commit', '-qam', 'work')
    (root / name).write_text('one 2\n')
    git(root, 'commit', '-qam', 'raise one')
    assert [unit.path for unit in block(root).units] == ['a.py', 'notes.txt', name]


def test_of_a_file_of_data_two_parts_come_before_other_work(git_repo, git):
    def lock(version):
        return ''.join(f'package{n}:\n  version: {version}\n  sum: {"ab" * 700}{n}\n\n' for n in range(6))

    root = git_repo({'a.txt': lock(1), 'notes.txt': 'old\n'})
    write(root, {'notes.txt': 'new\n'})
    git(root, 'commit', '-qam', 'notes')
    write(root, {'a.txt': lock(2)})
    git(root, 'commit', '-qam', 'raise')
    told = [unit.path for unit in block(root).units]
    assert told[:4] == ['a.txt', 'a.txt', 'notes.txt', 'a.txt'] and len(told) > 5


def test_where_the_last_commits_changed_little_older_ones_fill_the_block(git_repo, git):
    root = git_repo(
        {'bump.json': '{"version": 0}\n', 'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'}
    )
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    work = git(root, 'rev-parse', 'HEAD')[:8]
    for number in range(1, SEED_COMMITS + 3):
        write(root, {'bump.json': f'{{"version": {number}}}\n'})
        git(root, 'commit', '-qam', f'bump {number}')
    assert [unit.why for unit in block(root).units if unit.symbol == 'a'] == [f'changed in {work}']
    update(root)
    assert f'symbol="a" why="changed in {work}"' in (root / '.ctx' / 'context.xml').read_text('utf-8')


@pytest.mark.parametrize('hooks', [False, True])
@pytest.mark.parametrize('later', [False, True])
def test_a_large_new_file_does_not_hide_what_else_its_commit_changed(git_repo, git, hooks, later):
    now = time.time() + 3 * DAY  # no file was edited often today
    root = git_repo({'z.py': 'def last():\n    return 1\n', 'other.py': 'def other():\n    return 1\n'})
    if hooks:
        update(root, now=now)
    body = '\n'.join(f'    value_{line} = ask(value_{line - 1}, {line})' for line in range(30))
    made = '\n\n\n'.join(f'def read_{number}(value_{number}):\n{body}' for number in range(40))
    write(root, {'client.py': made + '\n', 'z.py': 'def last():\n    return 2\n'})
    git(root, 'add', '.')
    git(root, 'commit', '-qm', 'Read it')
    if hooks:
        update(root, now=now)
    if later:
        write(root, {'other.py': 'def other():\n    return 2\n'})
        git(root, 'commit', '-qam', 'Other')
        if hooks:
            update(root, now=now)
    units = block(root, now=now).units
    paths = [unit.path for unit in units]
    assert paths.index('z.py') <= 6 and units[paths.index('z.py')].level == 'code'
