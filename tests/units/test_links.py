"""What a definition touches: resolved where the code says what is meant, else guessed; a common name links nothing."""

from __future__ import annotations

import time

import pytest
from helpers_main import settings, write

from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_current
from ctxkit.index.store import Store
from ctxkit.repo import find, status
from ctxkit.repo import resolve as commit_of
from ctxkit.units.link import links


@pytest.fixture
def linked(git_repo):
    """`linked(files, 'path', 'symbol')`: {(relation, path, symbol): resolved} of one definition."""
    made = {}

    def ask(files, path, symbol):
        key = tuple(sorted(files))
        root = made.get(key) or git_repo(files, f'work{len(made)}')
        made[key] = root
        repo = find(root)
        with Store(repo.data_dir) as store:
            corpus: Corpus = open_current(repo, store, settings(), commit_of(repo), status(repo), time.time())
            where = corpus.file(path)
            assert where, path
            chunk = next(one for one in corpus.numbers(*where) if corpus.place(one).symbol == symbol)
            return {
                (link.relation, corpus.path(link.chunk), corpus.place(link.chunk).symbol): link.resolved
                for link in links(corpus, chunk)
            }

    return ask


def test_call_in_the_same_file_is_resolved_both_ways(linked):
    files = {'a.py': 'def helper():\n    return 1\n\n\ndef main():\n    return helper()\n'}
    assert linked(files, 'a.py', 'main') == {('calls', 'a.py', 'helper'): True}
    assert linked(files, 'a.py', 'helper') == {('called by', 'a.py', 'main'): True}


IMPORTS = {
    'from': ('from pack.tools import helper\n', 'helper()'),
    'from as': ('from pack.tools import helper as assist\n', 'assist()'),
    'module': ('import pack.tools\n', 'pack.tools.helper()'),
    'module as': ('import pack.tools as kit\n', 'kit.helper()'),
    'from package': ('from pack import tools\n', 'tools.helper()'),
    'from package as': ('from pack import tools as kit\n', 'kit.helper()'),
    'inside the function': ('', 'later()'),
}


@pytest.mark.parametrize('kind', IMPORTS)
def test_import_is_followed_and_its_alias_too(linked, kind):
    line, call = IMPORTS[kind]
    inner = '    from pack.tools import helper as later\n' if kind == 'inside the function' else ''
    files = {
        'pack/__init__.py': '',
        'pack/tools.py': 'def helper():\n    return 1\n',
        'other/tools.py': 'def helper():\n    return 2\n',
        'app.py': f'{line}\n\ndef main():\n{inner}    return {call}\n',
    }
    assert linked(files, 'app.py', 'main') == {('calls', 'pack/tools.py', 'helper'): True}
    assert linked(files, 'pack/tools.py', 'helper') == {('called by', 'app.py', 'main'): True}
    assert linked(files, 'other/tools.py', 'helper') == {}


@pytest.mark.parametrize(
    ('dots', 'expected'),
    [('.tools', 'pack/sub/tools.py'), ('..tools', 'pack/tools.py'), ('..near.tools', 'pack/near/tools.py')],
)
def test_relative_import_starts_at_the_importing_file(linked, dots, expected):
    places = ('pack/sub/tools.py', 'pack/tools.py', 'pack/near/tools.py')
    files = {
        **{place: f'def helper():\n    return "{place}"\n' for place in places},
        'pack/__init__.py': '',
        'pack/sub/__init__.py': '',
        'pack/near/__init__.py': '',
        'pack/sub/app.py': f'from {dots} import helper\n\n\ndef main():\n    return helper()\n',
    }
    assert linked(files, 'pack/sub/app.py', 'main') == {('calls', expected, 'helper'): True}


def test_re_export_through_a_package_is_followed(linked):
    files = {
        'pack/__init__.py': 'from .deep import helper\nfrom .other import Thing as Renamed\n',
        'pack/deep.py': 'def helper():\n    return 1\n',
        'pack/other.py': 'class Thing:\n    size = 1\n',
        'else/deep.py': 'def helper():\n    return 2\n',
        'app.py': 'import pack\nfrom pack import helper\n\n\ndef main():\n    return helper()\n\n\n'
        'def second():\n    return pack.helper()\n',
    }
    assert linked(files, 'app.py', 'main') == {('calls', 'pack/deep.py', 'helper'): True}
    assert linked(files, 'app.py', 'second') == {('calls', 'pack/deep.py', 'helper'): True}


