"""Classify files without a grammar by their names: code, a page, configuration, or prose and data."""

from __future__ import annotations

CODE, PAGE, CONFIG = 'code', 'page', 'config'
# Languages without a grammar: their files are cut into windows of text, but are code all the same.
_CODE = frozenset(
    """
    ada adb ads agda asm awk bas bb bbclass bicep bzl c3 cabal cairo cginc cl clj cljc cljs cls cmake coffee comp
    compute cr cu cuh cypher d dart ddl dhall di dockerfile edn el elm erl ex f f03 f90 f95 feature fish for frag fs
    fsi fsx gd geom gleam glsl gn gni gql gradle graphql groovy hcl hlsl hrl hs hsc hx inc ipynb ispc jl jsonnet
    just lean lhs lisp lsp m mak metal mk ml mli mll mlx mly mm mojo move msl nasm nim nimble nix nu odin pas pgsql
    pkb pks pl plsql pm pp prisma proto ps1 psm1 psql purs pyx qml r rchit re rego res rgen rkt roc s scm shader
    smithy sml sol sql st sv svh tcl tesc tese tf thrift usf ush v vb vert vhd vhdl vim wat wesl wgsl wit yul zig
    """.split()
)
# Pages and styles; like imports, they rank after what the program does.
_PAGES = frozenset(
    """
    astro axaml cshtml css ejs erb gohtml gotmpl haml hbs heex htm html j2 jinja jinja2 less liquid mustache njk
    postcss pug razor sass scss slim styl svelte templ tmpl tpl twig vue xaml xhtml xsl xslt
    """.split()
)
_CONFIG = frozenset('yaml yml'.split())
_CODE_NAMES = frozenset(
    'brewfile build build.bazel cmakelists.txt containerfile dockerfile gnumakefile jenkinsfile justfile makefile '
    'meson.build procfile tiltfile workspace'.split()
)


def text_class(path: str) -> str:
    """The class of a file: CODE, PAGE, CONFIG, or '' for prose and data."""
    name = path.rpartition('/')[2].lower()
    ending = name.rpartition('.')[2]
    if ending in _CODE or name in _CODE_NAMES or name.partition('.')[0] == 'dockerfile':
        return CODE
    if ending in _CONFIG:
        return CONFIG
    return PAGE if ending in _PAGES else ''
