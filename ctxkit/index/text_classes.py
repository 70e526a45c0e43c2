"""What a file that no grammar cuts is, by its name: code, a page, or prose and data."""

from __future__ import annotations

CODE, PAGE = 'code', 'page'
# Of a language without a grammar there are only windows of text: code all the same, which prose and data are not.
_CODE = frozenset(
    """
    ada adb ads asm awk bas bicep bzl c3 cl clj cljc cljs cls cmake coffee cr cu cuh d dart dhall di dockerfile edn el
    elm erl ex f f03 f90 f95 feature fish for fs fsi fsx gd glsl gql gradle graphql groovy hcl hlsl hrl hs inc ipynb jl
    jsonnet just lean lhs lisp lsp m mak metal mk ml mli mm mojo nim nix nu odin pas pl pm pp prisma proto ps1 psm1 purs
    pyx qml r re rego res rkt s scm smithy sml sol sql st sv svh tcl tf thrift v vb vert vhd vhdl vim wgsl wit yul zig
    """.split()
)
# Pages and styles come after what the program does, as imports do.
_PAGES = frozenset(
    """
    astro cshtml css ejs erb haml hbs heex htm html j2 jinja jinja2 less liquid mustache postcss pug razor sass scss
    slim styl svelte templ twig vue xsl xslt
    """.split()
)
_CODE_NAMES = frozenset(
    'brewfile build build.bazel cmakelists.txt containerfile dockerfile gnumakefile jenkinsfile justfile makefile '
    'meson.build procfile tiltfile workspace'.split()
)


def text_class(path: str) -> str:
    """CODE, PAGE, or '' for prose and data."""
    name = path.rpartition('/')[2].lower()
    ending = name.rpartition('.')[2]
    if ending in _CODE or name in _CODE_NAMES or name.partition('.')[0] == 'dockerfile':
        return CODE
    return PAGE if ending in _PAGES else ''
