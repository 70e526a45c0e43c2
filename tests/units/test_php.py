"""Which definition a name of PHP means: by namespaces, `use`s, classes, and the types that the code spells out."""

from __future__ import annotations

import pytest
from helpers_main import opened

from ctxkit.units.php_bindings import bindings, checks
from ctxkit.units.php_text import chain, class_in, element, parameters, types
from ctxkit.units.resolve import resolve

STORE = """\
<?php
namespace Kit\\Store;

use Kit\\Contracts\\{Closes, Reads as CanRead};

/** @mixin Extra */
class Store extends Base implements CanRead, Closes
{
    use Counts, \\Kit\\Store\\Sized;

    /** @var Inner[] */
    private $all = [];
    private Plain $plain;

    public function __construct(protected readonly Inner $inner, Plain $given, private ?CanRead $reader = null)
    {
        $this->untold = $given;
    }

    public static function make(): static
    {
        return new static(new Inner());
    }

    public function with(int $n): self
    {
        return $this;
    }

    public function inner()
    {
        return $this->inner;
    }

    public function close(): void
    {
    }

    /**
     * @template T of object
     * @param class-string<T> $class
     * @return T
     */
    public function get(string $class)
    {
    }
}

class Inner
{
    public function close(): void
    {
    }
}

class Plain
{
    public function close(): void
    {
    }
}

class Extra
{
    public function extra(): void
    {
    }
}

trait Counts
{
    abstract public function based(): Inner;

    public function count(): self
    {
    }
}

trait Sized
{
    public function size(): int
    {
    }
}

abstract class Base
{
    public function based(): Inner
    {
    }

    public function read(): string
    {
    }
}

enum Level
{
    case High;

    public function close(): void
    {
    }
}
"""
CONTRACTS = """\
<?php
namespace Kit\\Contracts;

interface Reads
{
    /** @return list<\\Kit\\Store\\Inner> */
    public function read();
}

interface Closes
{
    public function close(): void;
}
"""
FUNCTIONS = """\
<?php
namespace Kit;

function open(string $path): Store\\Store
{
}

function read(): void
{
}
"""
OTHER = STORE.replace('namespace Kit\\Store;', 'namespace Other;')
GLOBAL = '<?php\nfunction open() {}\nfunction plain() {}\n'
KIT = {
    'lib/Store.php': STORE,
    'lib/contracts.php': CONTRACTS,
    'lib/functions.php': FUNCTIONS,
    'lib/Other.php': OTHER,
    'lib/global.php': GLOBAL,
}
APP = """\
<?php
namespace App;

use Kit\\Contracts\\Closes;
use Kit\\Contracts\\Reads;
use Kit\\Store\\Store as Kept;
use Kit\\Store\\{Inner, Level, Plain};
use Kit\\Store;
use function Kit\\open as opened, Kit\\read;

class App extends Kept
{
    public function run(Closes $it, Kept|null $kept, array $list, mixed $any)
    {
        BODY
    }

    public function close(): void
    {
    }
}
"""


def app(body: str) -> dict[str, str]:
    """The repository with a method that holds these lines."""
    return {**KIT, 'src/App.php': APP.replace('BODY', body.replace('\n', '\n        '))}


S, C, F = 'lib/Store.php', 'lib/contracts.php', 'lib/functions.php'


@pytest.mark.parametrize(
    ('body', 'path', 'symbol', 'sure'),
    [
        ('new Kept();', S, 'Store', True),
        ('new Store\\Inner();', S, 'Inner', True),
        ('new \\Other\\Inner();', 'lib/Other.php', 'Inner', True),
        ('opened("a");', F, 'open', True),
        ('\\Kit\\read();', F, 'read', True),
        ('plain();', 'lib/global.php', 'plain', True),
        ('$it->close();', C, 'Closes.close', True),
        ('$kept->close();', S, 'Store.close', True),
        ('$kept?->with(1)->close();', S, 'Store.close', True),
        ('Kept::make()->close();', S, 'Store.close', True),
        ('(new Kept($a))\n    ->with(2)\n    ->close();', S, 'Store.close', True),
        ('opened("a")->close();', S, 'Store.close', True),
        ('parent::close();', S, 'Store.close', True),
        ('static::make()->close();', 'src/App.php', 'App.close', True),
        ('$this->size();', S, 'Sized.size', True),
        ('$this->count()->close();', 'src/App.php', 'App.close', True),
        ('$this->inner->close();', S, 'Inner.close', True),
        ('$this->inner()->close();', S, 'Inner.close', True),
        ('$this->untold->close();', S, 'Plain.close', True),
        ('$this->based();', S, 'Base.based', True),
        ('$this->read();', S, 'Base.read', True),
        ('$kept->extra();', S, 'Extra.extra', True),
        ('Level::High->close();', S, 'Level.close', True),
        ('$kept->get(Plain::class)->close();', S, 'Plain.close', True),
        ('$made = new Plain();\n$made->close();', S, 'Plain.close', True),
        ('$a = $kept;\n$b = $a->with(1) ?? null;\n$b->close();', S, 'Store.close', True),
        ('foreach ($kept->read() as $one) {\n    $one->based();\n}\n$any->close();', S, 'Inner.close', None),
        ('/** @var Inner $one */\nforeach ($list as $one) {\n    $one->close();\n}', S, 'Inner.close', True),
        ('/** @var Inner $one */\n[$one, $two] = $list;\n$one->close();', S, 'Inner.close', True),
        ('array_map(function (Inner $one) {\n    $one->close();\n}, $list);', S, 'Inner.close', True),
        ('array_map(fn (Inner $one) => $one->close(), $list);', S, 'Inner.close', True),
        ('try {\n} catch (Plain $e) {\n    $e->close();\n}', S, 'Plain.close', True),
        ('if ($any instanceof Plain) {\n    $any->close();\n}', S, 'Plain.close', True),
        ('if (!$any instanceof Plain) {\n    return;\n}\n$any->close();', S, 'Plain.close', True),
        ('$ok = $any instanceof Plain && $any->close();', S, 'Plain.close', True),
        ('#[Inner(1)]\nfunction named() {}', S, 'Inner', None),
        ('$a = new Plain();\n$f = fn (Inner $a) => $a->based();\n$a->close();', S, 'Plain.close', True),
        ('$a = new Plain();\n// $a = new Inner();\n$a->close();', S, 'Plain.close', True),
        ('$a = new Plain();\n/*\n$a = new Inner();\n*/\n$a->close();', S, 'Plain.close', True),
        ('$a = new Plain();\n$s = <<<X\n$a = new Inner();\nX;\n$a->close();', S, 'Plain.close', True),
        ('$a = new Plain();\nforeach ($list as $one) {\n    $a->close();\n}\n$a = $any;', S, 'Plain.close', True),
        ("$a = new Plain();\n$n = foo('}');\n// a}\n$a->close();", S, 'Plain.close', True),
        ('if (!$a = Kept::make()) {\n    $n = 1;\n}\n$a->close();', S, 'Store.close', True),
        ('$a = new Plain(function ($a) {\n    return 1;\n});\n$a->close();', S, 'Plain.close', True),
        ('if ($any) {\n    $n = 1;\n}\n$a = new Plain();\nif ($any) {\n}\n$a->close();', S, 'Plain.close', True),
    ],
)
def test_a_call_means_what_the_namespace_or_the_type_leads_to(linked, body, path, symbol, sure):
    assert linked(app(body), 'src/App.php', 'App.run').get(('calls', path, symbol)) is sure


