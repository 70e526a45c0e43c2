"""Which definition a name of C# means: types by namespaces and type parameters, methods by their arguments."""

from __future__ import annotations

import pytest
from helpers_main import opened

from ctxkit.units.link import links

KIT = {
    'kit/Box.cs': 'namespace Kit.Core;\n\npublic class Box\n{\n    public static int Make(int n) => n;\n\n'
    '    public static int Make(int n, string s = "", params int[] rest) => n;\n}\n',
    'kit/BoxOf.cs': 'namespace Kit.Core;\n\npublic class Box<T>\n{\n    public T Item;\n}\n',
    'kit/Tag.cs': 'namespace Kit.Core;\n\npublic class TagAttribute : System.Attribute\n{\n    public int Size;\n}\n',
    'kit/Scale.cs': 'namespace Kit.Core;\n\nstatic class Scale\n{\n    static int Weigh(int n) { return n; }\n}\n',
    'other/Box.cs': 'namespace Other;\n\npublic class Box\n{\n    public int Size;\n}\n',
    'part/Wide.cs': 'namespace Kit.Core;\n\npublic partial class Wide\n{\n    public int Size;\n}\n',
    'part/Wide.More.cs': 'namespace Kit.Core;\n\npublic partial class Wide\n{\n    int Depth() { return 1; }\n}\n',
}
BOX, BOX_OF, MAKE = ('kit/Box.cs', 'Box'), ('kit/BoxOf.cs', 'Box'), ('kit/Box.cs', 'Box.Make')


def app(body, head='using Kit.Core;', members='', mark='', space='namespace App;'):
    return {
        **KIT,
        'app/App.cs': f'{head}\n{space}\n\npublic class Program\n{{\n    {members}\n    {mark}\n'
        f'    public int Run(int a)\n    {{\n        {body}\n    }}\n}}\n',
    }


MEANT = [  # files, what App.Run calls, surely or not, or not at all (None)
    (app('var b = new Box();'), BOX, True),
    (app('var b = new Box();'), BOX_OF, None),
    (app('var b = new Box<int>();'), BOX_OF, True),
    (app('var b = new Box<int, int>();'), BOX_OF, None),
    (app('var b = new Box();', 'using Other;'), ('other/Box.cs', 'Box'), True),
    (app('var b = new Box();', ''), BOX, False),
    (app('var b = new Box();', '', space='namespace Kit.Core.Web;'), BOX, True),
    (app('var b = new Kit.Core.Box();', ''), BOX, True),
    (app('return Box.Make(1, "a, b");'), MAKE, True),
    (app('return Box.Make(new[] { 1, 2 });'), MAKE, False),
    (app('return Box.Make(1);', members='Thing Box { get; }'), MAKE, False),
    (app('return Box(1);'), BOX, None),
    (app('return Weigh(1);', 'using static Kit.Core.Scale;'), ('kit/Scale.cs', 'Scale.Weigh'), True),
    (app('return Weigh(1);', 'using Kit.Core;'), ('kit/Scale.cs', 'Scale.Weigh'), False),
    (app('return Tag(1);', mark='[Tag]'), ('kit/Tag.cs', 'TagAttribute'), True),
    (app('var w = new Wide();'), ('part/Wide.cs', 'Wide'), True),
    (app('Box = new Box { Size = 1 };'), BOX, True),
    (
        {**app('var b = new Box();', ''), 'app/GlobalUsings.cs': 'global using Kit.Core;\n'},
        BOX,
        True,
    ),
]


@pytest.mark.parametrize(('files', 'what', 'sure'), MEANT)
def test_a_type_is_the_one_in_sight_with_as_many_type_parameters(linked, files, what, sure):
    assert linked(files, 'app/App.cs', 'Program.Run').get(('calls', *what)) is sure


def test_new_makes_no_method_of_the_name(linked):
    found = linked(app('Box = new Box();', members='public int Box() { return 1; }'), 'app/App.cs', 'Program.Run')
    assert ('calls', 'app/App.cs', 'Program.Box') not in found and found[('calls', *BOX)] is True


def test_of_overloads_the_one_that_takes_the_arguments_is_called(git_repo):
    source = (
        'class A {\n  int Run() {\n    return Go(1, (x, y) => x);\n  }\n  int Go(int a) {\n    return a;\n  }\n'
        '  int Go(int a, System.Func<int, int> f) {\n    return a;\n  }\n  int Go() {\n    return 1;\n  }\n}\n'
    )
    with opened(git_repo({'a.cs': source})) as corpus:
        run = next(one for one in corpus.numbers(*corpus.file('a.cs')) if corpus.place(one).symbol == 'A.Run')
        found = [(corpus.place(one.chunk).line, one.resolved) for one in links(corpus, run)]
    assert found == [(8, True)]


def test_a_method_of_a_base_in_another_namespace_is_inherited(linked):
    files = {
        'kit/Base.cs': 'namespace Kit.Core\n{\n    public class Base\n    {\n        protected int Step(int n)\n'
        '        {\n            return n;\n        }\n    }\n}\n',
        'app/A.cs': 'using Kit.Core;\n\nclass A : Base\n{\n    int Run()\n    {\n        return Step(1);\n    }\n}\n',
    }
    assert linked(files, 'app/A.cs', 'A.Run')[('calls', 'kit/Base.cs', 'Base.Step')] is True


def test_bases_that_are_each_other_come_to_an_end(linked):
    files = {
        'a.cs': 'class A : B\n{\n    int Run()\n    {\n        return Step(1);\n    }\n}\n\nclass B : A\n{\n}\n',
        'b.cs': 'class C\n{\n    int Step(int n)\n    {\n        return n;\n    }\n}\n',
    }
    assert linked(files, 'a.cs', 'A.Run').get(('calls', 'b.cs', 'C.Step')) is not True


def test_a_method_that_lost_its_class_to_a_syntax_error_is_not_meant_in_the_folder(linked):
    files = {
        'a.cs': 'class A\n{\n    int Run()\n    {\n        return Go(1);\n    }\n}\n',
        'b.cs': 'int Go(int n)\n{\n    return n;\n}\n',
    }
    assert linked(files, 'a.cs', 'A.Run').get(('calls', 'b.cs', 'Go')) is not True
