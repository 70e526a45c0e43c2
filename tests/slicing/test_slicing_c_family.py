"""C, C++ and C#: the definitions, and what each of them calls and needs."""

from __future__ import annotations

from helpers_slicing import cut, outline, uses


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


def test_the_last_line_of_a_macro_is_no_macro_alone_and_the_next_one_begins_behind_it():
    sliced, _, found = cut(
        'a.h',
        """
        #define EXPECT_OK(x) \\
          EXPECT_THAT(x, IsOK())
        #define ASSERT_OK(x) \\
          ASSERT_THAT(x, IsOK())
    """,
    )
    assert [name for _, name, _ in outline(sliced)] == ['EXPECT_OK', 'ASSERT_OK']
    assert found['EXPECT_OK'].start_line + 1 == found['EXPECT_OK'].end_line


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
