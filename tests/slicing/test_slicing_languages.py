"""Which language a file is in: by its name, and by its content where the name leaves it open."""

from __future__ import annotations

import pytest

from ctxkit.slicing import slice_file


@pytest.mark.parametrize(
    ('name', 'language'),
    [
        ('a.py', 'python'),
        ('x/SConstruct', 'python'),
        ('a.pyi', 'python'),
        ('a.jsx', 'javascript'),
        ('a.mjs', 'javascript'),
        ('a.cts', 'typescript'),
        ('a.tsx', 'tsx'),
        ('a.H', 'c'),
        ('a.hpp', 'cpp'),
        ('Rakefile', 'ruby'),
        ('.bashrc', 'bash'),
        ('README.MD', 'markdown'),
        ('a.rst', 'rst'),
        ('Makefile', ''),
        ('a.tar.gz', ''),
        ('dir.py/file', ''),
    ],
)
def test_language_follows_from_the_name(name, language):
    from ctxkit.slicing import language_of

    assert language_of(name) == language


@pytest.mark.parametrize(
    ('name', 'source', 'language'),
    [
        ('tool', b'#!/usr/bin/env python3\nx = 1\n', 'python'),
        ('tool', b'#!/bin/sh -e\nx=1\n', 'bash'),
        ('tool', b'#!/usr/bin/perl\n', ''),
        ('a.h', b'namespace a {\nclass B {};\n}\n', 'cpp'),
        ('a.h', b'int f(void);\n', 'c'),
    ],
)
def test_language_follows_from_the_content_where_the_name_leaves_it_open(name, source, language):
    assert slice_file(name, source).language == language
