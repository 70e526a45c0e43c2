"""One small sample a language: symbols with kind and line, signatures, docs and references."""

from __future__ import annotations

import textwrap

import pytest

from ctxkit.slicing import Chunk, SlicedFile, slice_file


def cut(name: str, text: str) -> tuple[SlicedFile, bytes, dict[str, Chunk]]:
    source = textwrap.dedent(text).lstrip('\n').encode()
    sliced = slice_file(name, source)
    assert not sliced.skipped
    return sliced, source, {chunk.symbol: chunk for chunk in sliced.chunks}


def outline(sliced: SlicedFile) -> list[tuple[str, str, int]]:
    return [(chunk.kind, chunk.symbol, chunk.line) for chunk in sliced.chunks if chunk.kind != 'module']


def uses(chunk: Chunk, kind: str) -> set[str]:
    found = set()
    for one in chunk.references:
        if one.kind == kind:
            path = f'{one.qualifier}.{one.name}' if one.qualifier else one.name
            found.add(f'{path} as {one.alias}' if one.alias else path)
    return found


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


def test_javascript_finds_functions_wherever_they_are_bound():
    sliced, source, found = cut(
        'a.js',
        """
        import a, { b as c, d } from './m.js'
        import * as ns from 'n'
        const x = require('q')
        const { y, z: w } = require('r')

        /** Says hello. */
        export default function foo(a) {
          return a.b(c).d(new E.F())
        }
        export class A extends B.C {
          #x = 1
          static async *m(a) {
            this.k()
          }
          handle = (event) => {
            ns.call(event)
          }
        }
        export const h = async (a) => {
          k()
        }
        module.exports.g = function (a) {
          return a
        }
        A.prototype.z = function () {
          return 1
        }
        const o = {
          p: function () {
            return 2
          },
          r() {
            return 3
          },
        }
        const View = memo(() => <Button onClick={h} />)
    """,
    )
    assert outline(sliced) == [
        ('function', 'foo', 7),
        ('class', 'A', 10),
        ('method', 'A.m', 12),
        ('method', 'A.handle', 15),
        ('function', 'h', 19),
        ('function', 'g', 22),
        ('method', 'A.z', 25),
        ('function', 'p', 29),
        ('function', 'r', 32),
        ('function', 'View', 36),
    ]
    assert found['foo'].doc(source) == '/** Says hello. */' and found['foo'].signature(source) == 'function foo(a)'
    assert uses(found['foo'], 'call') == {'a.b().d', 'a.b', 'E.F'}
    assert uses(found['A'], 'base') == {'B.C'} and '#x = 1' in found['A'].text(source)
    assert uses(found['A.m'], 'call') == {'self.k'} and uses(found['View'], 'call') == {'memo', 'Button'}
    assert found['h'].text(source).startswith('export const h')
    assert uses(found[''], 'import') == {
        './m.js.default as a',
        './m.js.b as c',
        './m.js.d',
        'n. as ns',
        'q. as x',
        'r.y',
        'r.z as w',
    }


def test_typescript_types_interfaces_and_overloads():
    sliced, source, found = cut(
        'a.ts',
        """
        import type { T as U } from 'm'
        export interface Shape extends Base<Item> {
          area(): number
        }
        export type Id = string | Token
        export enum Color { Red }
        declare function over(a: string): void
        namespace NS {
          export function inner() { return 1 }
        }
        export abstract class Box<T> extends Old implements Shape {
          constructor(private readonly dep: Dep) {
            super()
          }
          abstract area(): number
          get size(): Size {
            return helper<T>(this.dep)
          }
        }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Shape', 2),
        ('method', 'Shape.area', 3),
        ('class', 'Id', 5),
        ('class', 'Color', 6),
        ('function', 'over', 7),
        ('function', 'NS.inner', 9),
        ('class', 'Box', 11),
        ('method', 'Box.constructor', 12),
        ('method', 'Box.area', 15),
        ('method', 'Box.size', 16),
    ]
    assert 'area(): number' in found['Shape'].text(source), 'a method without a body stays in its interface'
    assert uses(found['Box'], 'base') == {'Old', 'Shape'} and uses(found['Shape'], 'base') == {'Base'}
    assert uses(found['Box.size'], 'call') == {'helper'} and 'Size' in uses(found['Box.size'], 'type')
    assert uses(found[''], 'import') == {'m.T as U'}


def test_tsx_components_call_components():
    _, _, found = cut(
        'a.tsx',
        """
        export const App = (props: Props) => {
          return <Layout.Main><Item key={props.id} /></Layout.Main>
        }
    """,
    )
    assert uses(found['App'], 'call') == {'Layout.Main', 'Item'}


def test_go_methods_carry_their_receiver():
    sliced, source, found = cut(
        'a.go',
        """
        package p

        import (
            f "fmt"
            "net/http"
        )

        // Server serves.
        type Server struct {
            http.Handler
            mu Lock
        }

        type (
            ID int
            Doer interface{ Do() }
        )

        // Run runs.
        func (s *Server) Run(ctx Context) error {
            f.Println(s.addr())
            return nil
        }

        func New[T any]() *Server { return &Server{} }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Server', 9),
        ('class', 'ID', 15),
        ('class', 'Doer', 16),
        ('method', 'Server.Run', 20),
        ('function', 'New', 25),
    ]
    assert found['Server'].doc(source) == '// Server serves.' and uses(found['Server'], 'base') == {'http.Handler'}
    assert found['Server.Run'].signature(source) == 'func (s *Server) Run(ctx Context) error'
    assert uses(found['Server.Run'], 'call') == {'f.Println', 's.addr'} and uses(found['New'], 'call') == {'Server'}
    assert uses(found[''], 'import') == {'fmt. as f', 'net/http.'}


