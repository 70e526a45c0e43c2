"""What patterns that say little of a node still tell apart, and how a pattern may begin."""

from __future__ import annotations

import re
from importlib import resources

from helpers_slicing import cut, outline, uses

from ctxkit.slicing import slice_file


def test_swift_properties_are_functions_where_their_braces_hold_code():
    sliced, source, _ = cut(
        'a.swift',
        """
        class A {
            var one: Int { 1 }
            var two: Int { // what it is
                get { 1 }
                set { save() }
            }
            var told: Int = 0 { // once it changes
                willSet { before() }
                didSet { after() }
            }
            var done: () -> Void = { // nothing
                // yet
                /* or ever */
            }
            let made = { [weak self] in }, plain = 2
            let called: Int = { 1 }()
            let chosen = if two { 1 } else { 2 }
            subscript(at: Int) -> Int /* of it */ { at } // so it is
            func go() /* on */ -> Int // and on
            { 1 }
            init?(number: Int)
        }
    """,
    )
    names = [symbol for _, symbol, _ in outline(sliced)]
    assert names == ['A', 'A.one', 'A.two', 'A.done', 'A.made', 'A.subscript', 'A.go', 'A.init']
    assert [chunk.signature(source) for chunk in sliced.chunks[1:5]] == [
        'var one: Int',
        'var two: Int',
        'var done: () -> Void',
        'let made',
    ]
    assert sliced.chunks[6].signature(source) == 'func go() /* on */ -> Int'


def test_functions_without_a_name_and_types_of_functions_are_none():
    sliced, source, found = cut(
        'a.ts',
        """
        export function /* so */ named /* it */ (a: number) /* is */ { // here
          return [1].map(function () {
            return a
          })
        }
        type Made = ReturnType<typeof make<string>>
        state.on ??= () => {
          named(1)
        }
    """,
    )
    assert outline(sliced) == [('function', 'named', 1), ('class', 'Made', 6)]
    assert found['named'].signature(source) == 'function /* so */ named /* it */ (a: number) /* is */'
    assert uses(found['Made'], 'call') == set()


def test_ruby_includes_what_it_includes_itself():
    _, _, found = cut(
        'a.rb',
        """
        class A
          include B
          other.include C
          def Owner.made; end
          def other.made; end
        end
    """,
    )
    assert uses(found['A'], 'base') == {'B'} and {'A.Owner.made', 'A.made'} <= set(found)


def test_kotlin_classes_inherit_no_value_and_extensions_belong_to_what_they_extend():
    _, _, found = cut(
        'a.kt',
        """
        class A : B(c), D<E>, F by g {
            fun H<I>?.go() {
                k()
            }
        }
    """,
    )
    assert uses(found['A'], 'base') == {'B', 'D'} and 'A.H.go' in found


def test_c_functions_are_named_by_their_innermost_declarator():
    sliced, source, found = cut(
        'a.cc',
        """
        A::A(int b) : b_(b), c_{b} {
          run();
        }
        const char **A::names() { return 0; }
        B &A::made() & noexcept { return b_; }
        A::operator bool() const { return true; }
        struct forward;
        typedef struct { int a; } Alias;
    """,
    )
    names = [symbol for _, symbol, _ in outline(sliced)]
    assert names == ['A.A', 'A.names', 'A.made', 'A.operator bool', 'Alias']
    assert found['A.A'].signature(source) == 'A::A(int b)'
    sliced, _, _ = cut(
        'a.c',
        """
        int (*chosen(int a))(void) { return 0; }
        int *(*pointed(int a))(void) { return 0; }
        int (plain)(int a) { return a; }
        char **names(void) { return 0; }
    """,
    )
    assert [symbol for _, symbol, _ in outline(sliced)] == ['chosen', 'pointed', 'plain', 'names']


def test_a_pattern_begins_with_a_kind_or_has_a_child_that_is_looked_for_first():
    """What begins with `_` and goes on with `_` is tried at each node, and its `!field` is not looked at."""
    for file in resources.files('ctxkit.slicing').joinpath('queries').iterdir():
        for line in file.read_text('utf-8').splitlines():
            if line.startswith('(_'):
                assert re.match(r'\(_ (\w+: )?\(\w\w+\)', line) and ' !' not in line, (file.name, line)


def test_swift_an_element_of_an_array_is_no_call():
    text = b'func a() {\n  b = rows[1]\n  c.rows[2] = d(3)\n  e { 4 }\n  f.g(5) { 6 }\n}\n'
    called = {
        one.name for chunk in slice_file('a.swift', text).chunks for one in chunk.references if one.kind == 'call'
    }
    assert called == {'d', 'e', 'g'}


def test_kotlin_the_type_that_an_extension_is_for_can_have_a_package():
    text = b'fun kit.time.Clock.one(): Int = 1\n\nfun kit.time.Clock?.two(): Int {\n  return 2\n}\n'
    assert [chunk.symbol for chunk in slice_file('a.kt', text).chunks] == ['Clock.one', 'Clock.two']
