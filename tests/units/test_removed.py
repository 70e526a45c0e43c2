"""What was removed is told by a line, and who still calls it is shown: committed or not, with hooks or without."""

from __future__ import annotations

import pytest
from helpers_main import block, update, write
from helpers_removed import FILES, GO, GO_CALLS, HELPER, NAMED, WITHOUT, told

from ctxkit.embedding import load
from ctxkit.index.record import DEFAULT_MAX_BYTES, load_places, path_hint
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


def test_a_parameter_of_the_name_is_not_what_was_removed_from_the_package(git_repo, removing):
    other = 'package lib\n\nfunc run(aim func(int) int) int {\n\treturn aim(1)\n}\n'
    root = git_repo({'lib/a.go': GO, 'lib/b.go': other, 'lib/c.go': 'package lib' + GO_CALLS})
    removing(root, (root / 'lib/a.go').unlink)
    assert told(root)['lib/a.go', 'aim'][2] == 'still called by main (lib/c.go:3); still called by run (lib/b.go:3)?'


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


@pytest.mark.parametrize('far', [False, True])
def test_of_a_type_of_rust_its_methods_are_told_where_it_stays(git_repo, removing, far):
    struct, rest = 'pub struct Buf {\n    x: u8,\n}\n', 'pub fn keep() -> u8 {\n    1\n}\n'
    lid = 'impl Buf {\n    pub fn open_lid(&self) -> u8 {\n        1\n    }\n}\n'
    root = git_repo({'src/buf.rs': f'{struct}\n{lid}\n{rest}'})
    removing(root, lambda: write(root, {'src/buf.rs': rest if far else f'{struct}\n{rest}'}))
    assert set(told(root)) == {('src/buf.rs', 'Buf' if far else 'Buf.open_lid')}


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
    key = Key(old, path_hint('app/tools.py', DEFAULT_MAX_BYTES))
    with Store(find(root).data_dir) as store:
        row = store.known([key])[key]
        assert row.id not in store.with_vectors(load().model_id)
        assert [place.name for place in load_places(store.places(row.id))] == ['keep', 'helper']
    git(root, 'revert', '--no-edit', 'HEAD')
    update(root)  # a tree holds it now, and it gets its vectors
    assert block(root, 'helper').units[0].symbol == 'helper'
    with Store(find(root).data_dir) as store:
        assert row.id in store.with_vectors(load().model_id)


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
    key = Key(old, path_hint('app/tools.py', DEFAULT_MAX_BYTES))
    with Store(find(clone).data_dir) as store:
        assert store.known([key]) == {}
    git(clone, 'checkout', '-q', 'HEAD~1')
    update(clone)
    with Store(find(clone).data_dir) as store:
        assert store.known([key])[key].chunks > 1


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