def test_rust_impls_traits_macros_and_use_trees():
    sliced, source, found = cut(
        'a.rs',
        """
        use std::{fmt::{self, Display as Show}, io::*};
        use crate::a::b as c;

        /// A point.
        #[derive(Debug)]
        pub struct Point<T> { x: T }

        impl<T> Show for Point<T> {
            type Item = T;
            fn fmt(&self, f: &mut Formatter) -> fmt::Result {
                self.write(f)?;
                helper::<T>(vec![1])
            }
        }

        trait Shape: Base {
            fn area(&self) -> f64;
        }

        mod tests {
            #[test]
            fn works() { assert!(Self::go()) }
        }

        macro_rules! sum { () => {} }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Point', 6),
        ('class', 'impl<T> Show for Point<T>', 8),
        ('method', 'Point.fmt', 10),
        ('class', 'Shape', 16),
        ('method', 'Shape.area', 17),
        ('function', 'tests.works', 22),
        ('function', 'sum', 25),
    ]
    assert found['Point'].start_line == 5 and found['Point'].doc(source) == '/// A point.'
    assert found['tests.works'].start_line == 21
    assert uses(found['impl<T> Show for Point<T>'], 'base') == {'Show'}
    assert uses(found['Point.fmt'], 'call') == {'self.write', 'helper', 'vec'}
    assert uses(found['tests.works'], 'call') == {'assert'} and uses(found['Shape'], 'base') == {'Base'}
    assert uses(found[''], 'import') == {'std.fmt', 'std.fmt.Display as Show', 'std.io.*', 'crate.a.b as c'}


def test_java_records_constructors_and_anonymous_classes():
    sliced, source, found = cut(
        'A.java',
        """
        package p;
        import java.util.List;
        import static org.junit.Assert.*;

        /** A box. */
        @Deprecated
        public class Box<T> extends Base<T> implements Shape, Closeable {
            private int size = 0;
            Box(int size) { this.size = size; }
            @Override
            public List<T> all(Filter f) throws IOException {
                new Thread(new Runnable() {
                    public void run() { f.apply(Util.one()); }
                }).start();
                return null;
            }
            interface Inner { void only(); }
        }
        record Pair(int a, int b) {}
        enum Color { RED }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Box', 7),
        ('method', 'Box.Box', 9),
        ('method', 'Box.all', 11),
        ('method', 'Box.all.run', 13),
        ('class', 'Box.Inner', 17),
        ('method', 'Box.Inner.only', 17),
        ('class', 'Pair', 19),
        ('class', 'Color', 20),
    ]
    assert found['Box'].doc(source) == '/** A box. */' and uses(found['Box'], 'base') == {'Base', 'Shape', 'Closeable'}
    assert found['Box.all'].start_line == 10 and 'size = 0' in found['Box'].text(source)
    assert uses(found['Box.all'], 'call') == {'Override', 'Thread', 'Runnable', 'Thread().start'}
    assert uses(found['Box.all.run'], 'call') == {'f.apply', 'Util.one'}
    assert uses(found[''], 'import') == {'java.util.List', 'org.junit.Assert.*'}


