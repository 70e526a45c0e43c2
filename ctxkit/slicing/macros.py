"""Blank what a grammar cannot parse: macros of C and C++, conditions of C#, and syntax newer than the grammar."""

from __future__ import annotations

import re

from ctxkit.slicing.directives import without_conditions

# `class LEVELDB_EXPORT DB : public Base {`: the export macro would be taken for the class's name.
_EXPORT = re.compile(
    rb'\b(?:class|struct|union|enum(?:\s+class)?)\s+([A-Z][A-Z0-9_]{2,}(?:\s*\([^()\n]*\))?)'
    rb'(?=\s+(?:alignas\s*\([^()\n]*\)\s*)?[A-Za-z_][\w:]*\s*'
    rb'(?:<[^<>\n]*>\s*)?(?:final\s*)?[:{])',
)
_ARGUMENTS = rb'(?:[ \t]*\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\))?'
# `NAMESPACE_BEGIN`, `DISALLOW_COPY(Type)` on a line of their own, with no semicolon and no body below; but not as the
# last line of a macro definition, which would then include the next line.
_ALONE = re.compile(
    rb'^(?<!\\\n)(?<!\\\r\n)[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+' + _ARGUMENTS + rb')[ \t]*(?://[^\n]*)?\r?$'
    rb'(?!\s*(?:[{:=(.,;?&|+*<>-]|/(?![/*])))',
    re.M,
)
# `LIB_EXTERN int f(void)`, `static FORCE_INLINE void g()`: what stands before the type, at the start of a line.
# The brackets of a template may not contain another one, or a line of them could be matched in many ways.
_SPECIFIERS = (
    rb'^[ \t]*(?:(?:static|inline|extern|virtual|constexpr|explicit|friend|'
    rb'template[ \t]*<(?:(?!template\b)[^\n{}()])*>)[ \t]+)*'
)
_BEFORE = re.compile(
    _SPECIFIERS + rb'([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ \t]+[A-Za-z_][\w:<>,*& \t]*[ \t*&]+[\w:~]+[ \t]*\()',
    re.M,
)
# Only in C++, where a constructor has no type: `LIB_INLINE logger::logger(...)`, `LIB_CONSTEXPR buffer(...)`.
_BEFORE_NAME = re.compile(
    _SPECIFIERS + rb'([A-Z][A-Z0-9]*_[A-Z0-9_]+' + _ARGUMENTS + rb')(?=[ \t]+(?:[A-Za-z_~]|::))',
    re.M,
)
# `void f() LIB_NOEXCEPT {`, `int count_ GUARDED_BY(mutex_);`, `void LIB_INLINE pool::run()`
_AFTER = re.compile(rb'\)\s*(?:const\s*)?([A-Z][A-Z0-9]*_[A-Z0-9_]+' + _ARGUMENTS + rb')(?=\s*[{:])')
# For the grammar, a comment before a line continuation would end the macro.
_COMMENT = re.compile(rb'(/\*[^*\n]*(?:\*(?!/)[^*\n]*)*\*/)(?=[ \t]*\\\r?$)', re.M)
_FIELD = re.compile(
    rb'(?<!return)(?<!else)(?<![,+-])[ \t]\w+[ \t\n]+([A-Z][A-Z0-9]*_[A-Z0-9_]+\([\w.,> \t-]*\))(?=[ \t]*[;=])',
)
_MIDDLE = re.compile(rb'[\w&*>][ \t]+([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ \t]+(?:\w+::)+~?\w+[ \t]*\()')
# `LIB_PRIVATE_UNLESS_TESTED:` in place of `private:`
_SECTION = re.compile(rb'^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*:)[ \t]*\r?$', re.M)
# `export module shapes;`, `export class A {`: modules of C++20.
_MODULE = re.compile(rb'^[ \t]*(export)(?=[ \t]*(?:[A-Za-z_:]|\[\[|\{|\r?$))', re.M)
# A constructor whose initialisers stand between `#if` and `#endif`, in front of its body
_INITIALISERS = re.compile(
    rb'\n(?:(?<=\)\n)|(?<=\)\r\n)|(?<=noexcept\n)|(?<=noexcept\r\n))([ \t]*#[ \t]*if[^\n]*\n)'
    rb'(?:[ \t]*[:,][^\n]*\n){1,9}([ \t]*#[ \t]*endif[^\n]*)(?=\s*[,{])',
)
# `switch consume self.state {` in Swift: the syntax error would swallow all that follows.
_CONSUME = re.compile(rb'(?:\b(?:switch|return|if|let[ \t]+\w+[ \t]*=)[ \t]|[(,:=][ \t]*)(consume)(?=[ \t]+[a-z_])')
# `context(log: Logger)` in Kotlin, above or before a function or property
CONTEXT = re.compile(
    rb'^[ \t]*(context[ \t]*\([^(){};]*\))(?=\s*(?:@\w|(?:fun|va[lr]|class|public|private|protected|internal|inline|'
    rb'suspend|override|operator|infix|open|abstract|final|tailrec|expect|actual)\b))',
    re.M,
)
# `ref partial struct Reader`, `where T : allows ref struct`, and `#:sdk Cake.Sdk` above a C# program of one file
_REF = re.compile(rb'\b(ref(?=[ \t]+partial)|allows[ \t]+ref)(?=[ \t]+(?:partial[ \t]+)?struct\b)')
_FILE_BASED = re.compile(rb'^(#:[^\r\n]*)', re.M)
# `extension(string text)` in C# 14, a block in a static class.
_EXTENSION = re.compile(rb'^([ \t]*)extension(?:<[^\n(){};]*>)?[ \t]*\([^\n(){};]*\)[^\n(){};]*\s*\{[ \t]*\r?$', re.M)
# A variable called `async` in C#, which the grammar takes for the keyword: `if (async)`, `Send(async: true)`.
_ASYNC = re.compile(rb'\basync(?=\s*(?:[?:),;=&|.\]}]|!=|is\b))')

