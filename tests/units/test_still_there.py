"""What only seems removed, and what something else gives now: it is not told, or who calls it is a guess."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers_main import update, write
from helpers_removed import CLASS, FILES, HELPER, LID, NAMED, WITHOUT, told


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


def test_the_type_of_a_variable_is_not_what_gives_a_name(git_repo, removing):
    use = 'package lib\n\nclass Use {\n  val lid: Base = make()\n}\n'
    root = git_repo({'lib/Base.kt': 'package lib\n\nclass Base {\n  val x = 1\n}\n', 'lib/Use.kt': use})
    removing(root, (root / 'lib/Base.kt').unlink)
    assert told(root)['lib/Base.kt', 'Base'][2].startswith('still used by Use (lib/Use.kt:3)')


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


@pytest.mark.parametrize(
    'call',
    [
        'from ctxkit.units.still_there import is_fallback; assert not is_fallback("x", b"#if !" * 200_000)',
        'from ctxkit.units.still_there import generated; from types import SimpleNamespace as Some;'
        'part = Some(path="A.java", text=lambda: "record " * 100_000);'
        'assert not generated(Some(defining=lambda _: [part]), "A", "x")',
    ],
    ids=['conditions', 'records'],
)
def test_a_crafted_file_is_searched_for_what_gives_a_name_in_time(call):
    subprocess.run([sys.executable, '-c', call], check=True, timeout=60)


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


DECLARED = [  # a function, and what declares its name now
    (
        'a.cs',
        'class A {{\n{}  int Other() {{ return 1; }}\n}}\n',
        '  int Near {\n    get { return 1; }\n  }\n',
        '  int Near { get; set; }\n',
    ),
    (
        'a.cs',
        'class A {{\n{}  int Other() {{ return 1; }}\n}}\n',
        '  int Near {\n    get { return 1; }\n  }\n',
        '  int Near;\n',
    ),
    (
        'a.rb',
        'class A\n{}  def other\n    1\n  end\nend\n',
        '  def near\n    1\n  end\n',
        '  attr_reader :far, :near\n',
    ),
    (
        'a.rb',
        'class A\n{}  def other\n    1\n  end\nend\n',
        '  def near\n    1\n  end\n',
        '  delegate :far,\n    :near, to: :b\n',
    ),
    (
        'a.swift',
        'struct A {{\n{}  func other() {{}}\n}}\n',
        '  var near: Int {\n    return 1\n  }\n',
        '  let near: Int\n',
    ),
    (
        'a.scala',
        'object A:\n{}  def other = 1\n',
        '  def near(x: Int): Int =\n    x\n',
        '  val near: Int => Int = far\n',
    ),
    (
        'a.ts',
        '{}export function other() {{\n  return 1\n}}\n',
        'export function near() {\n  return 1\n}\n',
        'export const { far, near } = b\n',
    ),
    (
        'a.ts',
        'class A {{\n{}  other() {{\n    return 1\n  }}\n}}\n',
        '  near() {\n    return 1\n  }\n',
        '  readonly near: () => number\n',
    ),
    (
        'a.py',
        'class A:\n{}    def other(self):\n        return 1\n',
        '    @property\n    def near(self):\n        return 1\n',
        '    near: int\n',
    ),
    (
        'a.rs',
        'struct A;\nimpl A {{\n    fn other(&self) {{}}\n{}}}\n',
        '    fn near(&self) -> u8 {\n        1\n    }\n',
        '}\nmake! {\n    near\n',
    ),
    (
        'a.c',
        '{}int other(void)\n{{\n  return 1;\n}}\n',
        'int near(void)\n{\n  return 1;\n}\n',
        'DEFINE_ALL(near, int)\n',
    ),
]


@pytest.mark.parametrize(('path', 'code', 'before', 'after'), DECLARED)
def test_what_is_a_property_a_field_or_made_by_a_macro_now_is_not_removed(
    git_repo, removing, path, code, before, after
):
    root = git_repo({path: code.format(before)})
    removing(root, lambda: write(root, {path: code.format(after)}))
    assert not [symbol for _, symbol in told(root) if symbol.lower().endswith('near')]


def test_an_import_of_a_file_with_dots_in_its_name_is_still_one(git_repo, removing):
    other = 'export function other() {\n  return 1\n}\n'
    use = "import { near } from './a.service'\n\nexport function use() {\n  return near()\n}\n"
    root = git_repo({'a.service.ts': 'export function near() {\n  return 1\n}\n\n' + other, 'b.ts': use})
    removing(root, lambda: write(root, {'a.service.ts': other}))
    assert 'still called by use (b.ts:3)' in told(root)['a.service.ts', 'near'][2]
