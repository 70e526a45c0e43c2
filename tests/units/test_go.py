"""Which definition a name of Go means: packages are folders, and the types of variables stand in the code."""

from __future__ import annotations

import pytest

MODULE = {
    'go.mod': 'module example.org/app\n\ngo 1.21\n',
    'api/a.go': 'package api\n\nfunc Open(n int) int {\n\treturn n\n}\n',
    'api/b.go': 'package api\n\ntype Client struct {\n\tBase\n\tsize int\n}\n\n'
    'func (c *Client) Do(n int) int {\n\treturn c.check(n)\n}\n',
    'api/c.go': 'package api\n\ntype Base struct {\n\tid int\n}\n\nfunc (b Base) Close() int {\n\treturn b.id\n}\n\n'
    'func (c *Client) check(n int) int {\n\treturn n\n}\n',
    'other/o.go': 'package other\n\nfunc Open(n int) int {\n\treturn n\n}\n\ntype Client struct {\n\tid int\n}\n\n'
    'func (c *Client) Do(n int) int {\n\treturn n\n}\n\nfunc (c *Client) check(n int) int {\n\treturn n\n}\n',
}


def using(import_, body, given=''):
    return {**MODULE, 'cmd/m.go': f'package main\n\nimport {import_}\n\nfunc run({given}) int {{\n\t{body}\n}}\n'}


FAR = '"github.com/far/away/api"'
CALLS = [  # files, who in cmd/m.go, what it calls, surely or not, or not at all (None)
    (using('"example.org/app/api"', 'return api.Open(1)'), ('api/a.go', 'Open'), True),
    (using(FAR, 'return api.Open(1)'), ('api/a.go', 'Open'), None),
    (using('a "example.org/app/api"', 'return a.Open(1)'), ('api/a.go', 'Open'), True),
    (using('. "example.org/app/api"', 'return Open(1)'), ('api/a.go', 'Open'), True),
    (using('"fmt"', 'return Open(1)'), ('api/a.go', 'Open'), None),
    (using('"example.org/app/api"', 'return c.Do(1)', 'c *api.Client'), ('api/b.go', 'Client.Do'), True),
    (using('"example.org/app/api"', 'c := &api.Client{}\n\treturn c.Do(1)'), ('api/b.go', 'Client.Do'), True),
    (using('"example.org/app/api"', 'var c api.Client\n\treturn c.Close()'), ('api/c.go', 'Base.Close'), True),
    (using('"example.org/app/api"', 'c := api.Get()\n\treturn c.Do(1)'), ('api/b.go', 'Client.Do'), False),
    (using(FAR, 'return c.Do(1)', 'c *api.Client'), ('api/b.go', 'Client.Do'), None),
    (using('"example.org/app/api"', 'return api.Default.Do(1)'), ('api/b.go', 'Client.Do'), False),
    (
        using('"example.org/app/api"', 'c := &api.Client{}\n\tfor c := range all() {\n\t\tc.Do(1)\n\t}\n\treturn 1'),
        ('api/b.go', 'Client.Do'),
        False,
    ),
]


@pytest.mark.parametrize(('files', 'what', 'sure'), CALLS)
def test_a_call_means_what_the_imported_package_or_the_type_of_the_variable_has(linked, files, what, sure):
    assert linked(files, 'cmd/m.go', 'run').get(('calls', *what)) is sure


def test_a_method_of_the_own_type_may_stand_in_another_file_of_the_package(linked):
    found = linked(MODULE, 'api/b.go', 'Client.Do')
    assert found[('calls', 'api/c.go', 'Client.check')] is True
    assert ('calls', 'other/o.go', 'Client.check') not in found


def test_an_import_of_the_standard_library_is_no_package_that_is_vendored(linked):
    files = using('"errors"', 'return errors.New(1)') | {
        'vendor/github.com/far/errors/e.go': 'package errors\n\nfunc New(n int) int {\n\treturn n\n}\n'
    }
    assert not [one for one in linked(files, 'cmd/m.go', 'run') if one[0] == 'calls']


