"""What was removed is told by a line, and who still calls it is shown: committed or not, with hooks or without."""

from __future__ import annotations

import pytest
from helpers_main import block, units_of, update, write

HELPER = 'def keep(x):\n    return x\n\n\ndef helper(x):\n    return keep(x)\n'
FILES = {
    'app/tools.py': HELPER,
    'app/views.py': 'from app.tools import helper\n\n\ndef view(x):\n    return helper(x)\n',
    'app/other.py': 'def other(it):\n    return it.helper(1)\n',
    'tests/test_tools.py': 'from app.tools import helper\n\n\ndef test_helper():\n    assert helper(1)\n',
}
WITHOUT = HELPER[: HELPER.index('def helper')]


def told(root, **flags):
    """Path, symbol -> (why, level, related) of the units that tell of something removed."""
    units = block(root, **flags).units
    return {(unit.path, unit.symbol): (unit.why, unit.level, unit.related) for unit in units if 'removed' in unit.why}


@pytest.fixture(params=['committed', 'hooked', 'uncommitted'])
def removing(request, git):
    """`removing(root, change)`: change the work tree, commit or not; gives what stands behind `removed`."""

    def make(root, change):
        if request.param == 'hooked':
            update(root)
        change()
        if request.param == 'uncommitted':
            return ', not committed'
        git(root, 'add', '-A')
        git(root, 'commit', '-qm', 'remove')
        if request.param == 'hooked':
            update(root, event='post-commit')
            assert all(unit.text for unit in units_of(root)), 'the stream holds code alone'
        return f' in {git(root, "rev-parse", "HEAD")[:8]}'

    return make


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


JS, GO = 'export function aim(x) {\n  return x\n}\n', 'package lib\n\nfunc aim(x int) int {\n\treturn x\n}\n'
JS_CALLS = '\n\nexport function main() {\n  return aim(1)\n}\n'
GO_CALLS = '\n\nfunc main() int {\n\treturn aim(1)\n}\n'


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
