"""What a definition touches: resolved where the code says what is meant, else guessed; a common name links nothing."""

from __future__ import annotations

import pytest
from helpers_main import block, opened, write

from ctxkit.units.link import links


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


@pytest.mark.usefixtures('quick')
def test_classes_that_share_all_their_bases_are_each_looked_at_once(linked):
    def of(level, number):
        bases = ', '.join(f'L{level + 1}x{other}' for other in range(12)) if level < 6 else 'object'
        return f'class L{level}x{number}({bases}):\n    def own{level}x{number}(self):\n        return 1\n'

    classes = '\n'.join(of(level, number) for level in range(6, -1, -1) for number in range(12))
    main = 'class Main(L0x0):\n    def go(self):\n        return self.own4x3() + self.missing()\n'
    files = {
        'deep.py': f'{classes}\n{main}',
        'other.py': 'class Other:\n    def missing(self):\n        return 1\n',
    }
    assert linked(files, 'deep.py', 'Main.go') == {
        ('calls', 'deep.py', 'L4x3.own4x3'): True,
        ('calls', 'other.py', 'Other.missing'): False,
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
    with opened(root) as corpus:
        chunk = next(one for one in corpus.numbers(*corpus.file('b.py')) if corpus.place(one).symbol == 'main')
        assert [(link.relation, corpus.path(link.chunk), link.resolved) for link in links(corpus, chunk)] == [
            ('calls', 'a.py', True)
        ]


def test_a_type_that_is_named_calls_no_constructor(linked):
    files = {
        'a.py': 'class Box:\n    def __init__(self, lid):\n        self.lid = lid\n',
        'b.py': 'from a import Box\n\n\ndef make(lid):\n    return Box(lid)\n\n\ndef take(box: Box):\n    print(box)\n',
    }
    assert linked(files, 'a.py', 'Box.__init__') == {('called by', 'b.py', 'make'): True}


def test_a_class_that_is_only_named_as_a_type_is_used_and_not_called(linked):
    files = {
        'a.py': 'class Box:\n    lid = 1\n',
        'b.py': 'from a import Box\n\n\ndef take(box: Box):\n    pass\n\n\ndef both(box: Box):\n    return Box()\n',
    }
    assert linked(files, 'a.py', 'Box') == {('used by', 'b.py', 'take'): True, ('called by', 'b.py', 'both'): True}


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


def test_many_calls_leave_room_for_callers_tests_and_documentation(git_repo):
    parts = ''.join(f'def part{number}():\n    return {number}\n\n\n' for number in range(9))
    whole = 'def whole():\n    return ' + ' + '.join(f'part{number}()' for number in range(9)) + '\n'
    root = git_repo(
        {
            'app.py': 'from parts import *\n\n\n' + whole,
            'parts.py': parts,
            'main.py': 'from app import whole\n\n\ndef main():\n    print(whole())\n',
            'tests/test_app.py': 'from app import whole\n\n\ndef test_whole():\n    assert whole()\n',
            'README.md': '# Parts\n\n`whole()` adds all parts.\n',
        }
    )
    for query in ('whole', ''):
        (unit,) = [unit for unit in block(root, query=query).units if unit.symbol == 'whole']
        shown = [link.partition(' (')[0] for link in unit.related.split('; ')]
        assert shown[-3:] == ['called by main', 'tested by test_whole', 'shown in Parts']
        assert [name.startswith('calls part') for name in shown] == [True] * 3 + [False] * 3
