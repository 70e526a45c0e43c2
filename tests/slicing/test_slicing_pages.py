"""Vue and Svelte components: their scripts are code, what is around them is text."""

from __future__ import annotations

import pytest

from ctxkit.slicing import slice_file

VUE = b"""<template>
  <Counter @click="add" />
</template>

<script setup lang="ts" generic="T extends Array<string>">
import Counter from './Counter.vue'
const step: number = 2
function add(n: number): number {
  return n + step
}
</script>

<style>
.\xc3\xa4 { color: red }
</style>
"""


@pytest.mark.parametrize('path', ['a.vue', 'a.svelte'])
def test_a_script_is_code_and_keeps_its_place(path):
    done = slice_file(path, VUE)
    assert (done.language, done.broken) == (path[2:], 0)
    found = {chunk.symbol or chunk.text(VUE).split()[0]: (chunk.kind, chunk.start_line) for chunk in done.chunks}
    assert found == {
        '<template>': ('text', 1),
        'import': ('module', 6),
        'add': ('function', 8),
        '<style>': ('text', 13),
    }
    module = next(chunk for chunk in done.chunks if chunk.kind == 'module')
    assert [(ref.kind, ref.qualifier) for ref in module.references if ref.kind == 'import'] == [
        ('import', './Counter.vue')
    ]
    assert next(c for c in done.chunks if c.symbol == 'add').text(VUE).startswith('function add(n: number)')


def test_parents_are_those_of_the_script_whatever_stands_before_it():
    source = b'<p/>\n\n<script>\nclass Box {\n  open() {\n    return 1\n  }\n}\n</script>\n'
    chunks = slice_file('a.svelte', source).chunks
    inner = next(chunk for chunk in chunks if chunk.kind == 'method')
    assert chunks[inner.parent].symbol == 'Box'


def test_a_component_without_a_script_is_text():
    assert [chunk.kind for chunk in slice_file('a.vue', b'<template>\n  <p>one</p>\n</template>\n').chunks] == ['text']
    assert slice_file('a.vue', b'').chunks == ()


def test_tags_that_never_end_cost_no_search_each(quick):
    """Quadratic work on a megabyte would take hours."""
    for crafted in (
        b'<script "' * 110_000,
        b'<script>x' * 110_000,
        b"<script '>" * 90_000,
        b'<SCRIPT></script ' * 60_000,
    ):
        slice_file('a.vue', crafted)