CLASSES = {
    'base.py': 'class Base:\n    def run(self):\n        return self.step()\n\n'
    '    def step(self):\n        return 1\n\n    def close(self):\n        return 0\n',
    'derived.py': 'from base import Base\n\n\nclass Derived(Base):\n    def step(self):\n        return 2\n\n'
    '    def go(self):\n        self.step()\n        return self.close()\n\n'
    '    def up(self):\n        return super().step()\n',
    'other.py': 'class Other:\n    def step(self):\n        return 3\n\n    def close(self):\n        return 4\n',
}


def test_self_means_the_class_around(linked):
    assert linked(CLASSES, 'base.py', 'Base.run') == {('calls', 'base.py', 'Base.step'): True}


def test_inherited_method_is_found_in_the_base_class(linked):
    assert linked(CLASSES, 'derived.py', 'Derived.go') == {
        ('calls', 'derived.py', 'Derived.step'): True,
        ('calls', 'base.py', 'Base.close'): True,
    }


def test_a_class_whose_base_is_an_attribute_of_the_object_around_is_no_circle(linked):
    files = {
        'common.py': 'class Common:\n    class Base:\n        def outline(self):\n            return 1\n',
        'test_shape.py': 'from common import Common\n\n\nclass TestShape(Common):\n    def test_draw(self):\n'
        '        class Mine(self.Base):\n            def draw(self):\n                return self.outline()\n\n'
        '        return Mine()\n',
    }
    assert linked(files, 'test_shape.py', 'TestShape.test_draw.Mine.draw') == {
        ('calls', 'common.py', 'Common.Base.outline'): False
    }


def test_super_means_the_base_class(linked):
    assert linked(CLASSES, 'derived.py', 'Derived.up') == {('calls', 'base.py', 'Base.step'): True}


def test_base_and_derived_classes_know_each_other(linked):
    assert linked(CLASSES, 'derived.py', 'Derived')[('extends', 'base.py', 'Base')] is True
    assert linked(CLASSES, 'base.py', 'Base')[('extended by', 'derived.py', 'Derived')] is True


def test_constructor_call_links_the_class(linked):
    files = {'a.py': 'class Thing:\n    def __init__(self):\n        self.x = 1\n\n\ndef make():\n    return Thing()\n'}
    assert linked(files, 'a.py', 'make') == {('calls', 'a.py', 'Thing'): True}
    assert linked(files, 'a.py', 'Thing.__init__')[('called by', 'a.py', 'make')] is True


def test_name_alone_is_a_guess(linked):
    files = {
        'a.py': 'def rare_name():\n    return 1\n',
        'b.py': 'def main(thing):\n    return rare_name()\n',
        'c.py': 'class Kind:\n    def special(self):\n        return 1\n',
        'd.py': 'def use(thing):\n    return thing.special()\n',
    }
    assert linked(files, 'b.py', 'main') == {('calls', 'a.py', 'rare_name'): False}
    assert linked(files, 'd.py', 'use') == {('calls', 'c.py', 'Kind.special'): False}


def test_name_with_too_many_definitions_links_nothing(linked):
    files = {
        f'part{number}.py': f'class Part{number}:\n    def get(self):\n        return {number}\n' for number in range(5)
    }
    files['app.py'] = 'def main(thing):\n    return thing.get()\n'
    assert linked(files, 'app.py', 'main') == {}
    assert linked(files, 'part1.py', 'Part1.get') == {}


def test_method_of_the_same_name_is_not_meant_by_a_bare_call(linked):
    files = {'a.py': 'class Thing:\n    def run(self):\n        return 1\n\n\ndef main():\n    return run()\n'}
    assert linked(files, 'a.py', 'main').get(('calls', 'a.py', 'Thing.run')) is not True


def test_module_of_the_standard_library_is_not_a_file_of_the_package(linked):
    files = {
        'pack/__init__.py': '',
        'pack/json/__init__.py': 'import json as _json\n\n\ndef loads(text):\n'
        '    return _json.loads(text)\n\n\ndef dumps(value):\n    return _json.dumps(value)\n',
    }
    assert linked(files, 'pack/json/__init__.py', 'loads') == {}


