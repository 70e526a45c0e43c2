"""Syntax that came to a language after its grammar, or that the grammar reads in part."""

from __future__ import annotations

from helpers_slicing import cut, outline, uses

from ctxkit.slicing import slice_file


def symbols(name: str, text: str) -> list[str]:
    return [symbol for _, symbol, _ in outline(cut(name, text)[0])]


def test_a_signature_keeps_the_bracket_that_closes_its_type():
    _, source, found = cut('a.rs', 'fn get<T>(at: usize) -> Option<Vec<T>> {\n    None\n}\nstruct Pair<A, B>(A, B);\n')
    assert found['get'].signature(source) == 'fn get<T>(at: usize) -> Option<Vec<T>>'
    _, source, found = cut('a.ts', 'export const get = async (): Promise<void> => {\n  go()\n}\n')
    assert found['get'].signature(source) == 'get = async (): Promise<void>'


def test_csharp_types_without_a_body_are_classes():
    text = """
        public interface IMarker;
        /// <summary>The base of attributes.</summary>
        public abstract class Marked<T> : Attribute where T : class;
        struct Unit;
        record Point(int X);
    """
    sliced, source, found = cut('a.cs', text)
    assert outline(sliced) == [
        ('class', 'IMarker', 1),
        ('class', 'Marked', 3),
        ('class', 'Unit', 4),
        ('class', 'Point', 5),
    ]
    assert 'base of attributes' in found['Marked'].doc(source)


def test_csharp_programs_of_one_file_and_parts_of_ref_structs_are_read():
    text = '#:sdk Cake.Sdk\nref partial struct Reader\n{\n    int At<T>() where T : allows ref struct { }\n}\n'
    assert symbols('a.cs', text) == ['Reader', 'Reader.At'] and not cut('a.cs', text)[0].broken


def test_members_of_a_csharp_extension_block_are_those_of_its_class():
    text = """
        public static class Texts
        {
            extension(string text)
            {
                public int Words() => text.Split(' ').Length;
                public bool IsBlank => text.Trim() == "";
            }

            extension<T>(IEnumerable<T> all) where T : class {
                public T Last() { return all.Last(); }
            }

            public static int Old(this string text) { return 1; }
        }
    """
    sliced, source, found = cut('a.cs', text)
    names = ['Texts', 'Texts.Words', 'Texts.IsBlank', 'Texts.Last', 'Texts.Old']
    assert [symbol for _, symbol, _ in outline(sliced)] == names and not sliced.broken
    assert 'extension(string text)' in found['Texts'].text(source)


def test_extension_blocks_that_never_close_cost_no_quadratic_time(quick):
    slice_file('a.cs', b'extension(int a) {\n' * 20_000)


def test_conditions_within_a_declaration_of_csharp_hide_nothing():
    text = """
        public abstract partial class Reader
        #if HAVE_ASYNC
            : IAsyncDisposable
        #endif
        {
            public bool IsOpen(int at)
        #if NET6_0_OR_GREATER
                => at > 0 && at < 9;
        #else
                => false;
        #endif

        #if HAVE_SPAN
            public void Read(ReadOnlySpan<char> text)
        #else
            public void Read(string text)
        #endif
            {
                if (text.Length == 0) // none }
        #if DEBUG
                    Log("{");
        #else
                    Skip();
        #endif
            }

        #if HAVE_SPAN
            public int Spans() { return 1; }
        #else
            public int Arrays() { return 2; }
        #endif
        }
    """
    sliced, source, found = cut('a.cs', text)
    names = ['Reader', 'Reader.IsOpen', 'Reader.Read', 'Reader.Spans', 'Reader.Arrays']
    assert symbols('a.cs', text) == names and not sliced.broken
    assert '#if NET6_0_OR_GREATER\n' in found['Reader.IsOpen'].text(source)


def test_conditions_of_csharp_that_never_close_cost_no_quadratic_time(quick):
    slice_file('a.cs', b'#if A\n' * 20_000 + b'#else\n#endif\n' * 10_000)
    slice_file('a.cs', b'#if A\n#else\n#endif\n' * 10_000)
    slice_file('a.cs', b'f(\n#if A\n/*\n@"\n#else\n"""a\n#endif\n' * 3_000)


def test_cpp_modules_are_read_as_what_they_export():
    text = """
        export module shapes;
        import std;
        export namespace geo {
        /// A shape.
        export class Shape : public Base {
         public:
          int area() { return 1; }
        };
        export template <typename T>
        T largest(const std::vector<T>& all) { return all[0]; }
        export int plain() { return helper(); }
        }
    """
    for name in ('a.cppm', 'a.ixx', 'a.cpp'):
        assert symbols(name, text) == ['Shape', 'Shape.area', 'largest', 'plain']
    _, source, found = cut('a.cppm', text)
    assert found['Shape'].text(source).startswith('export class') and found['Shape'].doc(source) == '/// A shape.'


def test_cpp_alignment_after_an_export_macro_is_no_function():
    text = 'class LIB_API alignas(LIB_LINE) Pool final : public Base<Pool> {\n  int*& ref(int a) { return b; }\n};\n'
    assert symbols('a.hpp', text) == ['Pool', 'Pool.ref']


