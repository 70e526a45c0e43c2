"""C and C++ with the macros blanked that a grammar without a preprocessor stumbles over."""

from __future__ import annotations

import re

# `class LEVELDB_EXPORT DB : public Base {`: the export macro would be taken for the class's name.
_EXPORT = re.compile(
    rb'\b(?:class|struct|union|enum(?:\s+class)?)\s+([A-Z][A-Z0-9_]{2,}(?:\s*\([^()\n]*\))?)(?=\s+[A-Za-z_][\w:]*\s*'
    rb'(?:<[^<>\n]*>\s*)?(?:final\s*)?[:{])',
)
_ARGUMENTS = rb'(?:[ \t]*\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\))?'
# `NAMESPACE_BEGIN`, `DISALLOW_COPY(Type)` on a line of their own, with no semicolon and no body below.
_ALONE = re.compile(
    rb'^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+' + _ARGUMENTS + rb')[ \t]*(?://[^\n]*)?\r?$'
    rb'(?!\s*(?:[{:=(.,;?&|+*<>-]|/(?![/*])))',
    re.M,
)
# `LIB_EXTERN int f(void)`, `static FORCE_INLINE void g()`: what stands before the type, at the start of a line.
# What stands in one template's brackets holds no other one: there must be one way alone to read a line of them.
_SPECIFIERS = (
    rb'^[ \t]*(?:(?:static|inline|extern|virtual|constexpr|explicit|friend|'
    rb'template[ \t]*<(?:(?!template\b)[^\n{}()])*>)[ \t]+)*'
)
_BEFORE = re.compile(
    _SPECIFIERS + rb'([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ \t]+[A-Za-z_][\w:<>,*& \t]*[ \t*&]+[\w:~]+[ \t]*\()',
    re.M,
)
# C++ alone, where a constructor has no type: `LIB_INLINE logger::logger(...)`, `LIB_CONSTEXPR buffer(...)`.
_BEFORE_NAME = re.compile(
    _SPECIFIERS + rb'([A-Z][A-Z0-9]*_[A-Z0-9_]+' + _ARGUMENTS + rb')(?=[ \t]+(?:[A-Za-z_~]|::))',
    re.M,
)
# `void f() LIB_NOEXCEPT {`, `int count_ GUARDED_BY(mutex_);`, `void LIB_INLINE pool::run()`
_AFTER = re.compile(rb'\)\s*(?:const\s*)?([A-Z][A-Z0-9]*_[A-Z0-9_]+' + _ARGUMENTS + rb')(?=\s*[{:])')
# A comment in a macro that goes on ends the macro for the grammar.
_COMMENT = re.compile(rb'(/\*[^*\n]*(?:\*(?!/)[^*\n]*)*\*/)(?=[ \t]*\\\r?$)', re.M)
_FIELD = re.compile(
    rb'(?<!return)(?<!else)(?<![,+-])[ \t]\w+[ \t\n]+([A-Z][A-Z0-9]*_[A-Z0-9_]+\([\w.,> \t-]*\))(?=[ \t]*[;=])',
)
_MIDDLE = re.compile(rb'[\w&*>][ \t]+([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ \t]+(?:\w+::)+~?\w+[ \t]*\()')
# `LIB_PRIVATE_UNLESS_TESTED:` in the place of `private:`
_SECTION = re.compile(rb'^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+[ \t]*:)[ \t]*\r?$', re.M)

_C = (_COMMENT, _EXPORT, _ALONE, _BEFORE)
_CPP = (_COMMENT, _EXPORT, _ALONE, _BEFORE, _BEFORE_NAME, _AFTER, _FIELD, _MIDDLE, _SECTION)


def without_macros(source: bytes, cpp: bool) -> bytes:
    """The same number of bytes with such macros as spaces, so that all ranges hold for the source as well."""
    for pattern in _CPP if cpp else _C:
        source = pattern.sub(_blank, source)
    return source


def _blank(match: re.Match[bytes]) -> bytes:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    text = match.group()
    if b'\n' in text and b'//' in match.string[match.string.rfind(b'\n', 0, match.start()) + 1 : match.start()]:
        return text  # `// Tests f()` and below it `TEST(...) {`
    return text[:start] + b' ' * (end - start) + text[end:]