def test_import_from_elsewhere_links_nothing_here(linked):
    files = {
        'tools.py': 'def connect():\n    return 1\n',
        'app.py': 'from library.client import connect\n\n\ndef main():\n    return connect()\n',
    }
    assert not any(linked(files, 'app.py', 'main').values())


def test_test_is_named_as_such(linked):
    files = {
        'app.py': 'def area(side):\n    return side * side\n',
        'tests/test_app.py': 'from app import area\n\n\ndef test_area():\n    assert area(2) == 4\n',
    }
    assert linked(files, 'app.py', 'area') == {('tested by', 'tests/test_app.py', 'test_area'): True}


def test_section_of_the_documentation_that_shows_it(linked):
    files = {
        'app.py': 'def compute_area(side):\n    return side * side\n',
        'README.md': '# Title\n\nWords.\n\n## Usage\n\nCall `compute_area(3)` for the area.\n',
    }
    assert linked(files, 'app.py', 'compute_area') == {('shown in', 'README.md', 'Title > Usage'): False}


LANGUAGES = {
    'javascript': (
        {
            'lib/tools.js': 'export function helper() { return 1 }\n',
            'app.js': "import { helper as assist } from './lib/tools.js'\nexport function main() { return assist() }\n",
        },
        'app.js',
        'main',
        ('calls', 'lib/tools.js', 'helper'),
    ),
    'typescript': (
        {
            'lib/tools.ts': 'export function helper(): number { return 1 }\n',
            'app.ts': "import * as kit from './lib/tools'\nexport function main() { return kit.helper() }\n",
        },
        'app.ts',
        'main',
        ('calls', 'lib/tools.ts', 'helper'),
    ),
    'go': (
        {
            'go.mod': 'module example.com/app\n',
            'tools/tools.go': 'package tools\n\nfunc Helper() int { return 1 }\n',
            'main.go': 'package main\n\nimport "example.com/app/tools"\n\nfunc Main() int { return tools.Helper() }\n',
        },
        'main.go',
        'Main',
        ('calls', 'tools/tools.go', 'Helper'),
    ),
    'go package': (
        {
            'a.go': 'package main\n\nfunc helper() int { return 1 }\n',
            'b.go': 'package main\n\nfunc Main() int { return helper() }\n',
        },
        'b.go',
        'Main',
        ('calls', 'a.go', 'helper'),
    ),
}


@pytest.mark.parametrize('name', LANGUAGES)
def test_other_languages(linked, name):
    files, path, symbol, expected = LANGUAGES[name]
    assert linked(files, path, symbol).get(expected) is True


def test_links_follow_uncommitted_edits(git_repo):
    root = git_repo({'a.py': 'def helper():\n    return 1\n', 'b.py': 'def main():\n    return 1\n'})
    write(root, {'b.py': 'from a import helper\n\n\ndef main():\n    return helper()\n'})
    repo = find(root)
    with Store(repo.data_dir) as store:
        corpus = open_current(repo, store, settings(), commit_of(repo), status(repo), time.time())
        chunk = next(one for one in corpus.numbers(*corpus.file('b.py')) if corpus.place(one).symbol == 'main')
        assert [(link.relation, corpus.path(link.chunk), link.resolved) for link in links(corpus, chunk)] == [
            ('calls', 'a.py', True)
        ]


def test_class_inside_another_function_is_not_meant(linked):
    files = {
        'a.py': 'def one():\n    class Handle:\n        size = 1\n\n    return Handle()\n\n\n'
        'def two():\n    class Handle:\n        size = 2\n\n    return Handle()\n'
    }
    assert linked(files, 'a.py', 'one').get(('calls', 'a.py', 'one.Handle')) is True
    assert ('calls', 'a.py', 'two.Handle') not in linked(files, 'a.py', 'one')