def test_c_pointers_macros_and_old_style_parameters():
    sliced, source, found = cut(
        'a.c',
        """
        #include "uv.h"
        #define TWICE(x) ((x) + (x))

        /* Adds. */
        LIB_EXTERN int add(int a, int b) {
          return helper(a)->field.call(b);
        }
        static char *(*pick(int n))(void) { return table[n]; }
        int old(a, b) int a; char b; { return a; }
        struct node { struct node *next; };
        typedef enum { ONE } kind_t;
        TEST_IMPL(fs_file) {
          run();
        }
        TEST(Suite, name) {
          run();
        }
    """,
    )
    assert outline(sliced) == [
        ('function', 'TWICE', 2),
        ('function', 'add', 5),
        ('function', 'pick', 8),
        ('function', 'old', 9),
        ('class', 'node', 10),
        ('class', 'kind_t', 11),
        ('function', 'TEST_IMPL(fs_file)', 12),
        ('function', 'TEST(Suite, name)', 15),
    ]
    assert found['add'].doc(source) == '/* Adds. */' and found['TEST(Suite, name)'].name == 'TEST'
    assert found['TEST(Suite, name)'].text(source).endswith('}')
    assert 'helper' in uses(found['add'], 'call') and uses(found[''], 'import') == {'uv.h.'}


def test_cpp_out_of_class_definitions_templates_and_operators():
    sliced, source, found = cut(
        'a.cc',
        """
        LIB_NAMESPACE_BEGIN

        namespace db {
        // A table.
        class LIB_EXPORT Table : public Base<int>, private util::Lock {
         public:
          explicit Table(int n) : n_(n) {}
          ~Table() = default;
          int size() const;
         private:
          int n_ GUARDED_BY(mutex_);
        };
        }  // namespace db

        template <class T>
        T *db::Map<T>::find(const Key& key) {
          return std::move(impl_->get<T>(key));
        }
        bool Table::operator==(const Table& other) const { return n_ == other.n_; }
        Table::operator bool() const { return true; }
        LIB_INLINE Table::Table() { init(); }
        TEST(Suite, case_one) { check(); }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Table', 5),
        ('method', 'Table.Table', 7),
        ('method', 'Table.~Table', 8),
        ('method', 'db.Map.find', 16),
        ('method', 'Table.operator==', 19),
        ('method', 'Table.operator bool', 20),
        ('method', 'Table.Table', 21),
        ('function', 'TEST(Suite, case_one)', 22),
    ]
    table = sliced.chunks[[chunk.symbol for chunk in sliced.chunks].index('Table')]
    assert table.doc(source) == '// A table.' and uses(table, 'base') == {'Base', 'util.Lock'}
    assert 'LIB_EXPORT' in table.text(source), 'a blanked macro is blank to the parser alone'
    assert 'int size() const;' in table.text(source)
    find = found['db.Map.find']
    assert find.start_line == 15 and {'std.move', 'impl_.get'} <= uses(find, 'call')


def test_csharp_properties_operators_and_explicit_interfaces():
    sliced, source, found = cut(
        'a.cs',
        """
        using System;
        using IO = System.IO.File;
        namespace N {
            /// <summary>A box.</summary>
            [Serializable]
            public class Box<T> : Base, IShape where T : class {
                public int Plain { get; set; }
                public int Size { get { return Count(); } }
                public string Name => this.Find(1)?.Name;
                public Box(int n) : base(n) { }
                void IShape.Draw() { IO.ReadAll(); new Pen().Use(); }
                public static Box<T> operator +(Box<T> a, Box<T> b) { return a; }
            }
            public record Point(int X);
            interface IShape { void Draw(); }
        }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Box', 6),
        ('method', 'Box.Size', 8),
        ('method', 'Box.Name', 9),
        ('method', 'Box.Box', 10),
        ('method', 'Box.Draw', 11),
        ('method', 'Box.operator +', 12),
        ('class', 'Point', 14),
        ('class', 'IShape', 15),
        ('method', 'IShape.Draw', 15),
    ]
    assert found['Box'].doc(source) == '/// <summary>A box.</summary>' and 'Plain' in found['Box'].text(source)
    assert uses(found['Box'], 'base') == {'Base', 'IShape'}
    assert uses(found['Box.Draw'], 'call') == {'IO.ReadAll', 'Pen().Use', 'Pen'}
    assert uses(found[''], 'import') == {'System.', 'System.IO.File as IO'}


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


