"""Whether a definition that the index does not find any more is still there, or may be, in another form.

A syntax error hides the definitions around it from the parser; an alias, a macro, an import, generated code, a variable
or a class that is not of the tree can give what a function gave before.
"""

from __future__ import annotations

import builtins
import re
from functools import lru_cache

from ctxkit.index.path_classes import beside
from ctxkit.index.record import Place
from ctxkit.slicing import FILE, language_of, scope_of
from ctxkit.units.declared import declares
from ctxkit.units.modules import module_files
from ctxkit.units.present import Present

_KEYWORDS = (
    'class|cpdef|def|defmacro|defmacrop|defp|fn|fun|func|function|interface|macro_rules!|module|object|struct|trait'
)
_OPENS = re.compile(rf'(?m)^[^#/*"\'\n]*\b(?:{_KEYWORDS})\s+(?:\([^()\n]*\)\s*)?([\w$]+[?!=]?)')
_CALLED = r'\s*(?:(?:::)?<[^<>()]*>|\[[^\[\]()]*\])?\s*[({!]'  # `name(`, `name<T>(`, `name::<T>(`, `name!`
# `name = `, `using name`, `typedef int name;`, `} name;`, `#define name`, in a part that is no function.
_GIVES = (
    r'(?m)^[ \t]*(?:#[ \t]*define[ \t]+NAME\b|(?:export[ \t]+)?(?:using|type|typealias|alias|typedef)\b[^\n;=]*\bNAME\b'
    r'|\}[ \t]*NAME[ \t]*;|(?:[\w<>,.:*&?\[\]]+(?<!:)[ \t]+)*(?:[\w.]+\.)?NAME[ \t]*(?::[^=\n(){};]+)?=(?![=>]))'
)
_LOMBOK = re.compile(r'@(?:lombok\.)?(?:Builder|Data|Delegate|Getter|Setter|SuperBuilder|Value|With)\b')
_BY_LOMBOK = frozenset('builder canEqual equals hashCode toBuilder toString'.split())
_DERIVED = dict(clone='Clone', cmp='Ord', default='Default', eq='PartialEq', fmt='Debug', hash='Hash', ne='PartialEq')
_DERIVED['partial_cmp'] = 'PartialOrd'
_STD_DERIVED = 'Clone|Copy|Debug|Default|Deserialize|Eq|Hash|Ord|PartialEq|PartialOrd|Serialize'
# Derived by a macro of others, generated beside a class of C#, answered by name.
_ANYTHING = re.compile(
    rf'\bderive\((?!\s*(?:(?:\w+::)*(?:{_STD_DERIVED})\s*,?\s*)*\))'
    r'|\[\w*(?:Generate|Observable|Reactive|RelayCommand)\w*|\b(?:method_missing|__getattr__|__call|__callStatic|Delegate)\b'
)
_PASSED_ON = re.compile(rb'(?m)^[ \t]*pub(?:\([^()\n]*\))?[ \t]+use\b[^;]{0,500}\*')  # what a module of Rust imports
_GIVE_NOTHING = frozenset(('object', 'Object', 'ABC', 'Generic', 'Protocol'))  # bases without methods to call
_DEEPEST, _MOST_BASES = 8, 40  # bases of bases, and definitions of one name, that are looked at
_BUILT_IN = {
    'python': frozenset(dir(builtins)),
    'go': frozenset(
        'append cap clear close complex copy delete imag len make max min new panic print real recover'.split()
    ),
    'javascript': frozenset(
        'atob btoa clearInterval clearTimeout decodeURI decodeURIComponent encodeURI encodeURIComponent fetch isFinite '
        'isNaN parseFloat parseInt queueMicrotask require setImmediate setInterval setTimeout structuredClone '
        'Awaited Capitalize ConstructorParameters Exclude Extract InstanceType Lowercase NoInfer NonNullable Omit '
        'Parameters Partial Pick Readonly Record Required ReturnType ThisType Uncapitalize Uppercase'.split()
    ),
    'ruby': frozenset(  # a class of these is only opened again
        'Array BasicObject Class Comparable Data Date DateTime Dir Encoding Enumerable Enumerator Exception FalseClass '
        'Fiber File Float GC Hash IO Integer Kernel Module NilClass Numeric Object Proc Process Random Range Rational '
        'Regexp Set StandardError String StringIO Struct Symbol Thread Time TrueClass'.split()
    ),
}
_BUILT_IN |= dict.fromkeys(('typescript', 'tsx', 'vue', 'svelte'), _BUILT_IN['javascript'])


def stands(place: Place, old: bytes, new: bytes) -> bool:
    """Whether a file still opens the definition that was at `place` of its version `old`: by the same line, or by a
    keyword and its name."""
    at = old.find(place.name.encode('utf-8', 'surrogateescape'), place.sig_start or place.start_byte, place.end_byte)
    if at < 0:
        return False
    end = old.find(b'\n', at)
    line = old[old.rfind(b'\n', 0, at) + 1 : end if end >= 0 else len(old)].strip()
    lines, opened = _of_version(new)
    return line in lines or place.name in opened


