"""Java, Kotlin and Scala: the definitions, and what each of them calls and needs."""

from __future__ import annotations

from helpers_slicing import cut, outline, uses

from ctxkit.slicing import slice_file


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


def test_kotlin_functions_of_function_types_are_cut_however_many_ways_there_are_to_read_them():
    one = (
        '@JvmName("partially{0}Effect")\nfun <A, B, C, D, R> (suspend (A, B, C, D) -> R).partially{0}(a: A): '
        'suspend (B, C, D) -> R =\n  {{ b: B -> this(a) }}\n'
    )
    text = '\n'.join(one.format(number) for number in range(400))
    sliced = slice_file('partials.kt', text.encode())
    names = [chunk.name for chunk in sliced.chunks if chunk.kind == 'function']
    assert names == [f'partially{number}' for number in range(400)]


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
