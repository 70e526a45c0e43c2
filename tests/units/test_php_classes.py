"""What classes, traits, types and namespaces of PHP lead a call to, each in a small tree."""

from __future__ import annotations

import pytest
from helpers_main import opened

from ctxkit.units.resolve import resolve


def test_two_traits_with_one_method_make_a_guess(linked):
    files = {
        'a.php': '<?php\ntrait A {\n  function go() {}\n}\ntrait B {\n  function go() {}\n}\n'
        'class C {\n  use A, B { B::go insteadof A; }\n  function run() { $this->go(); }\n}\n'
    }
    assert True not in linked(files, 'a.php', 'C.run').values()


def test_what_a_trait_has_from_another_one_comes_before_the_parent(linked):
    files = {
        'a.php': '<?php\ntrait A {\n  function go() {}\n}\ntrait B {\n  use A;\n}\nclass P {\n  function go() {}\n}\n'
        'class C extends P {\n  use B;\n  function run() { $this->go(); }\n}\n'
    }
    assert linked(files, 'a.php', 'C.run')[('calls', 'a.php', 'A.go')] is True


def test_a_call_of_what_a_call_gives_is_none_of_another_in_its_line(git_repo):
    files = {
        'a.php': '<?php\nclass A {\n  function go() {}\n}\nclass B {\n  function go() {}\n}\n'
        'function run(A $a) {\n  $a->go(); ($a->f)()->go();\n}\n'
    }
    with opened(git_repo(files)) as corpus:
        chunk = next(one for one in corpus.defining('run'))
        calls = [one for one in corpus.references(chunk) if one.name == 'go']
        assert [(one.qualifier, resolve(corpus, chunk, one)[1]) for one in calls] == [('a', True), ('?', False)]


def test_each_of_two_classes_of_one_name_has_its_own_methods(linked):
    files = {
        'a.php': '<?php\nif (!class_exists("A")) {\n  class A {\n    function go() {}\n  }\n} else {\n'
        '  class A {\n    function go() {}\n  }\n}\nfunction run(A $a) {\n  $a->go();\n}\n'
    }
    assert True not in linked(files, 'a.php', 'run').values()


def test_the_case_of_a_method_does_not_matter(linked):
    files = {
        'a.php': '<?php\nclass A {\n  function go() {}\n}\nclass B extends A {\n  function GO() {}\n}\n'
        'function run(B $b) {\n  $b->go();\n}\n'
    }
    assert linked(files, 'a.php', 'run')[('calls', 'a.php', 'B.GO')] is True


def test_the_declared_type_counts_where_the_comment_says_another(linked):
    files = {
        'a.php': '<?php\nclass A {\n  function go() {}\n}\nclass B {\n  function go() {}\n}\nclass C extends B {\n'
        '  function go() {}\n}\n/** @param A $b\n * @param C $c */\nfunction run(B $b, B $c) {\n  $b->go();\n'
        '  $c->go();\n}\n'
    }
    found = {symbol for (_, _, symbol), sure in linked(files, 'a.php', 'run').items() if sure}
    assert {'B.go', 'C.go'} <= found and 'A.go' not in found


def test_a_property_that_is_set_in_two_places_is_no_sure_type(linked):
    files = {
        'a.php': '<?php\nclass A {\n  function go() {}\n}\nclass B {\n  private $a;\n  function __construct(A $a) {\n'
        '    $this->a = $a;\n  }\n  function set($a) {\n    $this->a = $a;\n  }\n  function run() {\n'
        '    $this->a->go();\n  }\n}\n'
    }
    assert linked(files, 'a.php', 'B.run')[('calls', 'a.php', 'A.go')] is False


@pytest.mark.parametrize(
    'begin',
    [
        '\ufeff<?php namespace N;\n',
        '<?php /* a */ namespace N;\n',
        '<?php\r\ndeclare(strict_types=1); NAMESPACE N;\r\n',
    ],
)
def test_a_namespace_is_found_wherever_a_file_may_say_it(linked, begin):
    files = {
        'a.php': f'{begin}class A {{}}\n',
        'b.php': '<?php\nfunction run() {\n  new A();\n}\n',
        'c.php': '<?php\nfunction run() {\n  new N\\A();\n}\n',
    }
    assert True not in linked(files, 'b.php', 'run').values()
    assert linked(files, 'c.php', 'run')[('calls', 'a.php', 'A')] is True


def test_a_text_that_holds_code_has_no_namespace(linked):
    files = {
        'a.php': "<?php\nnamespace Mine;\nclass A {\n  function run() {\n    $code = <<<'X'\nnamespace Other;\nX;\n"
        '    new B();\n  }\n}\nclass B {}\n'
    }
    assert linked(files, 'a.php', 'A.run')[('calls', 'a.php', 'B')] is True


def test_code_that_goes_in_circles_comes_to_an_end(linked):
    circle = ''.join(f'class C{n} extends C{(n + 1) % 30} implements I{n} {{ use T; }}\n' for n in range(30))
    variables = ''.join(f'  $v{n} = $v{(n * 7 + 1) % 50}->m{n}($v{n}->n()) ?? $v{(n + 3) % 50};\n' for n in range(50))
    nested = ''.join(f'  $f{n} = function () use ($v1) {{\n' for n in range(40)) + '  $v1->go();\n' + '  };\n' * 40
    files = {
        'a.php': f'<?php\ntrait T {{ use T; function go() {{}} }}\n{circle}function run($v0) {{\n{variables * 6}'
        + '  $v1->go()->go(); ' * 150
        + f'\n{nested}}}\n'
        + 'class Z {\n  public $x;\n  function __construct() { $this->x = $this->x->go() ?? $this->n(); }\n'
        + '  function go() { return $this->x->go(); }\n  function n() { return $this->n()->go(); }\n}\n'
    }
    assert ('calls', 'a.php', 'T.go') in linked(files, 'a.php', 'run')
    assert linked(files, 'a.php', 'Z.go')
