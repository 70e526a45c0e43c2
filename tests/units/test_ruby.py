"""Which definition a name of Ruby means: constants name classes in all files, and classes inherit."""

from __future__ import annotations

import pytest

KIT = {
    'lib/kit/box.rb': 'module Kit\n  class Box < Base\n    def initialize(size)\n      @size = size\n    end\n\n'
    '    def self.build(size)\n      new(size)\n    end\n\n    def open\n      @size\n    end\n\n'
    '    class << self\n      def wrap(size)\n        size\n      end\n    end\n  end\nend\n',
    'lib/kit/base.rb': 'module Kit\n  class Base\n    include Kit::Logs\n\n    def close\n      1\n    end\n'
    '  end\nend\n',
    'lib/kit/logs.rb': 'module Kit\n  module Logs\n    module_function\n\n    def tell(text)\n      text\n    end\n'
    '  end\nend\n',
    'lib/kit/more.rb': 'class Kit::Box\n  def more\n    1\n  end\nend\n',
    'lib/other.rb': 'module Other\n  class Box\n    def self.build(size)\n      size\n    end\n  end\nend\n'
    'class Base\n  def close\n    2\n  end\nend\n',
}
BOX = 'lib/kit/box.rb'


def app(body, head='class App'):
    return {**KIT, 'app.rb': f'{head}\n  def run(size)\n    {body}\n  end\nend\n'}


MEANT = [  # files, what run calls, surely or not, or not at all (None)
    (app('Kit::Box.build(1)'), (BOX, 'Kit.Box.build'), True),
    (app('::Kit::Box.build(1)'), (BOX, 'Kit.Box.build'), True),
    (app('Kit::Box.build(1)'), ('lib/other.rb', 'Other.Box.build'), None),
    (app('Kit::Box.wrap(1)'), (BOX, 'Kit.Box.wrap'), True),
    (app('Kit::Box.open(1)'), (BOX, 'Kit.Box.open'), False),
    (app('Kit::Logs.tell(1)'), ('lib/kit/logs.rb', 'Kit.Logs.tell'), True),
    (app('Kit::Box.new(1)'), (BOX, 'Kit.Box.initialize'), True),
    (app('close', 'class App < Kit::Box'), ('lib/kit/base.rb', 'Kit.Base.close'), True),
    (app('tell "a"', 'class App < Kit::Box'), ('lib/kit/logs.rb', 'Kit.Logs.tell'), True),
    (app('more', 'class App < Kit::Box'), ('lib/kit/more.rb', 'Kit::Box.more'), True),
    (app('self.class.build(1)', 'class App < Kit::Box'), (BOX, 'Kit.Box.build'), True),
    (app('close = size\n    close', 'class App < Kit::Box'), ('lib/kit/base.rb', 'Kit.Base.close'), None),
    (app('[1].each { |more| more }\n    more', 'class App < Kit::Box'), ('lib/kit/more.rb', 'Kit::Box.more'), None),
]


@pytest.mark.parametrize(('files', 'what', 'sure'), MEANT)
def test_a_call_means_what_the_constant_names_or_the_class_inherits(linked, files, what, sure):
    assert linked(files, 'app.rb', 'App.run').get(('calls', *what)) is sure


def test_an_assignment_calls_the_method_that_writes(linked):
    source = (
        'class A\n  attr_accessor :one,\n    :two\n  attr_reader :three\n\n  def four\n    1\n  end\n\n'
        '  def four=(x)\n    @four = x\n  end\n\n  def run\n    self.two = 1\n    self.three = 1\n    self.four = 1\n'
        '  end\nend\n'
    )
    assert linked({'a.rb': source}, 'a.rb', 'A.run') == {
        ('calls', 'a.rb', 'A.two'): True,
        ('calls', 'a.rb', 'A.four='): True,
    }


def test_a_constant_is_looked_up_from_the_inside_out(linked):
    files = {**KIT, 'lib/kit/use.rb': 'module Kit\n  class Use\n    def run\n      Box.build(1)\n    end\n  end\nend\n'}
    found = linked(files, 'lib/kit/use.rb', 'Kit.Use.run')
    assert found[('calls', BOX, 'Kit.Box.build')] is True and ('calls', 'lib/other.rb', 'Other.Box.build') not in found


def test_a_constructor_knows_where_objects_are_made(linked):
    found = linked(app('Kit::Box.new(1)'), BOX, 'Kit.Box.initialize')
    assert found[('called by', 'app.rb', 'App.run')] is True


def test_of_two_methods_of_one_name_the_caller_tells_which_is_meant(linked):
    source = (
        'class A\n  def self.one\n    go(1)\n  end\n\n  def two\n    go(2)\n  end\n\n'
        '  def self.go(x)\n    x + from_class\n  end\n\n  def go(x)\n    x + from_object\n  end\n\n'
        '  def from_class\n    1\n  end\nend\n'
    )
    one, two = (linked({'a.rb': source}, 'a.rb', symbol)[('calls', 'a.rb', 'A.go')] for symbol in ('A.one', 'A.two'))
    assert one is two is True
    callers = {key[2] for key in linked({'a.rb': source}, 'a.rb', 'A.go') if key[0] == 'called by'}
    assert callers == {'A.one'}


def test_a_method_of_the_module_around_is_not_called_by_its_name(linked):
    source = 'module A\n  def self.go\n    1\n  end\n\n  class B\n    def run\n      go(1)\n    end\n  end\nend\n'
    assert linked({'a.rb': source}, 'a.rb', 'A.B.run').get(('calls', 'a.rb', 'A.go')) is not True


def test_modules_that_include_each_other_come_to_an_end(linked):
    files = {
        'a.rb': 'module A\n  include B\n\n  def run\n    go(1)\n  end\nend\n',
        'b.rb': 'module B\n  include A\n  include B\n\n  def other\n    1\n  end\nend\n',
        'c.rb': 'class C\n  def go(x)\n    x\n  end\nend\n',
    }
    assert linked(files, 'a.rb', 'A.run').get(('calls', 'c.rb', 'C.go')) is not True
