"""Kotlin and Scala: an import means a full name, with the package that a file says, not a file of that name."""

from __future__ import annotations

import pytest

ENTRY = '/* A licence. */\npackage kit.zip // here\n\nclass Entry {\n  fun size(): Int = 1\n}\n'
USES = [  # the file that calls, what it imports and does, what it is linked to, surely or not
    ('import kit.zip.Entry', 'Entry()', ('Parts.kt', 'Entry', True)),
    ('import java.util.zip.Entry', 'Entry()', None),
    ('import kit.zip.*', 'Entry()', ('Parts.kt', 'Entry', True)),
    ('', 'kit.zip.Entry()', ('Parts.kt', 'Entry', True)),
    ('import kit.zip.shrink', '"a".shrink()', ('Text.kt', 'String.shrink', False)),
    ('import kit.zip.shrink', 'shrink()', ('Text.kt', 'String.shrink', True)),
    ('import kit.zip.grow', 'grow()', None),
    ('import kit.zip.Tool.Companion.grow', 'grow()', ('Text.kt', 'Tool.grow', True)),
    ('import other.Tool', 'Tool.grow()', None),
]


@pytest.mark.parametrize(('imports', 'call', 'meant'), USES)
def test_an_import_of_kotlin_means_a_full_name(linked, imports, call, meant):
    text = (
        'package kit.zip\n\nfun String.shrink(): String {\n  return trim()\n}\n\n'
        'class Tool {\n  companion object {\n    fun grow(): Int {\n      return 1\n    }\n  }\n}\n'
    )
    use = f'package app\n\n{imports}\n\nfun use() {{\n  {call}\n}}\n'
    found = linked({'Parts.kt': ENTRY, 'Text.kt': text, 'app/Use.kt': use}, 'app/Use.kt', 'use')
    found = {key: sure for key, sure in found.items() if key[0] == 'calls'}
    assert found == ({('calls', *meant[:2]): meant[2]} if meant else {})


SCALA = [
    ('import kit.util.Text._', 'trim(1)', True),
    ('import util.Text.trim', 'trim(1)', True),  # within the package `kit`
    ('import other.Text.trim', 'trim(1)', None),
    ('', 'util.Text.trim(1)', True),
    ('', 'kit.util.Text.trim(1)', True),
]


@pytest.mark.parametrize(('imports', 'call', 'sure'), SCALA)
def test_an_import_of_scala_can_leave_out_the_packages_around_it(linked, imports, call, sure):
    text = 'package kit\npackage util\n\nobject Text {\n  def trim(a: Int): Int = {\n    a\n  }\n}\n'
    use = f'package kit.app\n\n{imports}\n\nobject Use {{\n  def use(): Int = {{\n    {call}\n  }}\n}}\n'
    found = linked({'a/Parts.scala': text, 'b/Use.scala': use}, 'b/Use.scala', 'Use.use')
    assert found.get(('calls', 'a/Parts.scala', 'Text.trim')) is sure


def test_of_equally_near_files_for_different_platforms_none_is_said_to_be_meant(linked):
    text = 'package kit\n\nclass Buffer {\n  val size = 1\n}\n'
    use = 'package app\n\nimport kit.Buffer\n\nfun use() {\n  Buffer()\n}\n'
    files = {'kit/jvm/Buffer.kt': text, 'kit/js/Buffer.kt': f'{text}\n', 'app/Use.kt': use}
    found = linked(files, 'app/Use.kt', 'use')
    assert found == {('calls', f'kit/{one}/Buffer.kt', 'Buffer'): False for one in ('jvm', 'js')}


def test_a_nested_definition_is_not_meant_by_the_name_of_an_outer_one(linked):
    text = 'package kit\n\nobject write {\n  object channel {\n    object over {\n      val a = 1\n    }\n  }\n}\n'
    use = 'package app\n\nobject Use {\n  def use() = {\n    kit.write.over(1)\n  }\n}\n'
    found = linked({'a/W.scala': text, 'b/Use.scala': use}, 'b/Use.scala', 'Use.use')
    assert found.get(('calls', 'a/W.scala', 'write.channel.over')) is not True


PRIVATE = [
    ('kt', 'private fun LONG.shift(): Int {\n  return 1\n}\n', 'fun use(a: Int) {\n  a.shift()\n}\n'),
    (
        'kt',
        '@Keep("a") internal inline fun LONG.shift(): Int {\n  return 1\n}\n',
        'fun use(a: Int) {\n  a.shift()\n}\n',
    ),
    ('swift', 'fileprivate func shift() -> Int {\n  return 1\n}\n', 'func use() {\n  shift()\n}\n'),
    ('swift', 'func shift() -> Int {\n  return 1\n}\n', 'func use() {\n  shift()\n}\n'),
    ('scala', 'object A {\n  private def shift(a: Int) = {\n    1\n  }\n}\n', 'def use(a: B) = {\n  a.shift(1)\n}\n'),
    (
        'scala',
        'object A {\n  private[kit] def shift(a: Int) = {\n    1\n  }\n}\n',
        'def use(a: B) = {\n  a.shift(1)\n}\n',
    ),
]


@pytest.mark.parametrize(('ending', 'text', 'use'), PRIVATE)
def test_what_is_private_to_a_file_is_not_called_from_another(linked, ending, text, use):
    found = linked({f'A.{ending}': text, f'Use.{ending}': use}, f'Use.{ending}', 'use')
    assert any(key[0] == 'calls' for key in found) == ('private ' not in text.replace('fileprivate', 'private'))


def test_in_an_extension_a_bare_name_can_mean_a_member_of_its_type(linked):
    text = (
        'class Path {\n  fun text(): Int {\n    return 1\n  }\n\n  fun own(): Int {\n    return text()\n  }\n\n'
        '  fun Other.go(): Int {\n    return text()\n  }\n}\n'
    )
    assert linked({'a.kt': text}, 'a.kt', 'Path.own')[('calls', 'a.kt', 'Path.text')]
    assert not linked({'a.kt': text}, 'a.kt', 'Path.Other.go')[('calls', 'a.kt', 'Path.text')]


def test_classes_that_extend_each_other_end(linked):
    text = 'package kit\n\nclass {} : {}() {{\n  fun use(): Int {{\n    return go()\n  }}\n}}\n'
    files = {f'{one}.kt': text.format(one, two) for one, two in (('A', 'B'), ('B', 'C'), ('C', 'A'))}
    files['D.kt'] = 'package kit\n\nclass D {\n  fun go(): Int {\n    return 1\n  }\n}\n'
    assert linked(files, 'A.kt', 'A.use').get(('calls', 'D.kt', 'D.go')) is not True