def test_kotlin_extensions_objects_and_companions():
    sliced, source, found = cut(
        'a.kt',
        """
        package a.b
        import x.y.Z as W
        import q.*
        /** A point. */
        data class P(val a: Int) : Base(a), Iface {
          val p: Int get() = 1
          companion object {
            fun make(): P = P(1)
          }
          object Inner {
            fun go() {}
          }
          override fun foo(x: List<Foo>?): Bar? {
            this.run()
            return a.Bar()
          }
        }
        fun String.ext(a: Int): Int = a + 1
        interface I {
          fun m()
        }
        val f = { x: Int -> x + 1 }
    """,
    )
    assert outline(sliced) == [
        ('class', 'P', 5),
        ('method', 'P.make', 8),
        ('class', 'P.Inner', 10),
        ('method', 'P.Inner.go', 11),
        ('method', 'P.foo', 13),
        ('method', 'String.ext', 18),
        ('class', 'I', 19),
        ('method', 'I.m', 20),
        ('function', 'f', 22),
    ]
    assert uses(found['P'], 'base') == {'Base', 'Iface'} and found['P'].doc(source) == '/** A point. */'
    assert uses(found['P.foo'], 'call') == {'self.run', 'a.Bar'} and uses(found['P.foo'], 'type') == {'Foo', 'Bar'}
    assert 'fun m()' in found['I'].text(source)
    assert uses(found[''], 'import') == {'x.y.Z as W', 'q.*'}


def test_swift_extensions_initialisers_and_operators():
    sliced, source, found = cut(
        'a.swift',
        """
        import Foundation
        /// A box.
        public class Box: Base, Shape {
          var size: Int { return count() }
          init(a: Int) { super.init() }
          func run<T>(_ a: T) -> Result where T: Item { self.go(1).then { $0.end() } }
          static func == (l: Box, r: Box) -> Bool { true }
        }
        extension Box: Hashable {
          func hash() {}
        }
        protocol Shape { func draw() }
        struct S { let q = 1 }
    """,
    )
    assert outline(sliced) == [
        ('class', 'Box', 3),
        ('method', 'Box.size', 4),
        ('method', 'Box.init', 5),
        ('method', 'Box.run', 6),
        ('method', 'Box.==', 7),
        ('class', 'extension Box', 9),
        ('method', 'Box.hash', 10),
        ('class', 'Shape', 12),
        ('method', 'Shape.draw', 12),
        ('class', 'S', 13),
    ]
    assert found['Box'].doc(source) == '/// A box.' and uses(found['Box'], 'base') == {'Base', 'Shape'}
    assert {'self.go', 'self.go().then', '$0.end'} <= uses(found['Box.run'], 'call')
    assert uses(found['extension Box'], 'base') == {'Hashable'}
    assert uses(found[''], 'import') == {'Foundation.'}


def test_scala_objects_traits_givens_and_extensions():
    sliced, source, found = cut(
        'a.scala',
        """
        package a.b
        import x.y.{Z => W, Q}
        import r._
        /** Main. */
        object O extends App with T {
          def foo(a: Int): Bar = bar(a).baz(1)
          val f = (x: Int) => x + 1
        }
        case class C(a: Int) extends F(a)
        trait T { def abs(a: Int): Int }
        given ordInt: Ord[Int] with {
          def compare(a: Int) = new Foo(a)
        }
        extension (s: String) def ext(a: Int) = 1
    """,
    )
    assert outline(sliced) == [
        ('class', 'O', 5),
        ('method', 'O.foo', 6),
        ('method', 'O.f', 7),
        ('class', 'C', 9),
        ('class', 'T', 10),
        ('method', 'T.abs', 10),
        ('class', 'ordInt', 11),
        ('method', 'ordInt.compare', 12),
        ('method', 'String.ext', 14),
    ]
    assert uses(found['O'], 'base') >= {'App'} and found['O'].doc(source) == '/** Main. */'
    assert uses(found['O.foo'], 'call') == {'bar().baz', 'bar'} and 'Bar' in uses(found['O.foo'], 'type')
    assert uses(found[''], 'import') == {'x.y.Z as W', 'x.y.Q', 'r.*'}


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


def test_shell_functions_that_the_grammar_loses_are_still_found():
    sliced, source, found = cut(
        'a.zsh',
        """
        if (( ${+terminfo[smkx]} )) && [[ $x == (a|b)# ]]; then
          function widget-init() {
            echoti smkx
          }
        fi
        for f ($^fpath/x(N)) { f }
        last() {
          echo 1
        }
    """,
    )
    assert {'widget-init', 'last'} <= set(found)
    assert found['last'].text(source) == 'last() {\n  echo 1\n}'


