"""Which definition a name means: by scope, class, import and language, surely or as a guess."""

from __future__ import annotations

import pytest


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
        ('m.ex', 'Plug.MIME.ext', None),
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
    body = '  class {0}\n    SIZE = 1\n  end\n\n  def make{1}\n    {0}.new\n    {0}()\n  end\n'
    once = "it 'goes' do\n" + body + 'end\n'
    files = {'a_spec.rb': once.format('User', 1) + once.format('User', 2)}
    assert linked(files, 'a_spec.rb', 'make1') == {('calls', 'a_spec.rb', 'User'): False}
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


NESTED = {
    'a.cs': 'class A {\n  class B {\n    int Run() {\n      return this.Go();\n    }\n  }\n  int Go() { }\n}\n',
    'a.py': 'class A:\n    class B:\n        def Run(self):\n            self.Go()\n\n    def Go(self):\n        1\n',
    'a.rb': 'class A\n  class B\n    def Run\n      self.Go()\n    end\n  end\n\n  def Go\n    1\n  end\nend\n',
}


@pytest.mark.parametrize('name', NESTED)
def test_self_is_no_object_of_the_class_around_its_class(linked, name):
    assert linked({name: NESTED[name]}, name, 'A.B.Run').get(('calls', name, 'A.Go')) is not True


def test_a_function_within_one_overload_is_not_seen_in_another(linked):
    source = (
        'class A {\n  int Run(int n) {\n    return Inner(n);\n  }\n  int Run(string s) {\n    return Inner(1);\n'
        '    int Inner(int n) {\n      return n;\n    }\n  }\n}\n'
    )
    assert linked({'a.cs': source}, 'a.cs', 'A.Run').get(('calls', 'a.cs', 'A.Run.Inner')) is not True
