"""Which definition a name of Elixir means: modules have one name everywhere, functions differ by arguments."""

from __future__ import annotations

import pytest
from helpers_main import opened

from ctxkit.units.link import links

KIT = {
    'lib/kit/file.ex': 'defmodule Kit.File do\n  def read(path) do\n    path\n  end\n\n'
    '  def read(path, mode) do\n    {path, mode}\n  end\n\n  defp hide(path) do\n    path\n  end\nend\n',
    'lib/kit/web.ex': 'defmodule Kit.Web do\n  defmacro __using__(_) do\n    quote do\n'
    '      import Kit.File\n    end\n  end\nend\n',
    'lib/other.ex': 'defmodule Other.File do\n  def read(path) do\n    path\n  end\nend\n',
}
ONE, TWO = ('lib/kit/file.ex', 2), ('lib/kit/file.ex', 6)


@pytest.fixture
def called(git_repo):
    """`called(head, call)`: {(path, line): sure} of what a function calls whose module begins with `head`."""

    def ask(head, call, more=''):
        source = f'defmodule App do\n  {head}\n\n  def run(a, b) do\n    {call}\n  end\n{more}end\n'
        root = git_repo({**KIT, 'lib/app.ex': source}, f'work{abs(hash((head, call, more)))}')
        with opened(root) as corpus:
            where = corpus.file('lib/app.ex')
            chunk = next(one for one in corpus.numbers(*where) if corpus.place(one).symbol == 'App.run')
            found = [one for one in links(corpus, chunk) if one.relation == 'calls']
            return {(corpus.path(one.chunk), corpus.place(one.chunk).line): one.resolved for one in found}

    return ask


MEANT = [  # the head of the module, the call, what it means
    ('', 'Kit.File.read(a)', ONE),
    ('', 'a |> Kit.File.read()', ONE),
    ('', 'Kit.File.read(a, fn x, y -> {x, y} end)', TWO),
    ('', 'Kit.File.read(a, mode: b, size: 1)', TWO),
    ('', 'Enum.map(a, &Kit.File.read/2)', TWO),
    ('alias Kit.File', 'File.read("a, b")', ONE),
    ('alias Kit.File, as: Disk', 'Disk.read(a) # and, more', ONE),
    ('alias Kit.{File, Web}', 'File.read(a, valid?(b))', TWO),
    ('alias Kit, as: Tools\n  alias Tools.File', 'File.read(a)', ONE),
    ('import Kit.File', 'read(a)', ONE),
    ('import Kit.File, only: [read: 2]', 'read(a, b)', TWO),
    ('use Kit.Web', 'read(a, b)', TWO),
    ('alias __MODULE__', 'App.more(a)', ('lib/app.ex', 8)),
    ('', '__MODULE__.more(a)', ('lib/app.ex', 8)),
]


@pytest.mark.parametrize(('head', 'call', 'meant'), MEANT)
def test_a_call_means_the_function_of_the_module_that_takes_as_many_arguments(called, head, call, meant):
    assert called(head, call, '\n  def more(a) do\n    a\n  end\n') == {meant: True}


@pytest.mark.parametrize(
    ('head', 'call'),
    [
        ('', 'File.read(a)'),
        ('import Kit.File, except: [read: 1]', 'File.read(a)'),
        ('import Kit.File', 'File.read(a)'),
        ('', 'Kit.File.hide(a)'),
        ('', 'a.read'),
        ('', ':read.read(a)'),
        ('@read 5', '@read'),
    ],
)
def test_a_call_of_what_is_not_of_the_tree_means_nothing(called, head, call):
    assert called(head, call) == {}


def test_what_the_module_has_with_other_arguments_is_not_meant(called):
    own = '\n  def read(a, b, c) do\n    {a, b, c}\n  end\n\n  def inspect(a, b) do\n    {a, b}\n  end\n'
    assert called('import Kit.File', 'read(a)', own) == {ONE: True}
    assert called('import Kit.File', 'inspect(a)', own) == {}
    assert called('import Kit.File', 'read(a, b, 1)', own) == {('lib/app.ex', 8): True}


def test_a_type_is_no_call(called):
    assert (
        called('import Kit.File', 'a\n  end\n\n  @spec more(read(term)) :: read(term, term)\n  def more(a) do\n    a')
        == {}
    )


def test_each_clause_of_a_function_knows_its_callers(git_repo):
    source = (
        'defmodule A do\n  def run(x) do\n    step(x, 1)\n  end\n\n  defp step(:a, n) do\n    n\n  end\n\n'
        '  defp step(:b, n) do\n    -n\n  end\n\n  defp step(n) do\n    n\n  end\nend\n'
    )
    with opened(git_repo({'a.ex': source})) as corpus:
        clauses = [one for one in corpus.numbers(*corpus.file('a.ex')) if corpus.place(one).symbol == 'A.step']
        callers = [[one.relation for one in links(corpus, clause)] for clause in clauses]
    assert callers == [['called by'], ['called by'], []]


def test_a_nested_module_is_no_other_one_of_the_last_name(linked):
    files = {
        'a.ex': 'defmodule Kit.A do\n  defmodule Track do\n    def go(x) do\n      Kit.Track.go(x)\n    end\n  end\n\n'
        '  def run(x) do\n    Track.go(x)\n  end\nend\n',
    }
    assert linked(files, 'a.ex', 'Kit.A.run')[('calls', 'a.ex', 'Kit.A.Track.go')] is True
    assert not [one for one in linked(files, 'a.ex', 'Kit.A.Track.go') if one[0] == 'calls']


def test_aliases_of_each_other_come_to_an_end(called):
    assert called('alias Two.One\n  alias One.Two', 'One.read(a)') == {}