MEANT = [  # files, where, who, what it is linked to, surely or not, or not at all (None)
    (
        {
            'A.java': 'class A {\n  @Tag\n  int run() { return 1; }\n}\n',
            'B.java': 'class B {\n  enum Tag { ONE { } }\n}\n',
        },
        ('A.java', 'A.run'),
        ('B.java', 'B.Tag', False),
    ),
    (
        {'A.java': 'class A {\n  int run() { return go(); }\n}\nclass B {\n  int go() { return 1; }\n}\n'},
        ('A.java', 'A.run'),
        ('A.java', 'B.go', False),
    ),
    (
        {
            'A.java': 'class A extends B {\n  int run() { return go(); }\n}\n',
            'B.java': 'class B {\n  int go() { return 1; }\n}\n',
        },
        ('A.java', 'A.run'),
        ('B.java', 'B.go', True),
    ),
    (
        {
            'A.cs': 'partial class A {\n  int Run() { return Go(); }\n}\n',
            'B.cs': 'partial class A {\n  int Go() { return 1; }\n}\n',
        },
        ('A.cs', 'A.Run'),
        ('B.cs', 'A.Go', True),
    ),
    (
        {
            'a.rb': "require_relative 'client'\n\ndef run(client)\n  client.go(1)\nend\n",
            'client.rb': 'def go(x)\n  x\nend\n',
        },
        ('a.rb', 'run'),
        ('client.rb', 'go', None),
    ),
    (
        {
            'm.ex': 'defmodule Plug.MIME do\n  def valid(x) do\n    MIME.ext(x)\n  end\n\n'
            '  def ext(x) do\n    x\n  end\nend\n'
        },
        ('m.ex', 'Plug.MIME.valid'),
        ('m.ex', 'Plug.MIME.ext', False),
    ),
    (
        {
            'A.java': 'class A {\n  A() { go(); }\n  void go() { }\n}\n',
            'B.java': 'class B {\n  A give(A it) { return it; }\n}\n',
        },
        ('B.java', 'B.give'),
        ('A.java', 'A', True),
    ),
]


@pytest.mark.parametrize(('files', 'who', 'what'), MEANT)
def test_a_bare_name_means_what_the_class_around_has_or_the_folder_at_top_level(linked, files, who, what):
    path, symbol, sure = what
    found = {(file, name): resolved for (_, file, name), resolved in linked(files, *who).items()}
    assert found.get((path, symbol)) is sure


def test_a_guess_stays_within_languages_that_call_each_other(linked):
    files = {
        'web/mock.js': 'export class Mock {\n  view() {\n    return 1\n  }\n}\nexport function render_page() {}\n',
        'lib/native.c': 'int native_call(void) { return 1; }\n',
        'app.py': 'def show(page):\n    page.view()\n    render_page()\n    return page.native_call()\n',
        'bin/show': '#!/usr/bin/env node\nfunction shown() {\n  return render_page()\n}\n',
    }
    assert linked(files, 'app.py', 'show') == {}
    assert linked(files, 'web/mock.js', 'Mock.view') == {}
    assert linked(files, 'bin/show', 'shown') == {('calls', 'web/mock.js', 'render_page'): False}
    files['app.py'] = 'def show():\n    return native_call()\n'  # C is what the others bind
    assert linked(files | {'b.py': ''}, 'app.py', 'show') == {('calls', 'lib/native.c', 'native_call'): False}


def test_a_bare_call_means_no_method_where_that_needs_an_object(linked):
    files = {
        'docs.php': '<?php\nclass Docs {\n  function redirect() { return 1; }\n}\n',
        'app.php': '<?php\nfunction main() { return redirect("/home"); }\n',
        'Docs.java': 'class Docs {\n  int redirect() { return 1; }\n}\n',
        'App.java': 'class App {\n  int main() { return redirect(); }\n}\n',
    }
    assert linked(files, 'app.php', 'main') == {}
    assert linked(files, 'App.java', 'App.main') == {('calls', 'Docs.java', 'Docs.redirect'): False}  # may be inherited


def test_a_variable_that_is_named_like_a_class_means_it(linked):
    kinds = ('UserRepo', 'ImageRepo', 'PageRepo', 'BookRepo')
    files = {f'{name}.php': f'<?php\nclass {name} {{\n  function find($id) {{ return 1; }}\n}}\n' for name in kinds}
    files['app.php'] = '<?php\nclass App {\n  function main() { return $this->userRepo->find(1); }\n}\n'
    files['use.py'] = 'def use(page_repo):\n    return page_repo.find(1)\n'
    files['repos.py'] = ''.join(f'class {name}:\n    def find(self, key):\n        return 1\n\n\n' for name in kinds)
    assert linked(files, 'app.php', 'App.main') == {('calls', 'UserRepo.php', 'UserRepo.find'): False}
    assert linked(files, 'use.py', 'use') == {('calls', 'repos.py', 'PageRepo.find'): False}


