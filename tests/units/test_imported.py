"""Where imports lead: default exports, names that are passed on, packages of Java, folders of JavaScript."""

from __future__ import annotations

import pytest


def calls(linked, files, path, symbol='main'):
    return {(file, name): sure for (said, file, name), sure in linked(files, path, symbol).items() if said == 'calls'}


MAIN = 'function main() {\n  return made()\n}\n'
ADD = 'function add() {\n  return 1\n}\n'
DEFAULTS = {
    'declared': {'add.js': f'export default {ADD}'},
    'named below': {'add.js': f'{ADD}export default add\n'},
    'named in a list': {'add.js': f'{ADD}export {{ add as default }}\n'},
    'of node': {'add.js': f'{ADD}module.exports = add\n'},
    'of node, twice': {'add.js': f'{ADD}exports = module.exports = add\n'},
    'of TypeScript': {'add.ts': f'{ADD}export = add\n'},
    'of a list in TypeScript': {'add.ts': f'{ADD}export {{ add as default }}\n'},
    'from elsewhere': {'add.js': "export { default } from './sum.js'\n", 'sum.js': f'export default {ADD}'},
}


@pytest.mark.parametrize('kind', DEFAULTS)
@pytest.mark.parametrize('head', ["import made from './add'\n", "const made = require('./add')\n"])
def test_default_export_is_found_whatever_name_it_is_given(linked, kind, head):
    files = DEFAULTS[kind] | {'main.js': head + MAIN, 'other.js': 'export function made() {\n  return 2\n}\n'}
    file = 'sum.js' if 'sum.js' in files else next(iter(DEFAULTS[kind]))
    assert calls(linked, files, 'main.js') == {(file, 'add'): True}


def test_function_without_a_name_is_the_default_of_its_module(linked):
    files = {
        'wait.js': 'module.exports = function (ms) {\n  return ms\n}\n',
        'main.js': f"const made = require('./wait')\n{MAIN}",
    }
    assert calls(linked, files, 'main.js') == {('wait.js', 'exports'): True}


def test_what_a_module_requires_under_the_same_name_is_not_what_it_exports(linked):
    files = {
        'base.js': 'class Compiler {\n  run() {\n    return 1\n  }\n}\nmodule.exports = Compiler\n',
        'own.js': "const Compiler = require('./base')\nclass OwnCompiler extends Compiler {\n  run() {\n"
        '    return 2\n  }\n}\nmodule.exports = OwnCompiler\n',
        'main.js': "const Compiler = require('./own')\nfunction main() {\n  return new Compiler()\n}\n",
    }
    assert calls(linked, files, 'main.js') == {('own.js', 'OwnCompiler'): True}


def test_names_are_followed_through_files_that_give_all_they_have_from_others(linked):
    files = {
        'lib/index.ts': "export * from './shapes'\nexport * as kit from './kit'\n",
        'lib/shapes/index.ts': "export * from './circle'\nexport { side as edge } from './square'\n",
        'lib/shapes/circle.ts': 'export function area() {\n  return 1\n}\n',
        'lib/shapes/square.ts': 'export function side() {\n  return 2\n}\n',
        'lib/kit.ts': 'export function cut() {\n  return 3\n}\n',
        'main.ts': "import { area, edge, kit } from './lib'\n"
        'export function main() {\n  return area() + edge() + kit.cut()\n}\n',
    }
    assert calls(linked, files, 'main.ts') == {
        ('lib/shapes/circle.ts', 'area'): True,
        ('lib/shapes/square.ts', 'side'): True,
        ('lib/kit.ts', 'cut'): True,
    }


def test_star_import_of_python_gives_the_names_of_its_module(linked):
    files = {
        'kit.py': 'def cut():\n    return 1\n',
        'main.py': 'from kit import *\n\n\ndef main():\n    return cut()\n',
    }
    assert calls(linked, files, 'main.py') == {('kit.py', 'cut'): True}


@pytest.mark.parametrize('folder', ['..', '../'])
def test_folder_of_javascript_is_its_index_or_what_its_package_says(linked, folder):
    main = {'test/main.js': f"const made = require('{folder}')\n{MAIN}"}
    add = f'{ADD}module.exports = add\n'
    assert calls(linked, main | {'index.js': add}, 'test/main.js') == {('index.js', 'add'): True}
    package = {'package.json': '{"main": "./lib/add.js"}\n', 'lib/add.js': add}
    assert calls(linked, main | package, 'test/main.js') == {('lib/add.js', 'add'): True}


def test_code_is_meant_and_not_the_declarations_beside_it(linked):
    files = {
        'add.d.ts': 'export declare function made(): number\n',
        'add.js': "exports.made = require('./sum')\n",
        'main.js': f"const {{ made }} = require('./add')\n{MAIN}",
    }
    assert calls(linked, files, 'main.js') == {}


