"""What comes first without a request: work before sweeps, code before imports, nothing of our own, nothing twice."""

from __future__ import annotations

import json
import time

import pytest
from helpers_main import block, opened, run, units_of, update, write

from ctxkit import tokens
from ctxkit.agents import marked
from ctxkit.agents.files import install
from ctxkit.agents.template import load, names, pointer
from ctxkit.repo import find
from ctxkit.slicing import slice_file
from ctxkit.units import hot
from ctxkit.units.code import code_of
from ctxkit.units.history import edits_today
from ctxkit.units.hunks import Hunk, follow
from ctxkit.units.recall import hot_chunks
from ctxkit.units.stream import StreamUnit

NOW = 1_700_000_000.0
DAY = 86_400


@pytest.fixture
def dated(git, monkeypatch):
    """`dated(root, message, when)`: commit everything at that time (epoch seconds); what is not dated is long ago."""
    monkeypatch.setenv('GIT_COMMITTER_DATE', f'{int(NOW) - 30 * DAY} +0000')

    def make(root, message, when):
        monkeypatch.setenv('GIT_COMMITTER_DATE', f'{int(when)} +0000')
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', message, f'--date={int(when)} +0000')

    return make


@pytest.fixture
def worked_on(dated, git_repo):
    """`worked_on(files, hooked)`: a repository of `files` in one of which a person wrote yesterday."""

    def make(files, hooked):
        root = git_repo(files)
        write(root, {'lib/m3.py': files['lib/m3.py'].replace('return 3', 'return worked(3)')})
        dated(root, 'work', NOW - DAY - 7200)
        if hooked:
            update(root, now=NOW - DAY)
        return root

    return make


def shown(root, now=NOW):
    return [unit.symbol for unit in block(root, now=now).units]


def test_a_commit_that_only_deletes_lines_shows_the_definition_around_them(git_repo, git):
    long = 'def longer(x):\n    one(x)\n    gone(x)\n    three(x)\n\n\ndef other():\n    pass\n\n\n'
    long += 'class Box:\n    a = 1\n    b = 2\n'
    root = git_repo({'a.py': long, 'b.py': 'def later():\n    pass\n'})
    write(root, {'a.py': long.replace('    gone(x)\n', '').replace('    a = 1\n', '')})
    git(root, 'commit', '-qam', 'delete')
    write(root, {'a.py': '# moved down\n\n' + (root / 'a.py').read_text()})
    git(root, 'commit', '-qam', 'move')
    units = {unit.symbol: unit for unit in block(root).units}
    deleted = git(root, 'rev-parse', 'HEAD~1')[:8]
    assert units['longer'].why == f'changed in {deleted}' == units['Box'].why
    assert (units['longer'].start_line, units['longer'].end_line) == (3, 5)


@pytest.mark.parametrize(
    ('line', 'hunks', 'now'),
    [
        (5, [], 5),
        (5, [Hunk(0, 0, 1, 3)], 8),
        (5, [Hunk(5, 0, 6, 2)], 5),
        (5, [Hunk(5, 1, 5, 3)], 7),
        (5, [Hunk(6, 1, 6, 0)], 5),
        (5, [Hunk(5, 2, 5, 2)], None),
        (5, [Hunk(1, 2, 1, 0), Hunk(9, 1, 7, 1)], 3),
    ],
)
def test_the_place_of_deleted_lines_follows_a_change(line, hunks, now):
    assert follow([(line + 1, line)], hunks) == ([] if now is None else [(now + 1, now)])


@pytest.mark.parametrize('hooked', [False, True])
def test_a_sweep_over_many_files_does_not_hide_yesterdays_work(dated, worked_on, hooked):
    files = {f'lib/m{n}.py': f'import b\nimport a\n\n\ndef f{n}():\n    return {n}\n' for n in range(70)}
    root = worked_on(files, hooked)
    for name, text in files.items():
        text = (root / name).read_text()
        write(root, {name: '# A licence.\n' + text.replace('import b\nimport a', 'import a\nimport b')})
    write(root, {'lib/m9.py': (root / 'lib/m9.py').read_text().replace('return 9', 'return nine()')})
    dated(root, 'sweep', NOW - 60)
    if hooked:
        update(root, now=NOW, event='post-commit')
    symbols = shown(root)
    assert symbols[0] == 'f3' and 'f9' in symbols
    assert shown(root, NOW + 7200)[0] == 'f3'
    assert 'f9' in symbols[:2]  # of the sweep, code comes before imports


