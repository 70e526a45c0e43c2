"""Python, Ruby, PHP, Lua, Elixir and shell: the definitions, and what each of them calls and needs."""

from __future__ import annotations

from helpers_slicing import cut, outline, uses


def test_python_functions_methods_classes_and_the_rest():
    sliced, source, found = cut(
        'a.py',
        '''
        """What it is for."""
        import os.path as osp, sys
        from ..pkg.mod import thing as other, plain
        from . import *

        LIMIT = 3

        @decorated(LIMIT)
        class Engine(Base, abc.ABC):
            """Runs things."""
            size: int = 0

            # Starts it.
            @property
            def start(self, when: 'Moment') -> list[Result]:
                """Start.

                Quotes \\""" inside."""
                def later(x):
                    return x.go()
                self.run(later).wait()
                return osp.join(LIMIT)

            double = lambda self, n: n * 2

        async def serve(
            port,  # a comment: here
        ):  # and here
            await Engine(port).start()

        def pair(): return tiny()
    ''',
    )
    assert outline(sliced) == [
        ('class', 'Engine', 9),
        ('method', 'Engine.start', 15),
        ('function', 'Engine.start.later', 19),
        ('method', 'Engine.double', 24),
        ('function', 'serve', 26),
        ('function', 'pair', 31),
    ]
    engine, start = found['Engine'], found['Engine.start']
    assert engine.start_line == 8 and engine.signature(source) == 'class Engine(Base, abc.ABC)'
    assert engine.doc(source) == '"""Runs things."""'
    assert 'size: int = 0' in engine.text(source) and 'return osp' not in engine.text(source)
    assert '# Starts it.' not in engine.text(source)
    assert uses(engine, 'base') == {'Base', 'abc.ABC'} and uses(engine, 'call') == {'decorated'}
    assert start.start_line == 14 and start.signature(source) == "def start(self, when: 'Moment') -> list[Result]"
    assert start.doc(source).startswith('"""Start.') and start.doc(source).endswith('inside."""')
    assert uses(start, 'type') == {'Moment', 'Result'}
    assert uses(start, 'call') == {'property', 'self.run().wait', 'self.run', 'osp.join'}
    assert uses(found['Engine.start.later'], 'call') == {'x.go'}
    assert sliced.chunks[start.parent] == engine and sliced.chunks[found['Engine.start.later'].parent] == start
    assert found['serve'].signature(source) == 'async def serve( port, # a comment: here )'
    assert uses(found['serve'], 'call') == {'Engine().start', 'Engine'}
    module = found['']
    assert module.doc(source) == '"""What it is for."""' and 'LIMIT = 3' in module.text(source)
    assert uses(module, 'import') == {'os.path. as osp', 'sys.', '..pkg.mod.thing as other', '..pkg.mod.plain', '..*'}


def test_ruby_modules_singletons_and_defined_methods():
    sliced, source, found = cut(
        'a.rb',
        """
        require 'json'
        # A mixin.
        module Tools
          class Box < Base::Thing
            include Comparable
            attr_reader :size
            def self.build(n) = new(n)
            class << self
              def make; build(1); end
            end
            # Runs.
            def run?(x)
              @engine.start(x)
              helper
            end
            define_method(:late) { |y| y.go }
          end
        end
    """,
    )
    assert outline(sliced) == [
        ('class', 'Tools', 3),
        ('class', 'Tools.Box', 4),
        ('method', 'Tools.Box.size', 6),
        ('method', 'Tools.Box.build', 7),
        ('method', 'Tools.Box.make', 9),
        ('method', 'Tools.Box.run?', 12),
        ('method', 'Tools.Box.late', 16),
    ]
    assert found['Tools'].doc(source) == '# A mixin.'
    assert uses(found['Tools.Box'], 'base') == {'Base.Thing', 'Comparable'}
    assert {'engine.start', 'helper'} <= uses(found['Tools.Box.run?'], 'call') and found['Tools.Box.run?'].doc(source)
    assert uses(found[''], 'import') == {'json.'}


def test_ruby_attributes_of_one_statement_stand_beside_each_other():
    sliced, _, _ = cut(
        'a.rb', 'class A\n  attr_reader :one, :two\n\n  def run\n    one\n  end\n  alias_method :go, :run\nend\n'
    )
    assert [symbol for _, symbol, _ in outline(sliced)] == ['A', 'A.one', 'A.two', 'A.run', 'A.go']
    assert len({chunk.parent for chunk in sliced.chunks if chunk.kind == 'method'}) == 1


