"""A removed definition of which others have the name: told, unless one of them may stand for it."""

from __future__ import annotations

import pytest
from helpers_main import write
from helpers_removed import CLASS, FILES, GO, GO_CALLS, HELPER, LID, WITHOUT, told


def away(root, removing, files, *without):
    """Write files, remove others, and give what is told."""

    def change():
        write(root, files)
        for path in without:
            (root / path).unlink()

    removing(root, change)
    return told(root)


MORE = {'lib/tools.py': HELPER, 'lib/views.py': FILES['app/views.py'].replace('app', 'lib')}


@pytest.mark.parametrize('whole', [False, True], ids=['function', 'file'])
def test_a_name_that_another_file_has_too_is_told_with_those_who_import_it_from_the_removed_one(
    git_repo, removing, whole
):
    loose = {
        'far.py': 'from tools import helper\nfrom app import tools\n\n\ndef far(x, it):\n    return it.helper(x)\n'
    }
    root = git_repo({**FILES, **MORE, **loose})
    found = away(root, removing, {} if whole else {'app/tools.py': WITHOUT}, *['app/tools.py'] * whole)
    name = 'keep, helper' if whole and ('app/tools.py', 'keep, helper') in found else 'helper'
    assert found['app/tools.py', name][2] == (
        'still called by view (app/views.py:4); still called by test_helper (tests/test_tools.py:4); '
        'still imported by module (app/views.py:1); still imported by module (tests/test_tools.py:1)'
    )
    assert {path for path, _ in found} == {'app/tools.py', 'app/views.py', 'tests/test_tools.py'}


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        ({}, {'lib/tools.py': HELPER}),  # it moved
        ({'lib/tools.py': WITHOUT}, {'lib/tools.py': HELPER}),
        ({'lib/tools.py': HELPER}, {'app/tools.py': 'from lib.tools import helper\n\n\n' + WITHOUT}),
        (
            {'lib/a.c': 'int aim(int x) {\n  return x;\n}\n', 'a.c': 'static int aim(int x) {\n  return x;\n}\n'},
            {'app/tools.py': HELPER, 'a.c': '#include "lib/a.h"\n'},
        ),
        (
            {
                'src/main/lib/Aim.java': 'package lib;\n\nclass Aim {\n  int x;\n}\n',
                'src/test/lib/Aim.java': 'package lib;\n\nclass Aim {\n  int y;\n}\n',
            },
            {'app/tools.py': HELPER, 'src/main/lib/Aim.java': 'package lib;\n'},
        ),
        ({'lib.rb': 'def helper(x)\n  x\nend\n', 'app/tools.rb': 'def helper(x)\n  [x]\nend\n'}, {'app/tools.rb': ''}),
        ({f'lib/m{n}.py': HELPER for n in range(9)}, {'app/tools.py': WITHOUT}),  # a name that says nothing
    ],
    ids=['new file', 'old file', 'passed on', 'header', 'package', 'any file', 'many'],
)
def test_what_may_have_moved_to_another_definition_is_not_removed(git_repo, removing, before, after):
    root = git_repo({**FILES, **before})
    gone = {} if {'app/tools.py', 'app/tools.rb'} & set(after) else {'app/tools.py': WITHOUT}
    assert not away(root, removing, {**after, **gone})


def test_a_function_of_another_package_of_go_is_not_what_was_removed(git_repo, removing):
    far = GO.replace('package lib', 'package far')
    root = git_repo(
        {'lib/a.go': GO, 'lib/b.go': 'package lib' + GO_CALLS, 'far/a.go': far, 'far/b.go': 'package far' + GO_CALLS}
    )
    found = away(root, removing, {}, 'lib/a.go')
    assert found['lib/a.go', 'aim'][2] == 'still called by main (lib/b.go:3)'