def test_of_files_for_several_systems_that_of_the_same_is_meant_and_else_all_may_be(linked):
    files = {
        'a/p_unix.go': 'package a\n\nfunc flush(n int) int {\n\treturn n\n}\n',
        'a/p_windows.go': 'package a\n\nfunc flush(n int) int {\n\treturn n + 1\n}\n',
        'a/q_unix.go': 'package a\n\nfunc onUnix(n int) int {\n\treturn flush(n)\n}\n',
        'a/any.go': 'package a\n\nfunc onAny(n int) int {\n\treturn flush(n)\n}\n',
    }
    assert linked(files, 'a/q_unix.go', 'onUnix') == {('calls', 'a/p_unix.go', 'flush'): True}
    both = {('calls', 'a/p_unix.go', 'flush'): False, ('calls', 'a/p_windows.go', 'flush'): False}
    assert linked(files, 'a/any.go', 'onAny') == both


def test_what_a_test_defines_is_not_meant_by_what_is_none(linked):
    files = {
        'a/x.go': 'package a\n\nfunc run(n int) int {\n\treturn help(n)\n}\n',
        'a/x_test.go': 'package a\n\nfunc help(n int) int {\n\treturn run(n)\n}\n',
    }
    assert linked(files, 'a/x.go', 'run') == {('tested by', 'a/x_test.go', 'help'): True}


def test_types_that_embed_what_looks_like_a_part_of_each_other_have_no_end_of_bases_to_look_through(linked):
    types = (
        'package m\n\ntype A struct {\n\tB.C\n}\n\ntype B struct {\n\tA.X\n}\n\ntype C struct{}\n\ntype X struct{}\n'
    )
    other = 'type O struct{}\n\nfunc (o O) Run() {\n}\n'
    files = {'go.mod': 'module m\n', 'm.go': f'{types}\nfunc use(a A) {{\n\ta.Run()\n}}\n\n{other}'}
    assert linked(files, 'm.go', 'use')[('calls', 'm.go', 'O.Run')] is False


def test_type_that_embeds_one_of_itself_is_no_circle(linked):
    files = {
        'go.mod': MODULE['go.mod'],
        'a.go': 'package a\n\ntype A struct {\n\tA.B\n}\n\ntype B struct {\n\tid int\n}\n\n'
        'func (b B) Run() int {\n\treturn b.id\n}\n\nfunc run(a A) int {\n\treturn a.Run()\n}\n',
    }
    assert linked(files, 'a.go', 'run')[('calls', 'a.go', 'B.Run')] is False


@pytest.mark.usefixtures('quick')
def test_interfaces_that_embed_the_same_ones_are_each_looked_at_once(linked):
    def of(level, number):
        inner = ''.join(f'\tL{level + 1}x{other}\n' for other in range(12))
        return f'type L{level}x{number} interface {{\n{inner}\tOwn{level}x{number}()\n}}\n'

    types = '\n'.join(of(level, number) for level in range(7) for number in range(12))
    calls = 'func run(a L0x0) {\n\ta.Own3x3()\n\ta.Missing()\n}\n\nfunc (z Zed) Missing() {\n}\n'
    files = {'go.mod': MODULE['go.mod'], 'a.go': f'package a\n\n{types}\n{calls}'}
    assert linked(files, 'a.go', 'run')[('calls', 'a.go', 'Zed.Missing')] is False


def test_of_two_modules_of_one_name_the_one_around_the_file_is_meant(linked):
    files = {}
    for top in ('testdata/one', 'testdata/two'):
        files |= {
            f'{top}/go.mod': 'module trial\n',
            f'{top}/api/a.go': 'package api\n\nfunc Open() int {\n\treturn 1\n}\n',
            f'{top}/m.go': 'package main\n\nimport "trial/api"\n\nfunc run() int {\n\treturn api.Open()\n}\n',
        }
    for top in ('testdata/one', 'testdata/two'):
        assert linked(files, f'{top}/m.go', 'run') == {('calls', f'{top}/api/a.go', 'Open'): True}
