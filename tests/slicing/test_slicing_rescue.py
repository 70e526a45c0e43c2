"""What a grammar cannot read, or loses, keeps its definitions."""

from __future__ import annotations

from helpers_slicing import cut, outline

from ctxkit.slicing import slice_file


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