def test_name_that_a_known_file_has_not_is_not_guessed_elsewhere(linked):
    files = {
        'wait.js': 'module.exports = later(1)\n',
        'main.js': f"const made = require('./wait')\n{MAIN}",
        'other.js': 'export function made() {\n  return 2\n}\n',
    }
    assert calls(linked, files, 'main.js') == {}


SHAPE = 'package org.shapes;\npublic class Shape {\n  public static int area() { return 1; }\n}\n'


@pytest.mark.parametrize(
    ('head', 'body', 'found'),
    [
        ('import org.shapes.Shape;', 'new Shape()', 'Shape'),
        ('import org.shapes.*;', 'new Shape()', 'Shape'),
        ('import static org.shapes.Shape.area;', 'area()', 'Shape.area'),
        ('import static org.shapes.Shape.*;', 'area()', 'Shape.area'),
        ('import org.other.Shape;', 'new Shape()', None),
        ('import static org.other.Shape.area;', 'area()', None),
    ],
)
def test_import_of_java_leads_to_the_file_of_the_class_in_its_package(linked, head, body, found):
    main = f'package org.app;\n{head}\nclass Main {{\n  Object main() {{ return {body}; }}\n}}\n'
    files = {'src/main/java/org/shapes/Shape.java': SHAPE, 'src/main/java/org/app/Main.java': main}
    meant = calls(linked, files, 'src/main/java/org/app/Main.java', 'Main.main')
    assert meant == ({('src/main/java/org/shapes/Shape.java', found): True} if found else {})


def test_tests_of_java_share_the_package_of_what_they_test(linked):
    files = {
        'src/main/java/org/shapes/Shape.java': SHAPE,
        'src/test/java/org/shapes/ShapeTest.java': 'package org.shapes;\nclass ShapeTest {\n'
        '  Object main() { return new Shape(); }\n}\n',
    }
    meant = calls(linked, files, 'src/test/java/org/shapes/ShapeTest.java', 'ShapeTest.main')
    assert meant == {('src/main/java/org/shapes/Shape.java', 'Shape'): True}


def test_files_that_pass_on_all_of_each_other_are_looked_through_in_time(linked, quick):
    parts = {f'part{at}.ts': "export * from './index'\n" for at in range(120)}
    index = ''.join(f"export * from './part{at}'\n" for at in range(120))
    use = "import { made } from './index'\nexport function main() {\n  return made(1)\n}\n"
    files = {**parts, 'index.ts': index, 'main.ts': use, 'other.ts': 'export function made() {\n  return 1\n}\n'}
    assert linked(files, 'main.ts', 'main') == {}


@pytest.mark.usefixtures('quick')
def test_files_that_pass_on_all_of_each_other_are_each_looked_at_once(linked):
    names = range(30)
    files = {
        f'lib/m{one}.ts': ''.join(f"export * from './m{other}'\n" for other in names if other != one)
        + f'export function own{one}() {{\n  return {one}\n}}\n'
        for one in names
    }
    files['main.ts'] = (
        "import { own3, missing } from './lib/m0'\nexport function main() {\n  return own3() + missing()\n}\n"
    )
    files['other.ts'] = 'export function missing() {\n  return 1\n}\n'
    assert calls(linked, files, 'main.ts') == {('lib/m3.ts', 'own3'): True}


@pytest.mark.parametrize(
    ('main', 'other', 'text'),
    [
        ('app/deep/main.ts', 'kit/cut.ts', "import { cut } from '../../../kit/cut'\nfunction main() {\n  cut()\n}\n"),
        ('a/b/c/main.py', 'a/b/kit.py', 'from .....kit import cut\n\n\ndef main():\n    cut()\n'),
    ],
)
def test_import_that_leads_out_of_the_repository_is_no_file_in_it(linked, main, other, text):
    cut = 'def cut():\n    return 1\n' if other.endswith('.py') else 'export function cut() {\n  return 1\n}\n'
    assert linked({main: text, other: cut}, main, 'main').get(('calls', other, 'cut')) is not True


@pytest.mark.usefixtures('quick')
def test_main_of_a_package_in_very_many_folders_takes_no_time(linked):
    far = 'a/' * 50_000
    files = {
        'kit/package.json': f'{{"main": "{far}"}}\n',
        'kit/a/b.js': 'function cut() {\n  return 1\n}\n',
        'a.js': 'function run() {\n  return 1\n}\n',
        'main.js': "const { cut } = require('./kit')\nfunction main() {\n" + '  cut()\n  kit.cut()\n' * 20 + '}\n',
    }
    files |= {f'use{one}.js': files['main.js'] for one in range(20)}
    assert not any(linked(files, 'kit/a/b.js', 'cut').values())