@lru_cache(maxsize=4)  # a version is asked for each definition that it lost
def _of_version(source: bytes) -> tuple[frozenset[bytes], frozenset[str]]:
    """The lines of a file, stripped, and the names that `names_opened` gives."""
    return frozenset(line.strip() for line in source.split(b'\n')), names_opened(source.decode('utf-8', 'replace'))


def names_opened(text: str) -> frozenset[str]:
    """The names of which lines of a text open a definition by a keyword of some language."""
    found = _OPENS.findall(text)
    return frozenset((*found, *(name.rstrip('?!=') for name in found)))


def in_unknown_language(tree: Present, name: str) -> bool:
    """Whether a file that is read as plain text, in a language without grammar, opens a definition of this name."""
    return any(name in names_opened(part.text()) for part in tree.holding(name, 'text') if not beside(part.path))


def given_otherwise(tree: Present, name: str, path: str, method: bool) -> bool:
    """Whether what is no definition gives the name of `path` now: an alias, a macro, an assignment.

    In the file itself, or in any file where a bare name that is no method can come from others.
    """
    alone = method or scope_of(path) == FILE
    gives = re.compile(_GIVES.replace('NAME', re.escape(name)))
    # In Ruby `attr_reader :a, :b` is a chunk of its own, and named after the first.
    for kind in ('module', 'class', 'method') if language_of(path) == 'ruby' else ('module', 'class'):
        for part in tree.holding(name, kind):
            same = part.path == path
            if (same or not alone) and gives.search(part.text()) or same and declares(name, path, kind, part.text()):
                return True
    return False


def gives_any_name(tree: Present, path: str) -> bool:
    """Whether a module can give names that no file of the tree shows: all of another project, or by a function."""
    if scope_of(path) != FILE:  # nothing is imported from the file itself
        return False
    source = tree.source(path)
    if re.search(rb'(?m)^def __getattr__\b', source):
        return True
    rust = language_of(path) == 'rust'
    if rust and not _PASSED_ON.search(source):
        return False
    far = [
        module
        for module in tree.passed_on(path)
        if not (module.partition('.')[0] in ('crate', 'self', 'super') if rust else module.startswith('.'))
    ]
    return any(not any(module_files(tree.modules_with(path), path, module, ())) for module in far)


def generated(tree: Present, owner: str, name: str) -> bool:
    """Whether a method can be one that no file spells out: of a record of Java or C#, by Lombok, a property of Kotlin,
    derived in Rust."""
    field = re.sub('^(?:get|set|is|with)(?=[A-Z])', '', name)
    field = f'{field[:1].lower()}{field[1:]}'
    for part in tree.defining(owner):
        text, language = part.text(), language_of(part.path)
        held = re.search(rf'(?<!\w){re.escape(field)}(?!\w)', text)
        if language == 'java' and (held or name in _BY_LOMBOK) and _LOMBOK.search(text):
            return True
        if language in ('csharp', 'java') and re.search(rf'\brecord\s[^{{;]{{0,2000}}\W{re.escape(name)}\s*[,)]', text):
            return True
        if language == 'kotlin' and re.search(rf'\bva[lr]\s+(?:{re.escape(field)}|{re.escape(name)})\b', text):
            return True
        if language == 'rust' and name in _DERIVED and re.search(rf'\bderive\([^)]*\b{_DERIVED[name]}\b', text):
            return True
    return False


def is_fallback(name: str, old: bytes) -> bool:
    """Whether a definition of C was made only where no header gives the name: `#ifndef NAME`."""
    word = re.escape(name.encode('utf-8', 'surrogateescape'))
    head = rb'(?m)^[ \t]*#[ \t]*(?:ifndef[ \t]+|(?:el)?if\b.*!\s*defined\b\W*)'
    return re.search(head + word + rb'\b', old) is not None


def built_in(name: str, path: str) -> bool:
    """Whether the file's language has a function of this name: who called a removed shim of it calls that now."""
    return name in _BUILT_IN.get(language_of(path), ())


def otherwise_used(name: str, text: str) -> bool:
    """Whether a text holds a name other than where it calls it: it may be bound there to something else."""
    return re.search(rf'(?<![\w$]){re.escape(name)}(?![\w$])(?!{_CALLED})', text) is not None


def may_be_inherited(tree: Present, symbol: str, path: str) -> bool:
    """Whether a class of a file has a base, or a base of one, that the tree does not define, or is made in part by
    what no file shows: it can have any method."""
    return tree.once(('inherited', symbol, path), lambda: _may_be_inherited(tree, symbol, path))


def _may_be_inherited(tree: Present, symbol: str, path: str) -> bool:
    wanted = symbol.rpartition('.')[2]
    level = [part for part in tree.defining(wanted) if part.path == path]
    if language_of(path) == 'rust':  # what a type has is in blocks of their own
        level += [part for part in tree.referring(wanted) if part.symbol.startswith('impl')]
    seen = {wanted}
    for _ in range(_DEEPEST):
        if any(_ANYTHING.search(part.text()) for part in level):
            return True
        bases = {one.name for part in level for one in part.references if one.kind == 'base'}
        level = []
        for base in sorted(bases - seen - _GIVE_NOTHING):
            defining = tree.defining_few(base, _MOST_BASES)
            if not defining:  # none, or too many to tell which
                return True
            level += defining
        seen |= bases
    return False
