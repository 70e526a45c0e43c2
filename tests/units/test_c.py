"""Which definition a name of C means in another file: what is static there is not meant, what is included is."""

from __future__ import annotations

USER = '#include <stdio.h>\n#include "util/buf.h"\n\nint run(int n) {\n  return buf_grow(n);\n}\n'
GROW = 'int buf_grow(int n) {\n  return n + 1;\n}\n'


def test_a_function_stands_in_the_source_of_the_header_that_is_included(linked):
    files = {'src/run.c': USER, 'lib/util/buf.h': 'int buf_grow(int n);\n', 'lib/util/buf.c': GROW}
    assert linked(files, 'src/run.c', 'run') == {('calls', 'lib/util/buf.c', 'buf_grow'): True}
    assert linked(files, 'lib/util/buf.c', 'buf_grow') == {('called by', 'src/run.c', 'run'): True}


def test_by_the_name_alone_a_function_of_another_folder_is_a_guess(linked):
    files = {'src/run.c': USER, 'lib/other.c': GROW}
    assert linked(files, 'src/run.c', 'run') == {('calls', 'lib/other.c', 'buf_grow'): False}


def test_what_is_static_in_another_source_is_not_meant(linked):
    files = {'src/run.c': USER, 'src/other.c': f'static {GROW}', 'lib/mine.c': f'static inline {GROW}'}
    assert linked(files, 'src/run.c', 'run') == {}
    files = {'src/run.c': f'static {GROW}\n{USER}', 'src/other.c': f'static {GROW}'}
    assert linked(files, 'src/run.c', 'run') == {('calls', 'src/run.c', 'buf_grow'): True}
    assert linked(files, 'src/other.c', 'buf_grow') == {}
