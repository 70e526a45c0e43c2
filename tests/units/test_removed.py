"""What was removed is told by a line, and who still calls it is shown: committed or not, with hooks or without."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers_main import block, update, write
from helpers_removed import CLASS, FILES, GO, GO_CALLS, HELPER, LID, WITHOUT, told

from ctxkit.embedding import load
from ctxkit.index.record import DEFAULT_MAX_BYTES, hint, load_places
from ctxkit.index.store import Key, Store
from ctxkit.repo import find


def test_a_removed_function_is_named_and_its_callers_are_shown_first(git_repo, removing):
    root = git_repo(FILES)
    behind = removing(root, lambda: write(root, {'app/tools.py': WITHOUT}))
    found = told(root)
    why, level, related = found['app/tools.py', 'helper']
    assert (why, level) == (f'removed{behind}', 'path')
    assert related == (
        'still called by view (app/views.py:4); still called by test_helper (tests/test_tools.py:4); '
        'still imported by module (app/views.py:1); still imported by module (tests/test_tools.py:1)'
    )
    assert found['app/views.py', 'view'][:2] == (f'calls helper, removed{behind}', 'code')
    assert found['tests/test_tools.py', 'test_helper'][0] == f'calls helper, removed{behind}'
    assert len(found) == 3, 'a call on a variable of a name that says little means nothing'
    units = [unit.symbol for unit in block(root).units]
    assert units.index('view') < 3
    small = block(root, budget=900)
    assert small.used <= 900 and 'removed' in small.to_xml()
    assert '- app/tools.py:5-6 helper (removed' in small.to_markdown()


def test_of_a_removed_file_each_called_definition_has_a_line_and_the_others_share_one(git_repo, removing):
    code = ''.join(f'def free{n}():\n    return {n}\n\n\n' for n in range(6)) + HELPER.replace('keep', 'hold')
    root = git_repo({**FILES, 'app/tools.py': code})
    behind = removing(root, (root / 'app/tools.py').unlink)
    found = told(root)
    assert found['app/tools.py', 'helper'][0] == f'removed{behind}'
    shared = found['app/tools.py', 'free0, free1, free2, free3 … 3 more']
    assert shared == (f'removed{behind}', 'path', '')


@pytest.mark.parametrize(
    'files',
    [
        {'app/new.py': HELPER, 'app/tools.py': ''},
        {'app/tools.py': WITHOUT + 'class Box:\n    def helper(self):\n        return 1\n'},
        {'app/tools.py': HELPER.replace('return keep(x)', 'return [x]')},
    ],
)
def test_what_is_defined_somewhere_is_not_removed(git_repo, removing, files):
    root = git_repo(FILES)
    removing(root, lambda: write(root, files))
    assert not told(root)


def test_a_method_is_called_by_its_class_surely_and_by_a_telling_name_perhaps(git_repo, removing):
    box = (
        'class Box:\n    def open_lid(self):\n        return 1\n\n    def use(self):\n        return self.open_lid()\n'
    )
    other = (
        'class Jar:\n    def use(self):\n        return self.open_lid()\n\n\ndef free(it):\n    return it.open_lid()\n'
    )
    root = git_repo({'box.py': box, 'jar.py': other})
    removing(root, lambda: write(root, {'box.py': 'class Box:\n' + box[box.index('    def use') :]}))
    found = told(root)
    assert found['box.py', 'Box.open_lid'][2] == 'still called by Box.use (box.py:2); still called by free (jar.py:6)?'
    assert {symbol for _, symbol in found} == {'Box.open_lid', 'Box.use'}


JS = 'export function aim(x) {\n  return x\n}\n'
JS_CALLS = '\n\nexport function main() {\n  return aim(1)\n}\n'


@pytest.mark.parametrize(
    ('lib', 'caller', 'said'),
    [
        (('lib/a.js', JS), ('main.js', "import { aim as go } from './lib/a.js'" + JS_CALLS), 'module'),
        (('lib/a.js', JS), ('main.js', "import { aim } from './lib/a.js'" + JS_CALLS), 'main'),
        (('lib/a.js', JS), ('main.js', "import { aim } from 'elsewhere'" + JS_CALLS), ''),
        (('lib/a.go', GO), ('lib/b.go', 'package lib' + GO_CALLS), 'main'),
        (('lib/a.go', GO), ('far/b.go', 'package far' + GO_CALLS), ''),
    ],
)
def test_the_import_or_the_folder_says_what_is_meant(git_repo, git, lib, caller, said):
    root = git_repo(dict([lib, caller]))
    (root / lib[0]).unlink()
    git(root, 'commit', '-qam', 'remove')
    related = told(root)[lib[0], 'aim'][2]
    assert related.startswith(
        f'still called by {said} ' if said == 'main' else 'still imported by module' if said else ''
    )
    assert bool(related) == bool(said)


def test_what_edits_bring_back_is_not_told(git_repo, git):
    root = git_repo(FILES)
    write(root, {'app/tools.py': WITHOUT})
    git(root, 'commit', '-qam', 'remove')
    assert told(root)
    write(root, {'app/new.py': 'def helper(x):\n    return [x]\n'})
    assert not told(root)


def test_a_commit_is_not_blamed_for_what_another_removed(git_repo, git):
    root = git_repo(FILES)
    git(root, 'branch', 'old')
    write(root, {'app/tools.py': WITHOUT})
    git(root, 'commit', '-qam', 'remove')
    removed = git(root, 'rev-parse', 'HEAD')[:8]
    git(root, 'checkout', '-q', 'old')
    write(root, {'app/tools.py': '# A note.\n\n\n' + HELPER})
    git(root, 'commit', '-qam', 'note')
    git(root, 'checkout', '-q', 'main')
    git(root, 'merge', '-q', 'old', '-m', 'merge')
    assert told(root)['app/tools.py', 'helper'][0] == f'removed in {removed}'


def test_a_commit_that_removes_hundreds_of_files_gives_a_few_lines(git_repo, git):
    files = {f'lib/m{n:03}.py': f'def fun_{n}():\n    return {n}\n' for n in range(300)}
    root = git_repo({**files, 'app.py': 'from lib.m007 import fun_7\n\n\ndef main():\n    return fun_7()\n'})
    git(root, 'rm', '-rq', 'lib')
    git(root, 'commit', '-qm', 'remove')
    found = told(root)
    assert found['app.py', 'main'][1] == 'code'
    assert list(found)[1] == ('lib/m007.py', 'fun_7') and len(found) == 9


@pytest.mark.parametrize(
    'code',
    [
        WITHOUT + 'def run(helper):\n    return helper(1)\n',
        WITHOUT + 'def run(way):\n    helper = way[0]\n    return helper(1)\n',
    ],
)
def test_a_name_that_its_file_can_still_give_in_another_way_is_a_guess(git_repo, removing, code):
    root = git_repo(FILES)
    removing(root, lambda: write(root, {'app/tools.py': code}))
    found = told(root)
    assert set(found) == {('app/tools.py', 'helper')}
    assert found['app/tools.py', 'helper'][2].count('?') == found['app/tools.py', 'helper'][2].count('still ') >= 2


@pytest.mark.parametrize(
    ('base', 'bases', 'attribute', 'sure'),
    [
        ('Near', 'class Near:\n    pass\n', 'up', True),
        ('Near', 'from lib import Far\n\n\nclass Near(Far):\n    pass\n', 'up', False),
        ('Far', 'from lib import Far\n', 'up', False),
        ('object', '', 'up', True),
        ('object', '', 'lid', False),
    ],
)
def test_a_method_that_a_base_or_an_attribute_can_give_is_a_guess(git_repo, removing, base, bases, attribute, sure):
    def code(lid):
        return bases + '\n\n' + CLASS.format(base=base, lid=lid, given=attribute)

    root = git_repo({'box.py': code(LID)})
    removing(root, lambda: write(root, {'box.py': code('')}))
    found = told(root)
    assert found['box.py', 'Box.lid'][2].endswith(')' if sure else '?')
    assert (('box.py', 'Box.use') in found) == sure


def test_a_parameter_of_the_name_is_not_what_was_removed_from_the_package(git_repo, removing):
    other = 'package lib\n\nfunc run(aim func(int) int) int {\n\treturn aim(1)\n}\n'
    root = git_repo({'lib/a.go': GO, 'lib/b.go': other, 'lib/c.go': 'package lib' + GO_CALLS})
    removing(root, (root / 'lib/a.go').unlink)
    assert told(root)['lib/a.go', 'aim'][2] == 'still called by main (lib/c.go:3); still called by run (lib/b.go:3)?'


MANY = ''.join(f'def fun_{n}(x):\n    y = x + {n}\n    return y\n\n\n' for n in range(8))
GO_MANY = 'package a\n\n' + ''.join(f'func fun{n}(x int) int {{\n\treturn x + {n}\n}}\n\n' for n in range(8))


@pytest.mark.parametrize(
    ('path', 'code', 'edited'),
    [
        ('m.py', MANY, 'def broken(x:\n    foo(\n\n\n' + MANY),
        ('m.py', MANY, MANY.replace('def fun_2(x):', 'def fun_2(x, foo(')),
        ('m.go', GO_MANY, GO_MANY.replace('func fun0(x int) int {', 'func fun0(x int) int {\n\tif x {\n\tfoo(')),
        ('m.py', MANY, '<<<<<<< HEAD\nx = 1\n=======\nx = (\n>>>>>>> other\n' + MANY),
    ],
)
def test_what_a_syntax_error_hides_is_not_removed(git_repo, removing, path, code, edited):
    root = git_repo({path: code, 'other.py': 'from m import fun_1\n\n\ndef other():\n    return fun_1(1)\n'})
    removing(root, lambda: write(root, {path: edited}))
    assert not told(root)


def test_of_a_long_caller_the_lines_that_call_are_shown(git_repo, removing):
    filler = [f'    name_{n} = "some words that fill the line number {n}"\n' for n in range(120)]
    long = 'from app.tools import helper\n\n\ndef view(x):\n' + ''.join(filler[:90])
    long += '    return helper(x)\n' + ''.join(filler[90:])
    root = git_repo({**FILES, 'app/views.py': long, 'app/long.py': long.replace('view', 'long')})
    removing(
        root,
        lambda: write(root, {'app/tools.py': WITHOUT, 'app/long.py': '# A note.\n' + long.replace('view', 'long')}),
    )
    for symbol in ('view', 'long'):
        text = next(unit.text for unit in block(root, budget=6000).units if unit.symbol == symbol)
        assert 'return helper(x)' in text and f'def {symbol}(x):' in text and ' lines …' in text


SHIMS = [
    ('m.go', 'package a\n\nfunc min(x, y int) int {\n\treturn x\n}\n', '\nfunc run() int {\n\treturn min(1, 2)\n}\n'),
    ('m.py', 'def aiter(x):\n    return x\n', '\n\ndef run():\n    return aiter(1)\n'),
    ('m.ts', 'function structuredClone(x) {\n  return x\n}\n', '\nfunction run() {\n  return structuredClone(1)\n}\n'),
]


@pytest.mark.parametrize(('path', 'shim', 'rest'), SHIMS)
def test_who_called_a_shim_of_a_built_in_calls_that_now(git_repo, removing, path, shim, rest):
    root = git_repo({path: shim + rest})
    removing(root, lambda: write(root, {path: 'package a\n' + rest if path == 'm.go' else rest}))
    assert [related for _, _, related in told(root).values()] == ['']


def test_a_file_from_which_all_is_imported_can_give_any_name(git_repo, removing):
    root = git_repo({'m.py': HELPER + '\n\ndef run():\n    return helper(1)\n'})
    removing(root, lambda: write(root, {'m.py': 'from lib import *\n\n\ndef run():\n    return helper(1)\n'}))
    assert told(root)['m.py', 'helper'][2] == 'still called by run (m.py:4)?'


def test_what_moved_into_a_language_that_is_not_known_is_not_removed(git_repo, removing):
    root = git_repo(FILES)
    page = '<script>\nexport function helper(x) { return x }\n</script>\n'
    removing(root, lambda: write(root, {'app/tools.py': WITHOUT, 'app/tools.svelte': page}))
    assert not told(root)


@pytest.mark.parametrize('untracked', [True, False])
def test_a_file_that_moved_among_many_edits_is_not_removed(git_repo, git, untracked):
    notes = {f'aaa/n{n:02}.py': f'x{n} = 1\n' for n in range(50)}
    root = git_repo(FILES if untracked else {**FILES, **notes})
    write(root, notes if untracked else {path: 'y = 2\n' for path in notes})
    (root / 'zoo').mkdir()
    (root / 'app/tools.py').rename(root / 'zoo/tools.py')
    if not untracked:
        git(root, 'add', '-A')
    assert not told(root)


def test_what_is_extended_or_only_used_as_a_type_is_not_called(git_repo, removing):
    files = {
        'lib/Base.java': 'package lib;\n\npublic class Base {\n}\n',
        'lib/Sub.java': 'package lib;\n\nclass Sub extends Base {\n}\n',
        'lib/Use.java': 'package lib;\n\nclass Use {\n  int take(Base it) {\n    return 1;\n  }\n}\n',
        'lib/New.java': 'package lib;\n\nclass New {\n  Object give() {\n    return new Base();\n  }\n}\n',
    }
    root = git_repo(files)
    behind = removing(root, (root / 'lib/Base.java').unlink)
    found = told(root)
    assert found['lib/Base.java', 'Base'][2] == (
        'still called by New.give (lib/New.java:4); still extended by Sub (lib/Sub.java:3); '
        'still used by Use.take (lib/Use.java:4)'
    )
    assert found['lib/Sub.java', 'Sub'][0] == f'extends Base, removed{behind}'
    assert found['lib/Use.java', 'Use.take'][0] == f'uses Base, removed{behind}'
    write(root, {'lib/Other.java': files['lib/Base.java'].replace('{', '{ int x;')})
    assert not told(root)


def test_the_type_of_a_variable_is_not_what_gives_a_name(git_repo, removing):
    use = 'package lib\n\nclass Use {\n  val lid: Base = make()\n}\n'
    root = git_repo({'lib/Base.kt': 'package lib\n\nclass Base {\n  val x = 1\n}\n', 'lib/Use.kt': use})
    removing(root, (root / 'lib/Base.kt').unlink)
    assert told(root)['lib/Base.kt', 'Base'][2].startswith('still used by Use (lib/Use.kt:3)')


@pytest.mark.parametrize('far', [False, True])
def test_of_a_type_of_rust_its_methods_are_told_where_it_stays(git_repo, removing, far):
    struct, rest = 'pub struct Buf {\n    x: u8,\n}\n', 'pub fn keep() -> u8 {\n    1\n}\n'
    lid = 'impl Buf {\n    pub fn open_lid(&self) -> u8 {\n        1\n    }\n}\n'
    root = git_repo({'src/buf.rs': f'{struct}\n{lid}\n{rest}'})
    removing(root, lambda: write(root, {'src/buf.rs': rest if far else f'{struct}\n{rest}'}))
    assert set(told(root)) == {('src/buf.rs', 'Buf' if far else 'Buf.open_lid')}


@pytest.mark.parametrize('ignored', [True, False])
def test_what_only_git_does_not_track_any_more_is_not_removed(git_repo, git, ignored):
    root = git_repo(FILES)
    git(root, 'rm', '-q', '--cached', 'app/tools.py')
    if ignored:
        write(root, {'.gitignore': 'app/tools.py\n'})
    assert not told(root)
    git(root, 'add', *['.gitignore'] * ignored)
    git(root, 'commit', '-qm', 'untrack')
    assert not told(root)
    (root / 'app/tools.py').unlink()
    update(root)
    assert ('app/tools.py', 'helper') in told(root)


ADAPTER = 'defmodule Plug.Cowboy do\n  def to_charlist(x) do\n    x\n  end\n\n  def keep(x) do\n    x\n  end\nend\n'


@pytest.mark.parametrize(
    ('call', 'said'),
    [
        ('Atom.to_charlist(x)', ''),
        ('Plug.Cowboy.to_charlist(x)', 'still called by App.run (app.ex:2)?'),
        ('x.to_charlist()', 'still called by App.run (app.ex:2)?'),
    ],
)
def test_a_call_of_another_module_of_elixir_is_not_meant(git_repo, removing, call, said):
    other = f'defmodule App do\n  def run(x) do\n    {call}\n  end\nend\n'
    root = git_repo({'cowboy.ex': ADAPTER, 'app.ex': other})
    kept = ADAPTER[: ADAPTER.index('  def to_')] + ADAPTER[ADAPTER.index('  def keep') :]
    removing(root, lambda: write(root, {'cowboy.ex': kept}))
    assert [related for _, _, related in told(root).values()] == [said]


def test_an_old_version_is_cut_once_and_kept(git_repo, git):
    root = git_repo(FILES)
    old = git(root, 'rev-parse', 'HEAD:app/tools.py').strip()
    write(root, {'app/tools.py': WITHOUT})
    git(root, 'commit', '-qam', 'remove')
    update(root)  # the first index: it has never seen the version before
    key = Key(old, hint('app/tools.py', DEFAULT_MAX_BYTES))
    with Store(find(root).data_dir) as store:
        row = store.known([key])[key]
        assert row.id not in store.with_vectors(load().model_id)
        assert [place.name for place in load_places(store.places(row.id))] == ['keep', 'helper']
    git(root, 'revert', '--no-edit', 'HEAD')
    update(root)  # a tree holds it now, and it gets its vectors
    assert block(root, 'helper').units[0].symbol == 'helper'
    with Store(find(root).data_dir) as store:
        assert row.id in store.with_vectors(load().model_id)


IN_C = 'int near(int x) {\n  return x;\n}\n'
CALLS = 'int main(void) {\n  return {name}(1);\n}\n'
MADE = [  # what gave a name, and what gives it now
    ('app/tools.py', HELPER, WITHOUT + 'helper = keep\n', {}),
    ('app/tools.py', HELPER, 'from lib import helper\n\n\n' + WITHOUT, {}),
    ('a.c', IN_C, '#define near far\n', {'b.c': CALLS.replace('{name}', 'near')}),
    ('a.c', f'#ifndef near\n{IN_C}#endif\n', '#include <near.h>\n', {'b.c': CALLS.replace('{name}', 'near')}),
    (
        'a.h',
        'struct fp {\n  int x;\n};\n',
        '',
        {'b.h': 'using fp = real<int>;\n\nfp make(int x) {\n  return fp(x);\n}\n'},
    ),
    ('a.cpp', 'A::~A() {\n  x();\n}\n', 'A::~A() NOTHROW = default;\n', {}),
    (
        'A.java',
        'class A {\n  int size;\n  int getSize() { return size; }\n  int f() { return getSize(); }\n}\n',
        '@Getter\nclass A {\n  int size;\n  int f() { return getSize(); }\n}\n',
        {},
    ),
    (
        'A.java',
        'class A {\n  int size() {\n    return 1;\n  }\n  int f() {\n    return size();\n  }\n}\n',
        'record A(int size) {\n  int f() {\n    return size();\n  }\n}\n',
        {},
    ),
    (
        'a.rs',
        'struct A;\nimpl A {\n    fn clone(&self) -> A { A }\n    fn two(&self) -> A { self.clone() }\n}\n',
        '#[derive(Clone)]\nstruct A;\nimpl A {\n    fn two(&self) -> A { self.clone() }\n}\n',
        {},
    ),
    (
        'a.rb',
        'module A\n  class Err < B\n    def x\n      1\n    end\n  end\n\n  def run\n    raise Err\n  end\nend\n',
        'module A\n  Err = C::Err\n\n  def run\n    raise Err\n  end\nend\n',
        {},
    ),
]


@pytest.mark.parametrize(('path', 'before', 'after', 'others'), MADE)
def test_what_something_else_gives_now_is_not_removed(git_repo, removing, path, before, after, others):
    root = git_repo({**FILES, **others, path: before})
    removing(root, lambda: write(root, {path: after}))
    assert not any(related for _, _, related in told(root).values())


DOUBTED = [  # a class that calls its own method, as it is when the method is gone
    (
        'A.cs',
        'using static Far.Util;\nclass A {{\n{}  int F() {{\n    return Lid();\n  }}\n}}\n',
        '  int Lid() {\n    return 1;\n  }\n',
    ),
    (
        'A.java',
        'import static far.Util.*;\nclass A {{\n{}  int f() {{\n    return lid();\n  }}\n}}\n',
        '  int lid() {\n    return 1;\n  }\n',
    ),
    (
        'a.rs',
        'struct A;\nimpl Far for A {{}}\nimpl A {{\n{}    fn f(&self) -> u8 {{\n        self.lid()\n    }}\n}}\n',
        '    fn lid(&self) -> u8 {\n        1\n    }\n',
    ),
    (
        'a.rs',
        '#[derive(Far)]\nstruct A;\nimpl A {{\n{}    fn f(&self) -> u8 {{\n        self.lid()\n    }}\n}}\n',
        '    fn lid(&self) -> u8 {\n        1\n    }\n',
    ),
    (
        'a.rb',
        'class A\n{}  def f\n    lid\n    lid(1)\n  end\n\n  def method_missing(name)\n    1\n  end\nend\n',
        '  def lid(x)\n    1\n  end\n\n',
    ),
]


@pytest.mark.parametrize(('path', 'code', 'method'), DOUBTED)
def test_a_method_that_code_elsewhere_can_give_is_a_guess(git_repo, removing, path, code, method):
    root = git_repo({path: code.format(method)})
    removing(root, lambda: write(root, {path: code.format('')}))
    found = {symbol.rpartition('.')[2].lower(): related for (_, symbol), (_, _, related) in told(root).items()}
    assert found['lid'].endswith('?') and 'f' not in found


def test_the_edited_class_says_whether_a_method_may_be_inherited(git_repo, removing):
    code = CLASS.format(base='object', lid=LID, given='up')
    root = git_repo({'box.py': code})
    removing(
        root,
        lambda: write(root, {'box.py': 'from lib import Far\n\n\n' + code.replace('object', 'Far').replace(LID, '')}),
    )
    assert told(root)['box.py', 'Box.lid'][2].endswith('?')


def test_a_method_is_not_what_an_import_of_a_module_of_its_name_means(git_repo, removing):
    code = (
        'pub struct Buf;\nimpl Buf {\n    pub fn iter(&self) -> u8 {\n        1\n    }\n    pub fn keep(&self) {}\n}\n'
    )
    root = git_repo(
        {
            'src/buf.rs': code,
            'src/lib.rs': 'mod buf;\nmod iter;\npub use self::iter::Into;\n',
            'src/iter.rs': 'pub struct Into;\n',
        }
    )
    removing(root, lambda: write(root, {'src/buf.rs': 'pub struct Buf;\nimpl Buf {\n    pub fn keep(&self) {}\n}\n'}))
    assert told(root)['src/buf.rs', 'Buf.iter'][2] == ''


def test_a_name_that_many_use_is_no_guess_once_it_is_committed(git_repo, git):
    user = 'def use(it):\n    return it.open_lid()\n'
    box = 'class Box:\n    def open_lid(self):\n        return 1\n\n    def keep(self):\n        return 2\n'
    root = git_repo({'box.py': box, **{f'u{n}.py': user for n in range(4)}})
    write(root, {'box.py': 'class Box:\n    def keep(self):\n        return 2\n'})
    assert told(root)['box.py', 'Box.open_lid'][2].count('?') == 4
    git(root, 'commit', '-qam', 'remove')
    assert told(root)['box.py', 'Box.open_lid'][2] == ''


@pytest.mark.parametrize(
    ('call', 'said'),
    [('java.time.Clock.lid(1)', False), ('Other.lid(1)', False), ('lib.Clock.lid(1)', True), ('Clock.lid(1)', True)],
)
def test_a_method_of_a_class_of_another_package_is_not_meant(git_repo, removing, call, said):
    clock = 'package lib;\n\nclass Clock {\n  static int lid(int x) { return x; }\n  int keep() { return 1; }\n}\n'
    use = f'package lib;\n\nclass Use {{\n  int run() {{\n    return {call};\n  }}\n}}\n'
    root = git_repo({'lib/Clock.java': clock, 'lib/Use.java': use})
    removing(
        root, lambda: write(root, {'lib/Clock.java': clock.replace('  static int lid(int x) { return x; }\n', '')})
    )
    assert ('still called by Use.run' in told(root)['lib/Clock.java', 'Clock.lid'][2]) == said


@pytest.mark.parametrize('side', ['both', 'theirs'])
def test_what_a_merge_itself_removed_is_told(git_repo, git, side):
    """In the resolution of a conflict: what both have, or what only the other had and calls."""
    files = (
        FILES if side == 'both' else {**FILES, 'app/tools.py': WITHOUT, 'app/views.py': '', 'tests/test_tools.py': ''}
    )
    root = git_repo(files)
    git(root, 'checkout', '-qb', 'other')
    write(root, {**FILES, 'app/tools.py': '# One.\n' + HELPER})
    git(root, 'commit', '-qam', 'one')
    git(root, 'checkout', '-q', 'main')
    write(root, {'app/tools.py': '# Two.\n' + files['app/tools.py']})
    git(root, 'commit', '-qam', 'two')
    git(root, 'merge', '-q', '--no-commit', '-s', 'ours', 'other')
    write(root, {**FILES, 'app/tools.py': '# Both.\n' + WITHOUT})
    git(root, 'add', '-A')
    git(root, 'commit', '-qm', 'merge')
    merge = git(root, 'rev-parse', 'HEAD')[:8]
    found = told(root)
    assert found['app/tools.py', 'helper'][0] == f'removed in {merge}'
    assert found['app/views.py', 'view'][0] == f'calls helper, removed in {merge}'


def test_a_merge_takes_over_what_its_sides_removed(git_repo, git):
    root = git_repo({'app/tools.py': HELPER, 'a.py': 'x = 1\n'})
    git(root, 'checkout', '-qb', 'other')
    write(root, {'app/tools.py': '# One.\n' + HELPER})
    git(root, 'commit', '-qam', 'one')
    git(root, 'checkout', '-q', 'main')
    write(root, {'app/tools.py': WITHOUT})
    git(root, 'commit', '-qam', 'two')
    removed = git(root, 'rev-parse', 'HEAD')[:8]
    git(root, 'merge', '-q', '--no-commit', '-s', 'ours', 'other')
    write(root, {'app/tools.py': '# One.\n' + WITHOUT})
    git(root, 'commit', '-qam', 'merge')
    assert {why for why, _, _ in told(root).values()} == {f'removed in {removed}'}


def test_a_file_that_becomes_a_link_is_gone(git_repo, removing):
    root = git_repo(FILES)

    def link():
        (root / 'app/tools.py').unlink()
        (root / 'app/tools.py').symlink_to('nowhere.py')

    removing(root, link)
    assert 'still called by view' in told(root)['app/tools.py', 'helper'][2]


def test_an_old_version_that_a_partial_clone_lacks_is_not_kept_as_an_empty_file(git_repo, git, tmp_path):
    root = git_repo(FILES)
    old = git(root, 'rev-parse', 'HEAD:app/tools.py').strip()
    write(root, {'app/tools.py': WITHOUT})
    git(root, 'commit', '-qam', 'gone')
    git(root, 'config', 'uploadpack.allowFilter', 'true')
    clone = tmp_path / 'clone'
    git(tmp_path, 'clone', '-q', '--filter=blob:none', root.as_uri(), str(clone))
    update(clone)
    key = Key(old, hint('app/tools.py', DEFAULT_MAX_BYTES))
    with Store(find(clone).data_dir) as store:
        assert store.known([key]) == {}
    git(clone, 'checkout', '-q', 'HEAD~1')
    update(clone)
    with Store(find(clone).data_dir) as store:
        assert store.known([key])[key].chunks > 1


@pytest.mark.parametrize(
    'call',
    [
        'from ctxkit.units.still_there import stood_in; assert not stood_in("x", b"#if !" * 200_000)',
        'from ctxkit.units.still_there import generated; from types import SimpleNamespace as Some;'
        'part = Some(path="A.java", text=lambda: "record " * 100_000);'
        'assert not generated(Some(defining=lambda _: [part]), "A", "x")',
    ],
    ids=['conditions', 'records'],
)
def test_a_crafted_file_is_searched_for_what_gives_a_name_in_time(call):
    subprocess.run([sys.executable, '-c', call], check=True, timeout=60)


NAMED = [  # a file that names a package: what it defines, a caller
    ('app/__init__.py', HELPER, 'from app import helper\n\n\ndef view(x):\n    return helper(x)\n', 'use.py'),
    (
        'src/index.ts',
        'export function keep(x) {\n  return x\n}\n\nexport function helper(x) {\n  return keep(x)\n}\n',
        "import { helper } from './src'\n\nexport function view(x) {\n  return helper(x)\n}\n",
        'use.ts',
    ),
    (
        'src/index.ts',
        'export function keep(x) {\n  return x\n}\n\nexport function helper(x) {\n  return keep(x)\n}\n',
        '<script setup>\nimport { helper } from "./src"\n\nfunction view(x) {\n  return helper(x)\n}\n</script>\n',
        'Use.vue',
    ),
    (
        'src/lib.rs',
        'pub fn keep(x: u8) -> u8 {\n    x\n}\n\npub fn helper(x: u8) -> u8 {\n    keep(x)\n}\n',
        'use crate::helper;\n\npub fn view(x: u8) -> u8 {\n    helper(x)\n}\n',
        'src/use.rs',
    ),
    (
        'src/de/mod.rs',
        'pub fn keep(x: u8) -> u8 {\n    x\n}\n\npub fn helper(x: u8) -> u8 {\n    keep(x)\n}\n',
        'use crate::de::helper;\n\npub fn view(x: u8) -> u8 {\n    helper(x)\n}\n',
        'src/use.rs',
    ),
]


@pytest.mark.parametrize(('path', 'code', 'use', 'user'), NAMED)
def test_what_a_package_itself_defined_is_told_and_what_it_only_passed_on_is_not(
    git_repo, removing, path, code, use, user
):
    root = git_repo({path: code, user: use})
    behind = removing(root, lambda: write(root, {path: code[: code.index('helper') - 1].rpartition('\n')[0] + '\n'}))
    found = told(root)
    assert found[path, 'helper'][0] == f'removed{behind}'
    assert found[path, 'helper'][2].startswith(f'still called by view ({user}:')
    assert found[user, 'view'][1] == 'code'


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ('from app.far import helper\n', ''),
        (HELPER, WITHOUT + 'from app.far import other as helper\n'),
    ],
)
def test_a_name_that_a_package_passes_on_is_none_of_its_definitions(git_repo, removing, before, after):
    far = 'def other(x):\n    return x\n'
    root = git_repo({'app/__init__.py': before, 'app/far.py': far, 'use.py': FILES['app/views.py']})
    removing(root, lambda: write(root, {'app/__init__.py': after}))
    assert not told(root)


@pytest.mark.parametrize(
    'given',
    [
        'def __getattr__(name):\n    return old(name)\n',
        'from far import *\n',
        'from far import *\nfrom .other import *\n',
        'from supervisor import *\n',
    ],
    ids=['function', 'far', 'far and near', 'like a word of Rust'],
)
def test_a_module_that_gives_any_name_leaves_callers_a_guess(git_repo, removing, given):
    root = git_repo({**FILES, 'app/tools.py': HELPER})
    removing(root, lambda: write(root, {'app/tools.py': given + WITHOUT}))
    found = told(root)
    assert set(found) == {('app/tools.py', 'helper')}
    related = found['app/tools.py', 'helper'][2]
    assert related.count('?') == related.count('still ') == 4


@pytest.mark.parametrize(
    ('star', 'sure'), [('use Kind::*;', True), ('pub use far::*;', False), ('pub(crate) use far::{a, b::*};', False)]
)
def test_a_module_of_rust_passes_on_what_it_imports_in_public_alone(git_repo, removing, star, sure):
    path, code, use, user = NAMED[-1]
    lid, up = (
        '    fn {}(&self) -> u8 {{\n        {}\n    }}\n'.format(*one) for one in (('lid', 1), ('up', 'self.lid()'))
    )
    code = f'{star}\n\nimpl Kind {{\n{lid}{up}}}\n\n{code}'
    root = git_repo({path: code, user: use})
    without = code[: code.index('pub fn helper')].replace(lid, '')
    removing(root, lambda: write(root, {path: without}))
    found = told(root)
    assert found[path, 'Kind.lid'][2].startswith('still called by Kind.up') and '?' not in found[path, 'Kind.lid'][2]
    assert (found[path, 'helper'][2].count('?') == 0) == sure


def test_what_another_name_is_imported_as_is_not_what_was_removed(git_repo, removing):
    root = git_repo(FILES)
    new = WITHOUT + 'def better(x):\n    return keep([x])\n'
    uses = {
        path: FILES[path].replace('import helper', 'import better as helper')
        for path in ('app/views.py', 'tests/test_tools.py')
    }
    removing(root, lambda: write(root, {'app/tools.py': new, **uses}))
    assert told(root)['app/tools.py', 'helper'][2] == ''


@pytest.mark.parametrize('edited', ['', '# A note.\n'], ids=['committed', 'edited'])
def test_an_import_of_a_module_by_its_whole_name_leads_to_it_in_an_edited_file_too(git_repo, edited):
    use = 'import app.tools\n\n\ndef view(x):\n    return app.tools.helper(x)\n'
    root = git_repo({'app/tools.py': HELPER, 'use.py': use})
    write(root, {'app/tools.py': WITHOUT, 'use.py': edited + use})
    assert told(root)['app/tools.py', 'helper'][2] == f'still called by view (use.py:{4 + bool(edited)})'