def test_cpp_constructors_with_initialisers_under_a_condition_are_read():
    text = """
        class [[nodiscard]] Task
        {
        public:
            Task() noexcept
        #if X
                : state(false)
        #endif
            {}
            int go() { return 1; }
        };
        class Next { int go() { return 2; } };
        Timer::Timer()
        #if X
            : event(1)
            , other(2)
        #endif
            , last(3)
        {}
    """
    names = ['Task', 'Task.Task', 'Task.go', 'Next', 'Next.go', 'Timer.Timer']
    assert symbols('a.hpp', text) == names


def test_swift_consume_loses_nothing_of_the_file():
    text = """
        struct Machine: ~Copyable {
            mutating func opened(_ id: Int) {
                switch consume self.state {
                case .active(var state):
                    state.insert(id)
                }
            }
            func closed() -> Bool { true }
        }
        extension Server.Machine { func reset() {} }
        extension Array<Int> { func sum() {} }
    """
    names = ['Machine', 'Machine.opened', 'Machine.closed', 'extension Server.Machine', 'Server.Machine.reset']
    assert symbols('a.swift', text) == [*names, 'extension Array<Int>', 'Array.sum']


def test_kotlin_context_parameters_belong_to_their_function():
    text = """
        /** Parses. */
        context(raise: Raise<Error>, log: Logger)
        fun <E> parse(text: String): Int = text.toInt()
        fun next() = context(1) { it }
    """
    sliced, source, found = cut('a.kt', text)
    assert outline(sliced) == [('function', 'parse', 3), ('function', 'next', 4)]
    assert found['parse'].text(source).startswith('context(') and found['parse'].doc(source) == '/** Parses. */'


def test_kotlin_extension_properties_are_methods():
    text = """
        val <A> List<A>.second: A
            get() = this[1]
        val String?.orNone: String get() = this ?: ""
        class Box { val plain: Int get() = 1 }
    """
    assert symbols('a.kt', text) == ['List.second', 'String.orNone', 'Box']


def test_all_methods_of_a_scala_extension_have_its_type():
    text = """
        extension [T](xs: List[T])
          def second: T = xs.tail.head
          def third(using ctx: Context): T =
            xs(2)
          /** The last. */
          def last: T = xs.last
        given Ord[Int] with
          def compare(a: Int, b: Int) = a - b
        given Show[User] = new Show[User]:
          def show(a: User) = a.name
    """
    names = ['List.second', 'List.third', 'List.last', 'given Ord[Int]', 'Ord.compare', 'given Show[User]', 'Show.show']
    assert symbols('a.scala', text) == names


def test_php_properties_with_hooks_are_methods():
    text = """
        <?php
        class User {
            public private(set) string $plain;
            /** First and last. */
            public string $full {
                get => $this->first . $this->last;
                set(string $value) { $this->split($value); }
            }
        }
        interface Named { public string $name { get; } }
    """
    sliced, source, found = cut('a.php', text)
    assert [symbol for _, symbol, _ in outline(sliced)] == ['User', 'User.full', 'Named']
    assert found['User.full'].signature(source) == 'public string $full'


def test_a_scala_definition_ends_before_what_documents_the_next():
    text = """
        object Ops:
          /** One. */
          def one: Int =
            val a = 1
            a
            // of one

          /** Two.
            * And more.
            */
          def two: Int = 2
          // between
          // the two
          def three: Int =
            3
        end Ops

        // Last.
        class Last:
          def four = 4
        // at the end
    """
    _, source, found = cut('a.scala', text)
    assert found['Ops.one'].text(source).endswith('// of one') and found['Ops.one'].doc(source) == '/** One. */'
    assert found['Ops.two'].text(source) == 'def two: Int = 2' and 'And more' in found['Ops.two'].doc(source)
    assert found['Ops'].text(source).endswith('end Ops') and found['Last.four'].text(source) == 'def four = 4'


def test_alignas_is_no_function_where_the_file_has_an_error():
    text = """
        class LIB_API alignas(LIB_LINE) Pool final : public Base<Pool> {
          Pool(const std::function<void(int)>& started = {}, const std::list<int>& all = {});
          void run(int a = , int b) {}
        };
        static decltype(auto) made() {
          return 1;
        }
    """
    assert not {'alignas', 'decltype'} & {name.rpartition('.')[2] for name in symbols('a.hpp', text)}


def test_a_variable_of_c_sharp_that_is_called_async_is_no_keyword():
    sliced, _, found = cut(
        'a.cs',
        """
        class A
        {
            async Task<int> Run(bool async, int n)
            {
                if (async)
                    return await Go(async: true, x: n);
                var f = async () => await Go(async, n);
                return async ? n : Stop(n);
            }
            int Stop(int n) { return n; }
        }
    """,
    )
    assert not sliced.broken
    assert [symbol for _, symbol, _ in outline(sliced)] == ['A', 'A.Run', 'A.Stop']
    assert {'Go', 'Stop'} <= uses(found['A.Run'], 'call')
