"""Tell whether a definition that the index no longer finds is, or may be, still there in another form.

A syntax error hides the definitions around it from the parser; an alias, a macro, an import, generated code, a variable
or a class outside the tree can provide what a function provided before.
"""

from __future__ import annotations

import builtins
import re
from functools import lru_cache

from ctxkit.index.path_classes import is_outside_own_code
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
# `name = `, `using name`, `typedef int name;`, `} name;`, `#define name`, outside functions. NAME stands for the name.
_GIVES = (
    r'(?m)^[ \t]*(?:#[ \t]*define[ \t]+NAME\b|(?:export[ \t]+)?(?:using|type|typealias|alias|typedef)\b[^\n;=]*\bNAME\b'
    r'|\}[ \t]*NAME[ \t]*;|(?:[\w<>,.:*&?\[\]]+(?<!:)[ \t]+)*(?:[\w.]+\.)?NAME[ \t]*(?::[^=\n(){};]+)?=(?![=>]))'
)
_LOMBOK = re.compile(r'@(?:lombok\.)?(?:Builder|Data|Delegate|Getter|Setter|SuperBuilder|Value|With)\b')
_BY_LOMBOK = frozenset('builder canEqual equals hashCode toBuilder toString'.split())
_DERIVED = dict(clone='Clone', cmp='Ord', default='Default', eq='PartialEq', fmt='Debug', hash='Hash', ne='PartialEq')
_DERIVED['partial_cmp'] = 'PartialOrd'
_STD_DERIVED = 'Clone|Copy|Debug|Default|Deserialize|Eq|Hash|Ord|PartialEq|PartialOrd|Serialize'
# A class that can have any method: by a macro of another crate, by generated code in C#, by a fallback for any name.
_ANYTHING = re.compile(
    rf'\bderive\((?!\s*(?:(?:\w+::)*(?:{_STD_DERIVED})\s*,?\s*)*\))'
    r'|\[\w*(?:Generate|Observable|Reactive|RelayCommand)\w*|\b(?:method_missing|__getattr__|__call|__callStatic|Delegate)\b'
)
_PASSED_ON = re.compile(rb'(?m)^[ \t]*pub(?:\([^()\n]*\))?[ \t]+use\b[^;]{0,500}\*')  # Rust re-exports all of a module
_GIVE_NOTHING = frozenset(('object', 'Object', 'ABC', 'Generic', 'Protocol'))  # bases without methods to call
_DEEPEST, _MOST_BASES = 8, 40  # levels of base classes that are followed, and definitions of one base
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
    'ruby': frozenset(  # `class String` only reopens the built-in class
        'Array BasicObject Class Comparable Data Date DateTime Dir Encoding Enumerable Enumerator Exception FalseClass '
        'Fiber File Float GC Hash IO Integer Kernel Module NilClass Numeric Object Proc Process Random Range Rational '
        'Regexp Set StandardError String StringIO Struct Symbol Thread Time TrueClass'.split()
    ),
}
_BUILT_IN |= dict.fromkeys(('typescript', 'tsx', 'vue', 'svelte'), _BUILT_IN['javascript'])


def stands(place: Place, old: bytes, new: bytes) -> bool:
    """Whether the version `new` of a file still opens the definition at `place` of its version `old`.

    By the same line, or by a keyword and its name.
    """
    at = old.find(place.name.encode('utf-8', 'surrogateescape'), place.sig_start or place.start_byte, place.end_byte)
    if at < 0:
        return False
    end = old.find(b'\n', at)
    line = old[old.rfind(b'\n', 0, at) + 1 : end if end >= 0 else len(old)].strip()
    lines, opened = _of_version(new)
    return line in lines or place.name in opened


@lru_cache(maxsize=4)  # needed for each definition that a version lost
def _of_version(source: bytes) -> tuple[frozenset[bytes], frozenset[str]]:
    """The lines of a file, stripped, and the names that `names_opened` gives."""
    return frozenset(line.strip() for line in source.split(b'\n')), names_opened(source.decode('utf-8', 'replace'))


def names_opened(text: str) -> frozenset[str]:
    """The names that follow a keyword like `def` or `class` in some line of a text, whatever its language."""
    found = _OPENS.findall(text)
    return frozenset((*found, *(name.rstrip('?!=') for name in found)))


def in_unknown_language(tree: Present, name: str) -> bool:
    """Whether a file in a language without a grammar, read as plain text, opens a definition of this name."""
    return any(
        name in names_opened(part.text()) for part in tree.holding(name, 'text') if not is_outside_own_code(part.path)
    )


def given_otherwise(tree: Present, name: str, path: str, method: bool) -> bool:
    """Whether something other than a definition provides the name in `path` now: an alias, a macro, an assignment.

    Only the file itself is searched for a method, or if bare names cannot come from other files; else all files.
    """
    alone = method or scope_of(path) == FILE
    gives = re.compile(_GIVES.replace('NAME', re.escape(name)))
    # In Ruby, `attr_reader :a, :b` is a chunk of its own, a method named `a`.
    for kind in ('module', 'class', 'method') if language_of(path) == 'ruby' else ('module', 'class'):
        for part in tree.holding(name, kind):
            same = part.path == path
            if (same or not alone) and gives.search(part.text()) or same and declares(name, path, kind, part.text()):
                return True
    return False


def gives_any_name(tree: Present, path: str) -> bool:
    """Whether a module can provide names that no file of the tree shows.

    It re-exports all names of a module outside the tree, or has a function `__getattr__`.
    """
    if scope_of(path) != FILE:  # names are not imported from a single file
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
    """Whether a method of `owner` can be generated: by a Java or C# record, Lombok, a Kotlin property, a derive."""
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
    """Whether a definition in C was only a fallback for systems without the name: inside `#ifndef NAME`."""
    word = re.escape(name.encode('utf-8', 'surrogateescape'))
    head = rb'(?m)^[ \t]*#[ \t]*(?:ifndef[ \t]+|(?:el)?if\b.*!\s*defined\b\W*)'
    return re.search(head + word + rb'\b', old) is not None


def built_in(name: str, path: str) -> bool:
    """Whether the file's language has a built-in of this name, which callers of a removed shim now use."""
    return name in _BUILT_IN.get(language_of(path), ())


def otherwise_used(name: str, text: str) -> bool:
    """Whether a text contains a name other than in calls: there it may be bound to something else."""
    return re.search(rf'(?<![\w$]){re.escape(name)}(?![\w$])(?!{_CALLED})', text) is not None


def may_be_inherited(tree: Present, symbol: str, path: str) -> bool:
    """Whether a class can have any method: one of its bases, at any level, is not in the tree, or code is generated."""
    return tree.once(('inherited', symbol, path), lambda: _may_be_inherited(tree, symbol, path))


def _may_be_inherited(tree: Present, symbol: str, path: str) -> bool:
    wanted = symbol.rpartition('.')[2]
    level = [part for part in tree.defining(wanted) if part.path == path]
    if language_of(path) == 'rust':  # the methods of a type are in separate `impl` blocks
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
