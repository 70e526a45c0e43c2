"""Which definition a name of Lua means: locals stay in their file, and a module is the table that it returns."""

from __future__ import annotations

import pytest

KIT = {
    'kit/box.lua': 'local Other = {}\nlocal M = {}\n\nfunction M.open(n)\n  return n\nend\n\nfunction Other.open(n)\n'
    '  return -n\nend\n\nfunction M.close()\n  Other.shut = function(n)\n    return n\n  end\nend\n\n'
    'local function step(n)\n  return n\nend\n\nfunction everywhere(n)\n  return step(n)\nend\n\nreturn M\n',
    'kit/list.lua': 'local M = {}\n\nfunction M.insert(t, n)\n  return n\nend\n\n'
    'function assert(n)\n  return n\nend\n\nreturn M\n',
}
BOX = 'kit/box.lua'


def app(body, head="local box = require('kit.box')"):
    return {**KIT, 'app.lua': f'{head}\n\nlocal function run(n)\n  {body}\nend\n\nreturn run\n'}


MEANT = [  # files, what run calls, surely or not, or not at all (None)
    (app('return box.open(n)'), (BOX, 'M.open'), True),
    (app('return box.open(n)'), (BOX, 'Other.open'), None),
    (app('return box.shut(n)'), (BOX, 'M.close.Other.shut'), None),
    (app("return require('kit.box').open(n)", ''), (BOX, 'M.open'), True),
    (app('return require "kit.box".open(n)', ''), (BOX, 'M.open'), True),
    (app("return require('far.away').open(n)", ''), (BOX, 'M.open'), None),
    (app('return step(n)'), (BOX, 'step'), None),
    (app('return everywhere(n)'), (BOX, 'everywhere'), False),
    (app('return table.insert({}, n)'), ('kit/list.lua', 'M.insert'), None),
    (app('return table.insert({}, n)', "local table = require('kit.list')"), ('kit/list.lua', 'M.insert'), True),
    (app('return assert(n)'), ('kit/list.lua', 'assert'), None),
    ({**app('return box.open(n)'), 'tests/shims/kit/box.lua': KIT[BOX]}, (BOX, 'M.open'), True),
    ({**app('return box.open(n)'), 'src/kit/box.lua': KIT[BOX], 'lib/kit/box.lua': KIT[BOX]}, (BOX, 'M.open'), True),
]


@pytest.mark.parametrize(('files', 'what', 'sure'), MEANT)
def test_a_call_means_what_the_required_module_returns(linked, files, what, sure):
    assert linked(files, 'app.lua', 'run').get(('calls', *what)) is sure


def test_a_field_of_a_table_is_not_called_by_its_name_alone(linked):
    source = (
        'local function make(n)\n  local set = {\n    insert = function(self, one)\n      return one\n    end,\n  }\n'
        '  insert(n)\n  return set\nend\n'
    )
    assert not [one for one in linked({'a.lua': source}, 'a.lua', 'make') if one[0] == 'calls']


def test_a_parameter_is_no_function_of_the_file(linked):
    source = (
        'local done = function(n)\n  return n\nend\n\nlocal function run(done)\n  return done(1)\nend\n\n'
        'local function other(n)\n  return done(n)\nend\n'
    )
    assert ('calls', 'a.lua', 'done') not in linked({'a.lua': source}, 'a.lua', 'run')
    assert linked({'a.lua': source}, 'a.lua', 'other')[('calls', 'a.lua', 'done')] is True


def test_a_table_within_one_function_is_not_seen_in_another(linked):
    source = (
        'local function one(r)\n  r.write = function(n)\n    return n\n  end\n  r.write(1)\nend\n\n'
        'local function two(r)\n  r.write(1)\nend\n'
    )
    assert linked({'a.lua': source}, 'a.lua', 'one')[('calls', 'a.lua', 'one.r.write')] is True
    assert ('calls', 'a.lua', 'one.r.write') not in linked({'a.lua': source}, 'a.lua', 'two')