def test_rescued_functions_nest_even_where_their_ends_cross():
    source = (
        b'if (( ${+x[a]} )); then\n  function one() { two }\n  function three() {\nfour\n}\nfi\n'
        b'five() {\n  six (N)\n}\n'
    )
    chunks = slice_file('a.zsh', source).chunks
    for chunk in chunks:
        if chunk.parent >= 0:
            assert chunk.end_byte <= chunks[chunk.parent].end_byte


def test_kotlin_that_the_grammar_cannot_read_keeps_its_definitions():
    sliced, source, found = cut(
        'a.kt',
        """
        @Target(AnnotationTarget.FIELD)
        @Retention(AnnotationRetention.RUNTIME)
        annotation class Flaky

        class Settings {
          private var set: Int = 0

          fun clear() {
            set = 0
          }

          operator fun set(
            id: Int,
          ): Settings {
            return this
          }
          /*
          fun gone() {
          }
          */
        }

        fun Settings.later(): Int = 3
    """,
    )
    assert outline(sliced) == [
        ('class', 'Flaky', 3),
        ('class', 'Settings', 5),
        ('method', 'Settings.clear', 8),
        ('method', 'Settings.set', 12),
        ('method', 'Settings.later', 23),
    ]
    assert found['Flaky'].text(source).endswith('annotation class Flaky')
    assert found['Settings.set'].text(source).endswith('return this\n  }')


def test_cpp_that_macros_break_keeps_its_definitions():
    sliced, source, found = cut(
        'a.cpp',
        """
        #define CHECKS \\
            first /* one */ \\
            second(1)
        struct deferred { static LIB_CONSTEXPR bool value = true; };
        template struct LIB_DECL deferred<float>;
        struct LIB_API Result // NOLINT
        {
            Result(int code) : code(code) {}
            static String convert(const LIB_REF(T) in) {
                return in;
            }
        #ifdef X
            int code;
        #endif
        };
        // Says f().
        LIB_TEST(Suite, name) {
            if (x LIB_OR y) { run(); }
        }
        bool Result::is(const LIB_REF(T) other) const
            LIB_LOCKED(mutex) {
            return MACRO(other) LIB_AND 3;
        }
    """,
    )
    shape = outline(sliced)
    assert ('method', 'Result.convert', 9) in shape and ('method', 'Result.is', 20) in shape
    assert ('class', 'Result', 6) in shape and ('method', 'Result.Result', 8) in shape
    assert found['Result.convert'].text(source).endswith('return in;\n    }')
    assert not {'if', 'run', 'MACRO'} & {chunk.name for chunk in sliced.chunks}


def test_c_in_gnu_style_keeps_the_functions_after_an_error():
    sliced, source, found = cut(
        'a.c',
        """
        int broken(x) { return x LIB_AND ( ; }
        #if ONE
        static int
        first (int a)
        {
            if (a LIB_OR) {
        #else
        static int second (int a) {
            if (a) {
        #endif
                other(a);
            }
        }
        static void
        third(int a, ...)
        {
        }
    """,
    )
    names = [chunk.name for chunk in sliced.chunks]
    assert {'broken', 'first', 'second', 'third'} <= set(names) and 'other' not in names
    assert found['third'].text(source).endswith('}')


@pytest.mark.parametrize(
    ('name', 'language'),
    [
        ('a.py', 'python'),
        ('x/SConstruct', 'python'),
        ('a.pyi', 'python'),
        ('a.jsx', 'javascript'),
        ('a.mjs', 'javascript'),
        ('a.cts', 'typescript'),
        ('a.tsx', 'tsx'),
        ('a.H', 'c'),
        ('a.hpp', 'cpp'),
        ('Rakefile', 'ruby'),
        ('.bashrc', 'bash'),
        ('README.MD', 'markdown'),
        ('a.rst', 'rst'),
        ('Makefile', ''),
        ('a.tar.gz', ''),
        ('dir.py/file', ''),
    ],
)
def test_language_follows_from_the_name(name, language):
    from ctxkit.slicing import language_of

    assert language_of(name) == language


@pytest.mark.parametrize(
    ('name', 'source', 'language'),
    [
        ('tool', b'#!/usr/bin/env python3\nx = 1\n', 'python'),
        ('tool', b'#!/bin/sh -e\nx=1\n', 'bash'),
        ('tool', b'#!/usr/bin/perl\n', ''),
        ('a.h', b'namespace a {\nclass B {};\n}\n', 'cpp'),
        ('a.h', b'int f(void);\n', 'c'),
    ],
)
def test_language_follows_from_the_content_where_the_name_leaves_it_open(name, source, language):
    assert slice_file(name, source).language == language