def test_a_variable_of_one_word_can_be_of_another_class_too(linked):
    files = {
        'net.py': ''.join(f'class {name}Client:\n    def get(self):\n        return 1\n\n\n' for name in ('', 'Async'))
    }
    files['use.py'] = 'def use(client):\n    return client.get()\n'
    assert set(linked(files, 'use.py', 'use')) == {('calls', 'net.py', f'{name}Client.get') for name in ('', 'Async')}


@pytest.mark.parametrize(
    ('said', 'shows'),
    [
        ('Rules apply to all, see `rules`.', False),
        ('Applying it.', False),
        ('Run `apply` first.', True),
        ('Call plugin.apply(target).', True),
    ],
)
def test_a_plain_word_in_prose_shows_no_definition(linked, said, shows):
    files = {'app.py': 'def apply(target):\n    return target\n', 'README.md': f'# Title\n\n{said}\n'}
    assert (('shown in', 'README.md', 'Title') in linked(files, 'app.py', 'apply')) is shows


def test_a_base_of_the_module_above_is_no_base_of_what_it_is_in(linked):
    text = """
        pub trait Executor { fn run(&self) -> u8; }
        mod tests {
            struct Fake;
            impl super::Executor for Fake {
                fn run(&self) -> u8 { self.helper() }
            }
        }
    """
    files = {'src/lib.rs': text, 'src/other.rs': 'struct Any;\nimpl Any { fn helper(&self) -> u8 { 1 } }\n'}
    impl = 'tests.impl super::Executor for Fake'
    assert ('extended by', 'src/lib.rs', impl) in linked(files, 'src/lib.rs', 'Executor')
    assert ('calls', 'src/other.rs', 'Any.helper') in linked(files, 'src/lib.rs', 'Fake.run')


def test_a_method_of_an_imported_class_comes_before_a_function_of_its_file(linked):
    method = 'class Parser:\n    @staticmethod\n    def text(value):\n        return text(value)\n'
    kit = f'{method}\n\ndef text(value):\n    return value\n'
    files = {'kit.py': kit, 'use.py': "from kit import Parser\n\n\ndef go():\n    return Parser.text('a')\n"}
    assert linked(files, 'use.py', 'go') == {('calls', 'kit.py', 'Parser.text'): True}


def test_of_several_in_the_callbacks_of_a_file_the_last_before_the_use_is_guessed(linked):
    body = '  class {0} {{\n    size = 1\n  }}\n  function make{1}() {{\n    return new {0}()\n  }}\n'
    once = "it('goes', () => {{\n" + body + '}})\n'
    files = {'a.test.js': once.format('User', 1) + once.format('User', 2)}
    assert linked(files, 'a.test.js', 'make1') == {('calls', 'a.test.js', 'User'): False}
    lines = {'a.ts': 'function f(a: string): void;\nfunction f(a: any) {\n  go()\n}\nfunction use() {\n  f(1)\n}\n'}
    assert linked(lines, 'a.ts', 'use') == {('calls', 'a.ts', 'f'): True}


def test_a_type_of_another_function_is_not_meant(linked):
    one = 'func {0}() {{\n\ttype key struct {{\n\t\tid int\n\t}}\n\tuse(key{{1}})\n}}\n'
    files = {'a.go': 'package a\n\n' + one.format('First') + '\n' + one.format('Second')}
    assert linked(files, 'a.go', 'First') == {('calls', 'a.go', 'First.key'): True}


def test_of_two_modules_with_one_package_the_nearer_is_meant(linked):
    kit = 'package kit\n\nobject Tool {\n  fun make(): Int = 1\n}\n'
    use = 'package app\n\nimport kit.Tool\n\nfun use(): Int {\n  return Tool.make()\n}\n'
    files = {f'{one}/src/main/kit/Tool.kt': kit for one in ('one', 'two')} | {'one/src/main/app/Use.kt': use}
    assert linked(files, 'one/src/main/app/Use.kt', 'use') == {('calls', 'one/src/main/kit/Tool.kt', 'Tool.make'): True}


