"""Markdown and reStructuredText by heading, other text by windows: nothing that is tracked stays invisible."""

from __future__ import annotations

from ctxkit.slicing import slice_file


def test_markdown_sections_follow_headings_outside_code():
    source = b"""---
title: x
---
intro

# Top `code` [link](http://x)

text

```sh
# not a heading
```

## Second ##

~~~
## nor this
~~~

Setext
======

<!--
# hidden
-->

Lower
-----

- item
---
"""
    sliced = slice_file('a.md', source)
    assert sliced.language == 'markdown'
    assert [(chunk.kind, chunk.symbol, chunk.line) for chunk in sliced.chunks] == [
        ('text', '', 1),
        ('section', 'Top code link', 6),
        ('section', 'Top code link > Second', 14),
        ('section', 'Setext', 20),
        ('section', 'Setext > Lower', 27),
    ]
    assert [chunk.parent for chunk in sliced.chunks] == [-1, -1, 1, -1, 3]
    assert sliced.chunks[1].text(source).endswith('```') and sliced.chunks[2].signature(source) == '## Second ##'


def test_restructured_text_sections_follow_underlines():
    source = b'=====\nTitle\n=====\n\nIntro.\n\nPart\n----\n\ntext\n\n::\n\n    code\n    ----\n\nOther\n-----\nend\n'
    chunks = slice_file('a.rst', source).chunks
    assert [(chunk.symbol, chunk.line) for chunk in chunks] == [
        ('Title', 2),
        ('Title > Part', 7),
        ('Title > Other', 17),
    ]


def test_a_long_section_is_cut_and_keeps_its_name():
    source = b'# Changes\n\n' + b'A paragraph about a change that was made.\n\n' * 600
    chunks = slice_file('a.md', source).chunks
    assert len(chunks) > 2 and {chunk.symbol for chunk in chunks} == {'Changes'}
    assert ' '.join(chunk.text(source) for chunk in chunks).split() == source.decode().split()


def test_other_text_is_cut_at_paragraphs():
    source = b'\n\n'.join(b'key_%d: value\nother: %d' % (number, number) for number in range(300))
    sliced = slice_file('settings.yaml', source)
    assert sliced.language == '' and len(sliced.chunks) > 3
    assert all(chunk.kind == 'text' and chunk.text(source).startswith('key_') for chunk in sliced.chunks)
    assert ' '.join(chunk.text(source) for chunk in sliced.chunks).split() == source.decode().split()


def test_a_large_text_gives_few_windows():
    source = b''.join(b'"package-%d": "1.2.3",\n' % number for number in range(40_000))
    assert len(slice_file('package-lock.json', source).chunks) <= 64


def test_a_window_never_splits_a_character():
    source = ('é' * 1000 + '中' * 900).encode()
    chunks = slice_file('a.txt', source).chunks
    assert ''.join(chunk.text(source) for chunk in chunks).encode() == source


def test_code_without_a_grammar_is_cut_where_a_definition_begins():
    body = ''.join(f'  line {n}\n\n' for n in range(12))
    source = ''.join(f'resource "a" "r{n}" {{\n{body}}}\n\n' for n in range(40)).encode()
    for chunk in slice_file('main.tf', source).chunks:
        assert chunk.text(source).startswith('resource') and chunk.text(source).endswith('}')


def test_a_definition_that_is_a_little_longer_than_a_window_is_not_cut():
    source = ''.join(f'resource "r{n}" {{\n' + '  a = 1\n\n' * 240 + '}\n\n' for n in range(3)).encode()
    assert [chunk.text(source)[:13] for chunk in slice_file('main.tf', source).chunks] == [
        'resource "r0"',
        'resource "r1"',
        'resource "r2"',
    ]


def test_no_window_of_a_section_reaches_into_the_next():
    source = b'# One\n\n' + b'word word word\n' * 500 + b'\n# Two\n\nmore\n'
    ends = {chunk.symbol: chunk.end_byte for chunk in slice_file('a.md', source).chunks}
    assert ends['One'] < source.index(b'# Two')


def test_badges_and_link_targets_are_no_part_of_a_title():
    titles = {
        '# Tool [![Tests](https://a/b.svg)][3] [![CII](https://c/d)](https://e)': 'Tool',
        '## [6.6.0](https://a/compare/v1...v2) (2026-01-08)': '6.6.0 (2026-01-08)',
        '## [1.2][link] and *more*': '1.2 and more',
        '# ![Logo](logo.png)': 'Logo',
        '## [Unreleased]': '[Unreleased]',
    }
    for heading, title in titles.items():
        assert slice_file('a.md', f'{heading}\n\ntext\n'.encode()).chunks[0].name == title