WRITTEN = ''.join(f'    step_{n}(x)\n' for n in range(12))


@pytest.mark.parametrize('hooked', [False, True])
def test_what_was_written_in_a_sweep_is_no_part_of_it(dated, worked_on, hooked):
    files = {f'lib/m{n}.py': f'import b\nimport a\n\n\ndef f{n}(x):\n    return {n}\n' for n in range(70)}
    root = worked_on(files, hooked)
    for name in files:
        write(root, {name: '# A licence.\n' + (root / name).read_text()})
    text = (root / 'lib/m9.py').read_text()
    write(root, {'lib/m9.py': text.replace('    return 9', WRITTEN + '    return 9')})
    dated(root, 'sweep', NOW - 60)
    if hooked:
        update(root, now=NOW, event='post-commit')
    assert shown(root)[:2] == ['f9', 'f3']


def test_where_much_of_a_sweep_is_large_it_says_nothing(dated, git_repo):
    files = {f'm{n}.py': f'def f{n}(x):\n    return {n}\n' for n in range(70)}
    root = git_repo(files)
    write(root, {'m3.py': files['m3.py'].replace('return 3', 'return worked(3)')})
    dated(root, 'work', NOW - DAY - 7200)
    for n, name in enumerate(files):
        text = (root / name).read_text()
        write(root, {name: text.replace('    return', (WRITTEN if n % 7 == 0 else '') + '    y = x\n    return')})
    dated(root, 'sweep', NOW - 60)
    assert shown(root)[0] == 'f3'


def test_edits_of_many_files_come_after_work_but_files_that_git_does_not_track_make_no_sweep(git_repo, git):
    files = {f'm{n}.py': f'import a\n\n\ndef f{n}():\n    return {n}\n' for n in range(60)}
    root = git_repo(files)
    write(root, {'m7.py': files['m7.py'].replace('return 7', 'return worked(7)')})
    git(root, 'commit', '-qam', 'work')
    write(root, {**{f'junk{n}.txt': f'note {n}' for n in range(60)}, 'm8.py': files['m8.py'].replace('8()', '8(x)')})
    assert shown(root, time.time())[0] == 'f8'
    write(root, {name: text.replace('import a', 'import b') for name, text in files.items() if name != 'm7.py'})
    assert shown(root, time.time())[0] == 'f7'


def test_a_first_commit_of_many_files_is_shown_for_want_of_others(git_repo):
    root = git_repo({f'm{n}.py': f'def f{n}():\n    return {n}\n' for n in range(60)})
    assert len(shown(root)) > 20


def test_an_update_over_several_commits_names_the_one_that_changed_the_unit(git_repo, git):
    root = git_repo(
        {'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n', 'c.py': 'def c():\n    1\n'}
    )
    update(root)
    ids = {}
    for name in ('a', 'b', 'c'):
        text = (root / f'{name}.py').read_text().replace('1', '22')
        write(root, {f'{name}.py': text})
        git(root, 'commit', '-qam', f'change {name}')
        ids[name] = git(root, 'rev-parse', 'HEAD').strip()
    update(root, event='post-merge')
    assert {unit.symbol: unit.commit for unit in units_of(root)} == ids
    assert {unit.symbol: unit.why for unit in block(root).units} == {
        name: f'modified in {commit[:8]}' for name, commit in ids.items()
    }