@pytest.mark.parametrize(
    ('head', 'near'),
    [
        ('class Jar:\n', True),
        ('class Jar(Box):\n', False),
        ('class Jar:\n    pass\n\n\nclass Both(Box, Jar):\n    pass\n\n\nclass Jar:\n', False),
    ],
)
def test_a_method_that_another_class_has_is_told_unless_the_classes_have_to_do_with_each_other(
    git_repo, removing, head, near
):
    box = CLASS.format(base='object', lid=LID, given='up')
    jar = 'from box import Box\n\n\n' + head + LID
    root = git_repo({'box.py': box, 'jar.py': jar})
    found = away(root, removing, {'box.py': box.replace(LID, '')})
    assert bool(found) == near
    if near:
        assert found['box.py', 'Box.lid'][2] == 'still called by Box.use (box.py:5)'


@pytest.mark.parametrize('many', [False, True])
def test_a_class_whose_base_has_a_name_that_says_nothing_may_be_kin_of_any(git_repo, removing, many):
    far = {f'far/m{number}.py': 'class Far:\n    x = 1\n' for number in range(41 if many else 2)}
    box = CLASS.format(base='Far', lid=LID, given='up')
    root = git_repo({'box.py': box, 'jar.py': 'class Jar:\n' + LID, **far})
    assert bool(away(root, removing, {'box.py': box.replace(LID, '')})) != many


def test_what_another_language_calls_the_same_is_another_thing(git_repo, removing):
    root = git_repo(
        {**FILES, 'web/a.js': 'export function helper(x) {\n  return x\n}\n', 'notes.md': '# helper\n\nText.\n'}
    )
    assert 'still called by view' in away(root, removing, {'app/tools.py': WITHOUT})['app/tools.py', 'helper'][2]


def test_a_call_of_a_module_that_is_imported_whole_is_of_that_module(git_repo, removing):
    use = 'import app.tools\nimport lib.tools\nimport app.more\n\n\ndef view(x):\n    return {}.tools.helper(x)\n'
    root = git_repo(
        {'app/tools.py': HELPER, 'app/more.py': '', **MORE, 'use.py': use.format('app'), 'use2.py': use.format('lib')}
    )
    found = away(root, removing, {'app/tools.py': WITHOUT})
    assert found['app/tools.py', 'helper'][2] == 'still called by view (use.py:6)'


def test_an_edit_of_what_has_the_name_too_takes_nothing_back(git_repo, git):
    root = git_repo({**FILES, **MORE})
    write(root, {'app/tools.py': WITHOUT})
    git(root, 'commit', '-qam', 'remove')
    before = told(root)
    write(root, {'lib/tools.py': HELPER.replace('keep(x)', 'keep([x])')})
    assert before and told(root) == before
    write(root, {'lib/new.py': HELPER})
    assert not told(root)


def test_a_method_that_a_trait_of_the_type_gives_is_not_removed(git_repo, removing):
    code = (
        'pub struct Jar<T>(T);\n\nimpl<T> Lid for Jar<T> {}\n\nimpl<T> Jar<T> {\n'
        '    fn lid(&self) -> u8 {\n        2\n    }\n\n    fn run(&self) -> u8 {\n        self.lid()\n    }\n}\n'
    )
    trait = 'pub trait Lid {\n    fn lid(&self) -> u8 {\n        1\n    }\n}\n'
    root = git_repo({'src/jar.rs': code, 'src/lid.rs': trait})
    start = code.index('    fn lid')
    assert not away(root, removing, {'src/jar.rs': code[:start] + code[code.index('    fn run') :]})


JAR = 'class Jar:\n' + LID
IMPL = 'pub struct A;\n\nimpl{0} Far for &{0}A {{\n    fn near(&self) -> u8 {{\n        1\n    }}\n}}\n'


@pytest.mark.parametrize(
    ('path', 'jar', 'code', 'after'),
    [
        ('box.py', JAR, 'class Box(Far):\n    x = 1\n\n' + LID, 'class Box(Far):\n    x = 1\n'),
        ('box.rs', '', IMPL.format("<'a>").replace("&<'a>", "&'a "), IMPL.format('')),
    ],
    ids=['base of others', 'title'],
)
def test_what_stays_in_another_form_is_not_removed(git_repo, removing, path, jar, code, after):
    root = git_repo({path: code, f'jar.{path[4:]}': jar})
    assert not away(root, removing, {path: after})