@pytest.mark.parametrize(
    'body',
    [
        '$any->close();',
        'if ($kept instanceof Plain) {\n} else {\n    $kept->close();\n}',
        'if ($list) {\n    $a = new Plain();\n} else {\n    $a = new Inner();\n}\n$a->close();',
        '$kept ??= new Plain();\n$kept->close();',
        '$a = $list ? new Plain() : new Inner();\n$a->close();',
        '$a = new class extends Plain { public function close(): void {} };\n$a->close();',
        '$a = new Plain();\nif ($any) $a = new Inner();\n$a->close();',
        '$a = new Plain();\nif ($any)\n$a = new Inner();\n$a->close();',
        '$a = new Plain();\nif ($any) { $a = new Inner(); }\n$a->close();',
        '$a = new Plain();\nif ($any) {\n$n = 1;\n$a = new Inner();\n}\n$a->close();',
        '$a = new Plain();\nif ($any):\n$a = new Inner();\nendif;\n$a->close();',
        '$a = new Plain();\n$any && $a = new Inner();\n$a->close();',
        '$a = new Plain();\n$f = function () { $a = new Inner(); };\n$a->close();',
        '$a = new Plain();\nwhile ($any) {\n    $a->close();\n    $a = new Inner();\n}',
        '$a = new Plain();\nforeach ($list as [$a, $b]) {\n    $a->close();\n}',
        '$a = new Plain();\nforeach ($list as $n => list($a, $b)) {\n    $a->close();\n}',
        "$a = new Plain();\n['a' => $a, 'b' => [$b]] = $list;\n$a->close();",
        '$a = new Plain();\nglobal $b, $a;\n$a->close();',
        '$a = new Plain();\nextract($list);\n$a->close();',
        '$a = new Plain();\n$$any = new Inner();\n$a->close();',
        '/** @var Plain $b */\n$a = $any;\n$a->close();',
        '$n = $any instanceof Plain ? 1 : $any->close();',
    ],
)
def test_what_the_code_does_not_say_is_no_sure_call(linked, body):
    found = linked(app(body), 'src/App.php', 'App.run')
    assert not [symbol for (relation, _, symbol), sure in found.items() if sure and symbol.endswith('.close')]


def test_a_method_of_a_class_of_somebody_else_is_none_of_the_tree(linked):
    found = linked(app('$logger = new \\Psr\\Logger();\n$logger->extra();\nnew Sized();'), 'src/App.php', 'App.run')
    assert not [symbol for _, _, symbol in found if symbol in ('Extra.extra', 'Sized')]


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


ODD = (
    '(',
    '[{(',
    '<',
    ' ',
    '$a->',
    '$a[',
    "'",
    '/** @var ',
    '#[A]',
    'static ',
    '$a instanceof ',
    'foreach (',
    '?',
    'fn ',
    "'\\",
    '$x = 1; ',
    'static $x ',
    '<<<X\n',
    '?>',
)


@pytest.mark.parametrize('text', ODD)
def test_odd_text_is_read_in_time(text):
    code = f'function {text * 4000} $x = 1; foreach ($a {text * 4000} as $b) {{\n}}\n' + f'\n{text * 3}' * 3000
    assert bindings(code, 1, f'/** @param {text * 4000} $a */') is not None
    assert checks(f'if ($x instanceof Y) {{{text * 4000}', 1)
    for one in range(0, 200, 7):
        chain(f'$a{text * 4000}', 0)
        chain(code, one)
    assert len(list(types(text * 4000))) < 5000
    assert element(text * 4000) is not None
    assert class_in(text * 4000) is not None
    assert parameters(f'{text * 4000}, {text * 4000} $x') is not None
