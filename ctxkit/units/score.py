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
    ada adb ads asm astro awk bas bicep bzl c3 cl clj cljc cljs cls cmake coffee cr cshtml css cu cuh d dart dhall di
    dockerfile edn ejs el elm erb erl ex f f03 f90 f95 feature fish for fs fsi fsx gd glsl gql gradle graphql groovy
    haml hbs hcl heex hlsl hrl hs htm html inc ipynb j2 jinja jinja2 jl jsonnet just lean less lhs liquid lisp lsp m mak
    metal mk ml mli mm mojo mustache nim nix nu odin pas pl pm postcss pp prisma proto ps1 psm1 pug purs pyx qml r razor
    re rego res rkt s sass scm scss slim smithy sml sol sql st styl sv svelte svh tcl templ tf thrift twig v vb vert vhd
    vhdl vim vue wgsl wit xsl xslt yul zig
    """.split()
)
_CODE_NAMES = frozenset(
    'brewfile build build.bazel cmakelists.txt containerfile dockerfile gnumakefile jenkinsfile justfile makefile '
    'meson.build procfile tiltfile workspace'.split()
)


def kind_rank(kind: str, path: str) -> int:
    """Functions before classes, classes before what is left of a module, code before prose and data."""
    if kind in ('text', 'section') and is_code(path):
        return _KIND_RANK['class']
    return _KIND_RANK.get(kind, len(_KIND_RANK))


def is_code(path: str) -> bool:
    """Whether a file that is cut as text is code, by its name."""
    name = path.rpartition('/')[2].lower()
    return name in _CODE_NAMES or name.partition('.')[0] == 'dockerfile' or name.rpartition('.')[2] in _CODE


def hot_score(minutes: float, edits_today: int) -> float:
    """`1/(dt+1) + 0.3*file_freq`: dt = minutes since the unit last changed, file_freq = times its file changed today.

    A clock that went back counts as no time passed.
    """
    return 1 / (max(minutes, 0.0) + 1) + FREQUENCY_WEIGHT * edits_today