def test_a_unit_of_an_older_commit_than_the_last_twelve_says_so(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    update(root)
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'old')
    for n in range(12):
        write(root, {'b.py': f'def b():\n    return {n + 10}\n'})
        git(root, 'commit', '-qam', f'n{n}')
    update(root, event='post-merge')
    head = git(root, 'rev-parse', 'HEAD')[:8]
    assert {unit.symbol: unit.why for unit in block(root).units} == {
        'a': f'modified up to {head}',
        'b': f'modified in {head}',
    }


@pytest.mark.parametrize('committed', [False, True])
def test_our_own_lines_in_an_instructions_file_are_no_unit(git_repo, git, committed):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'CLAUDE.md': '# Rules\n\nBe brief.\n'})
    ours = marked.put((root / 'CLAUDE.md').read_text(), 'claude-code', pointer())
    write(root, {'AGENTS.md': marked.put('', 'codex', pointer()), 'CLAUDE.md': ours})
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
    assert not paths & {path for name in names() for path in load(name).files}


def test_a_file_that_was_only_moved_is_no_change(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    update(root, now=NOW)
    write(root, {'b.py': 'def b():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    update(root, now=NOW + 60)
    git(root, 'mv', 'a.py', 'moved.py')
    git(root, 'commit', '-qm', 'move')
    update(root, now=NOW + 120)
    log = (root / '.ctx' / 'units.jsonl').read_text()
    assert 'moved.py' not in log
    assert [unit.path for unit in block(root).units][0] == 'b.py'
    fresh = root.parent / 'fresh'
    git(root, 'clone', '-q', str(root), str(fresh))
    units = {unit.path: unit.why for unit in block(fresh).units}
    head = git(root, 'rev-parse', 'HEAD')[:8]
    assert 'b.py' in units and not any(head in why for why in units.values())


@pytest.mark.parametrize('staged', [False, True])
def test_an_uncommitted_move_is_no_change_and_an_edit_with_it_the_only_one(git_repo, git, staged):
    moved = 'import os\n\n\ndef keep():\n    return os\n\n\ndef edit():\n    return 1\n'
    root = git_repo({'lib/a.py': moved, 'b.py': 'def b():\n    return 1\n'})
    write(root, {'b.py': 'def b():\n    return 2\n', 'lib/a.py': moved.replace('return os', 'return os.sep')})
    git(root, 'commit', '-qam', 'work')
    (root / 'lib/a.py').rename(root / 'z.py')
    if staged:
        git(root, 'add', '-A')
    head = git(root, 'rev-parse', 'HEAD')[:8]
    units = {unit.symbol: (unit.path, unit.why) for unit in block(root).units}
    assert units.pop('edit')[1].startswith('changed in ')  # by the first commit
    assert units == {'b': ('b.py', f'changed in {head}'), 'keep': ('z.py', f'changed in {head}')}
    write(root, {'z.py': (root / 'z.py').read_text().replace('return 1', 'return 2')})
    first, *rest = block(root).units
    assert (first.path, first.symbol, first.why) == ('z.py', 'edit', 'edited, not committed')
    assert [unit.symbol for unit in rest] == ['b', 'keep']


def test_a_request_finds_only_what_was_edited_in_a_moved_file_to_be_fresh(git_repo, git):
    files = {'a.py': 'def keep():\n    return 1\n\n\ndef edit():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'}
    root = git_repo(files)
    git(root, 'mv', 'a.py', 'z.py')
    write(root, {'z.py': files['a.py'][:-2] + '2\n'})
    with opened(root, NOW) as corpus:
        assert [corpus.place(chunk).symbol for chunk in hot_chunks(corpus, [], corpus.edited)] == ['edit']


def test_many_deleted_files_do_not_hide_an_edit(git_repo, git):
    files = {f'a{n}.py': f'def f{n}():\n    return {n}\n' for n in range(45)}
    root = git_repo({**files, 'z.py': 'def z():\n    return 1\n'})
    for name in files:
        (root / name).unlink()
    write(root, {'z.py': 'def z():\n    return 2\n'})
    assert block(root).units[0].symbol == 'z'


def test_a_commit_dated_in_the_future_is_as_old_as_the_one_that_came_after_it(git_repo, dated):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    for name, when in (('ahead', NOW + 70 * 365 * DAY), ('long_ago', NOW - 2 * DAY), ('newest', NOW - 3600)):
        write(root, {f'{name}.py': f'def {name}():\n    return 1\n'})
        dated(root, name, when)
    assert shown(root)[:2] == ['newest', 'ahead']
    update(root, now=NOW)
    assert shown(root)[:2] == ['newest', 'ahead']


def test_a_commit_dated_in_the_future_is_no_edit_of_today(git_repo, dated):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    for name, when in (('today', NOW - 3600), ('ahead', NOW + 70 * 365 * DAY)):
        write(root, {f'{name}.py': f'def {name}():\n    return 1\n'})
        dated(root, name, when)
    assert edits_today(find(root), 'HEAD', NOW) == {'today.py': 1}


def test_a_commit_after_a_history_that_is_gone_is_not_told_as_checked_out(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n'})
    update(root)
    git(root, 'commit', '-q', '--amend', '-m', 'rewritten')
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '-q', '--prune=now')
    write(root, {'a.py': 'def a():\n    return 2\n'})
    git(root, 'commit', '-qam', 'work')
    update(root, event='post-commit')
    assert [unit.why.partition(' in ')[0] for unit in block(root).units] == ['modified']


def test_a_move_counts_as_no_edit_of_today(git_repo, git):
    root = git_repo({'a.py': 'def a():\n    return 1\n', 'b.py': 'def b():\n    return 1\n'})
    git(root, 'mv', 'a.py', 'moved.py')
    write(root, {'b.py': 'def b():\n    return 2\n'})
    git(root, 'commit', '-qam', 'move and work')
    assert edits_today(find(root), 'HEAD', time.time()) == {'a.py': 1, 'b.py': 2}


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
    assert [unit.path for unit in block(root).units] == ['src/z.py', '__tests__/a.py', 'b.tf', 'a.css']


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


def test_a_section_that_does_not_fit_is_its_path_alone(git_repo):
    root = git_repo({'a.md': '# Long\n\n' + 'word ' * 900})
    assert {unit.level for unit in block(root, budget=400).units} == {'path'}


def test_an_uncommitted_method_keeps_its_indent(git_repo):
    code = 'class A:\n    def first(self):\n        return 1\n'
    root = git_repo({'a.py': code})
    write(root, {'a.py': code.replace('return 1', 'return 2')})
    assert block(root).units[0].text == '    def first(self):\n        return 2'


def rest_of(path, code):
    """What is left of a class or module when its definitions are taken out, as it is shown."""
    source = code.encode()
    return [code_of(chunk, source) for chunk in slice_file(path, source).chunks if chunk.spans]


def test_what_is_left_of_a_class_says_what_is_left_out():
    methods = ['    def open(self):\n        return self.size\n', '    def shut(self):\n        return 1\n']
    code = '\n'.join(['class Box:\n    size = 1\n', methods[0], '    lid = 2\n', methods[1]])
    assert rest_of('a.py', code) == ['class Box:\n    size = 1\n… 4 lines …\n    lid = 2\n… 3 lines …']


def test_what_is_left_of_an_object_begins_with_no_comma():
    code = 'export default make({\n  name: "a",\n  setup() {\n    return call(1, 2)\n  },\n  last: true,\n})\n'
    assert rest_of('a.ts', code) == ['export default make({\n  name: "a",\n… 3 lines …\n  last: true,\n})']


def test_a_comment_above_a_method_is_of_the_method_not_of_its_class(git_repo, git):
    code = 'class Box {\n  int size;\n\n  /** Opens. */\n  void open() {\n    lift(1);\n  }\n}\n'
    root = git_repo({'Box.java': code})
    write(root, {'Box.java': code.replace('Opens.', 'Opens the lid.')})
    git(root, 'commit', '-qam', 'words')
    words = git(root, 'rev-parse', 'HEAD')[:8]
    assert [unit.symbol for unit in block(root).units if unit.why == f'changed in {words}'] == ['Box.open']
