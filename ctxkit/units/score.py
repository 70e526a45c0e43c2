"""How hot a unit is, and what comes first where that is the same."""

from __future__ import annotations

FREQUENCY_WEIGHT = 0.3
COLD = 0.3  # below this a unit is cold knowledge
# A commit of more files is a sweep (imports sorted, a licence year changed): it says little about any one of them.
MANY_FILES = 50


_KIND_RANK = {'function': 0, 'method': 0, 'class': 1, 'module': 2, 'section': 3, 'text': 4}
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


_ASIDE = frozenset(
    '__tests__ benchmark benchmarks demo demos doc docs e2e example examples fixtures playground sample samples spec '
    'specs test testdata testing tests third_party vendor'.split()
)


def kind_rank(kind: str, path: str) -> int:
    """Functions before classes, classes before what is left of a module, code before prose and data."""
    if kind in ('text', 'section'):
        name = path.rpartition('/')[2].lower()
        ending = name.rpartition('.')[2]
        if ending in _CODE or name in _CODE_NAMES or name.partition('.')[0] == 'dockerfile':
            return _KIND_RANK['class']
        if ending in _PAGES:
            return _KIND_RANK['module']
    return _KIND_RANK.get(kind, len(_KIND_RANK))


def is_aside(path: str) -> bool:
    """Whether a file is beside what the program does: tests, examples, documentation."""
    return not _ASIDE.isdisjoint(path.lower().split('/')[:-1])


def hot_score(minutes: float, edits_today: int) -> float:
    """`1/(dt+1) + 0.3*file_freq`: dt = minutes since the unit last changed, file_freq = times its file changed today.

    A clock that went back counts as no time passed.
    """
    return 1 / (max(minutes, 0.0) + 1) + FREQUENCY_WEIGHT * edits_today
