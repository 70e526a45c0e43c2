"""Go, Rust and Swift: the definitions, and what each of them calls and needs."""

from __future__ import annotations

from helpers_slicing import cut, outline, uses


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
    assert uses(found['Server.Run'], 'call') == {'f.Println', 'Server.addr'} and uses(found['New'], 'call') == {
        'Server'
    }
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


def test_a_variable_of_rust_stands_as_its_type_or_as_the_call_that_made_it():
    _, _, found = cut(
        'a.rs',
        """
        fn run(a: &'a mut Foo<T>, b: Arc<dyn io::Sink>, c: u8, (d, e): Pair) {
            a.one();
            b.two();
            c.three();
            d.four();
            let made = Foo::open(c)?;
            made.five();
            let next = made.go().await?;
            next.six();
            let lit = Foo { n: 1 };
            lit.seven();
            for again in made {}
            let again: Foo = all();
            again.eight();
            let f = |g: Foo| g.nine();
        }
    """,
    )
    assert {one for one in uses(found['run'], 'call') if '.' in one} == {
        'Foo.one',
        'io.Sink.two',
        'c.three',
        'd.four',
        'Foo.open',
        'Foo.open().five',
        'Foo.open().go',
        'Foo.open().go().await.six',
        'Foo.seven',
        'again.eight',
        'Foo.nine',
    }


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