_C = (_COMMENT, _EXPORT, _ALONE, _BEFORE)
_CPP = (_COMMENT, _EXPORT, _ALONE, _BEFORE, _BEFORE_NAME, _AFTER, _FIELD, _MIDDLE, _SECTION, _MODULE, _INITIALISERS)
_PATTERNS = {'c': _C, 'cpp': _CPP, 'swift': (_CONSUME,), 'kotlin': (CONTEXT,), 'csharp': (_REF, _FILE_BASED)}


def without_macros(language: str, source: bytes) -> bytes:
    """`source` with such words replaced by others of their length, so that all ranges hold for the source as well."""
    for pattern in _PATTERNS.get(language, ()):
        if pattern is _MODULE and b'export' not in source:
            continue
        source = pattern.sub(_blank, source)
    return _without_extensions(_ASYNC.sub(b'asyn_', without_conditions(source))) if language == 'csharp' else source


def _without_extensions(source: bytes) -> bytes:
    """C# source with `extension` heads and their closing braces blanked: the members become those of the class around.

    A block ends at the closing brace in the column of its head.
    """
    text = bytearray(source)
    ends: dict[bytes, int] = {}
    for head in _EXTENSION.finditer(source):
        indent = head.group(1)
        end = ends.get(indent, 0)
        if 0 <= end < head.end():
            end = ends[indent] = source.find(b'\n' + indent + b'}', head.end())
        if end >= 0:
            start = head.end(1)
            text[start : head.end()] = re.sub(rb'[^\r\n]', b' ', source[start : head.end()])
            text[end + 1 + len(indent)] = 0x20
    return bytes(text) if ends else source


def _blank(match: re.Match[bytes]) -> bytes:
    text = match.group()
    if b'\n' in text and b'//' in match.string[match.string.rfind(b'\n', 0, match.start()) + 1 : match.start()]:
        return text  # the match began in a comment: `// Tests f()` above `TEST(...) {`
    for group in range(1, match.re.groups + 1):
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        text = text[:start] + b' ' * (end - start) + text[end:]
    return text