def test_php_traits_enums_and_use_lists():
    sliced, source, found = cut(
        'a.php',
        """
        <?php
        namespace App;
        use Foo\\Bar as Baz;
        use Foo\\{One, Two as Zwei};
        /** A box. */
        final class Box extends Base implements Shape {
            use Loggable;
            public function run(Item $item): ?Result {
                $this->log($item->name());
                return Factory::make(new Thing());
            }
            abstract protected function only(): void;
        }
        trait Loggable { }
        function helper(): int { return strlen('x'); }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Box', 6),
        ('method', 'Box.run', 8),
        ('method', 'Box.only', 12),
        ('class', 'Loggable', 14),
        ('function', 'helper', 15),
    ]
    assert uses(found['Box'], 'base') == {'Base', 'Shape', 'Loggable'} and found['Box'].doc(source) == '/** A box. */'
    assert {'self.log', 'item.name', 'Factory.make', 'Thing'} <= uses(found['Box.run'], 'call')
    assert uses(found['Box.run'], 'type') == {'Item', 'Result'}
    assert uses(found[''], 'import') == {'Foo.Bar as Baz', 'Foo.One', 'Foo.Two as Zwei'}


def test_lua_functions_of_tables():
    sliced, source, found = cut(
        'a.lua',
        """
        local x = require('a.b')
        local M = {}
        --- Does f.
        function M.f(a)
          return x.g(a):h()
        end
        function M:k()
          self:z()
        end
        local function loc() end
        M.w = function(b) end
        M.v = wrap(function(c) end)
        local t = { n = function() end }
        return M
    """,
    )
    assert outline(sliced) == [
        ('method', 'M.f', 4),
        ('method', 'M.k', 7),
        ('function', 'loc', 10),
        ('method', 'M.w', 11),
        ('method', 'M.v', 12),
        ('function', 'n', 13),
    ]
    assert found['M.f'].doc(source) == '--- Does f.' and found['M.f'].signature(source) == 'function M.f(a)'
    assert uses(found['M.f'], 'call') == {'x.g().h', 'x.g'} and uses(found['M.k'], 'call') == {'self.z'}
    assert uses(found[''], 'import') == {'a.b. as x'}


def test_elixir_modules_functions_and_docs():
    sliced, source, found = cut(
        'a.ex',
        """
        defmodule A.B do
          use GenServer
          alias X.{Y, Z}
          alias Q.R, as: S
          @behaviour Plug

          @doc "Says hello"
          @spec f(integer) :: atom
          def f(a) when a > 1 do
            Y.g(a) |> h()
          end

          defp p(x), do: x
          defmacro m(x) do
            x
          end
          def a + b do
            a
          end
        end

        defimpl Proto, for: A.B do
          def z(x), do: x
        end
    """,
    )
    assert outline(sliced) == [
        ('class', 'A.B', 1),
        ('method', 'A.B.f', 9),
        ('method', 'A.B.p', 13),
        ('method', 'A.B.m', 14),
        ('method', 'A.B.+', 17),
        ('class', 'defimpl Proto, for: A.B', 22),
        ('method', 'Proto.z', 23),
    ]
    assert found['A.B.f'].doc(source) == '@doc "Says hello"' and found['A.B.f'].start_line == 8
    assert found['A.B.f'].signature(source) == 'def f(a) when a > 1'
    assert {'Y.g', 'h'} <= uses(found['A.B.f'], 'call')
    assert uses(found['A.B'], 'import') == {'GenServer', 'X.Y', 'X.Z', 'Q.R as S'}
    assert uses(found['A.B'], 'base') == {'GenServer', 'Plug'}


def test_attributes_and_types_of_elixir_are_no_calls():
    _, _, found = cut(
        'a.ex',
        """
        defmodule A do
          @limit 5
          @type t :: pair(atom)
          @size compute(1)

          @spec f(t) :: list(pair(
            atom))
          def f(a) do
            make(a)
          end
        end
    """,
    )
    assert uses(found['A'], 'call') == {'compute'}
    assert uses(found['A.f'], 'call') == {'make'}


def test_bash_functions_and_sourced_files():
    sliced, source, found = cut(
        'a.sh',
        """
        #!/bin/bash
        source ./lib.sh
        # Says foo.
        foo() {
          bar "$1" | baz
        }
        function qux { foo a; }
    """,
    )
    assert outline(sliced) == [('function', 'foo', 4), ('function', 'qux', 7)]
    assert found['foo'].doc(source) == '# Says foo.' and uses(found['foo'], 'call') == {'bar', 'baz'}
    assert uses(found[''], 'import') == {'./lib.sh.'}
