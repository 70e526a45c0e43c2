"""Which definition a name of PHP means: by namespaces, `use`s, classes, and the types that the code spells out."""

from __future__ import annotations

import pytest

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