DOTTED = {  # the import, the file that it means
    './user.service': 'app/user.service.ts',
    './user.service.js': 'app/user.service.ts',
    './user': 'app/user.ts',
    './button': 'app/button.native.ts',
    './types': 'app/types.d.ts',
    './scroll.svelte': 'app/scroll.svelte.ts',
}


@pytest.mark.parametrize('module', DOTTED)
def test_an_import_means_the_file_with_all_of_its_name(linked, module):
    files = dict.fromkeys([*DOTTED.values(), 'app/user.test.ts'], 'export function make() {\n  return 1\n}\n')
    use = f"import {{ make }} from '{module}'\n\nexport function use() {{\n  return make()\n}}\n"
    assert linked({**files, 'app/use.ts': use}, 'app/use.ts', 'use') == {('calls', DOTTED[module], 'make'): True}


def test_a_test_is_called_by_nobody(linked):
    text = """
        class FlowTest {
          @Test fun awaitItem() = run { flow.test { awaitItem() } }
          @Test fun awaitOther() = run { flow.test { awaitItem() } }
        }
    """
    flow = 'class Turbine {\n  fun awaitItem(): Int {\n    return 1\n  }\n}\n'
    files = {'src/test/FlowTest.kt': text, 'src/main/Turbine.kt': flow}
    found = linked(files, 'src/test/FlowTest.kt', 'FlowTest.awaitOther')
    assert found == {('calls', 'src/main/Turbine.kt', 'Turbine.awaitItem'): False}


def test_a_type_that_is_named_calls_no_constructor(linked):
    files = {
        'a.py': 'class Box:\n    def __init__(self, lid):\n        self.lid = lid\n',
        'b.py': 'from a import Box\n\n\ndef make(lid):\n    return Box(lid)\n\n\ndef take(box: Box):\n    print(box)\n',
    }
    assert linked(files, 'a.py', 'Box.__init__') == {('called by', 'b.py', 'make'): True}


def test_an_import_within_one_function_binds_nothing_in_another(linked):
    term = 'def pager():\n    from lib._impl import pager\n\n    return pager()\n\n\ndef page():\n    return pager()\n'
    files = {'lib/_impl.py': 'def pager():\n    return 1\n', 'lib/term.py': term}
    assert linked(files, 'lib/term.py', 'page') == {('calls', 'lib/term.py', 'pager'): True}
    assert linked(files, 'lib/_impl.py', 'pager') == {('called by', 'lib/term.py', 'pager'): True}


def test_an_import_of_a_module_by_its_whole_name_binds_the_package(linked):
    files = {
        'pack/__init__.py': 'from pack.term import pager\n',
        'pack/term.py': 'def pager():\n    return 1\n',
        'pack/_impl.py': 'def pager():\n    return 2\n\n\ndef other():\n    return 3\n',
        'use.py': 'import pack\nimport pack._impl\n\n\ndef use():\n    pack._impl.other()\n    return pack.pager()\n',
    }
    assert linked(files, 'use.py', 'use') == {
        ('calls', 'pack/_impl.py', 'other'): True,
        ('calls', 'pack/term.py', 'pager'): True,
    }


def test_a_type_of_another_source_file_is_not_seen_in_c(linked):
    files = {
        'db/list.h': 'struct List {\n  Order order;\n  int first(Order other) { return order.less(other); }\n};\n',
        'db/list_test.cc': 'struct Order {\n  int less(int a) const {\n    return a < 1;\n  }\n};\n',
    }
    assert not any(
        'list_test' in path for relation, path, _ in linked(files, 'db/list.h', 'List') if relation == 'uses'
    )


def test_a_class_that_is_only_named_as_a_type_is_used_and_not_called(linked):
    files = {
        'a.py': 'class Box:\n    lid = 1\n',
        'b.py': 'from a import Box\n\n\ndef take(box: Box):\n    pass\n\n\ndef both(box: Box):\n    return Box()\n',
    }
    assert linked(files, 'a.py', 'Box') == {('used by', 'b.py', 'take'): True, ('called by', 'b.py', 'both'): True}
