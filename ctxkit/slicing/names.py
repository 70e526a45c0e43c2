"""Split the text of a use, such as `self.engine.run`, or of a definition into a name and what stands before it."""

from __future__ import annotations

import re

_PLAIN = re.compile(r'[\w.$]+\Z')
_SEPARATOR = re.compile(r'\s*(?:\?\.|!\.|!!\.|\.|::|->|\?->|\\|:)\s*')
_LAST = re.compile(r'[$@]?(~?\w[\w$]*[?!]?)\s*\Z')
_GROUPS = {')': '(', ']': '[', '}': '{', '>': '<'}
_TYPE = re.compile(r'[A-Za-z_\u0080-\uffff][\w]*(?:\s*(?:\.|::)\s*[A-Za-z_]\w*)*')

# Qualifier for a receiver that has no name, as in `'a'.join`.
EXPRESSION = '?'
_LONGEST = 160
# A type that is one name, with any pointers, references and type arguments: `*gin.Context`, `&Vec<T>`.
_NAMED = re.compile(r'[*&\s(]*([^\W\d]\w*(?:\s*(?:\.|::)\s*[^\W\d]\w*)*)(?:\[.*\]|<.*>)?[*&\s)]*\Z', re.S)
# What stands before a type of Rust that has its methods, and what holds a value that has them.
_POINTED = re.compile(r"(?:&\s*|'\w+\s+|mut\s+|dyn\s+|impl\s+)+")
_HOLDS = re.compile(r'(?:Arc|Rc|Box)\s*<(.*)>\Z', re.S)

# Types that no repository defines.
BUILT_IN = frozenset(
    'int str bool float bytes None list dict set tuple object complex type Any Optional Union List Dict Tuple Set '
    'Callable Iterable Iterator Sequence Type Literal ClassVar Final string number boolean void any unknown never '
    'undefined null this char short long double unsigned signed byte size_t int8 int16 int32 int64 uint uint8 uint16 '
    'uint32 uint64 uintptr rune error float32 float64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 '
    'Self self Int String Bool Boolean Unit Nothing Double Float Long Char decimal dynamic var auto let mixed '
    'iterable callable array static const'.split(),
)


def split(text: str, selves: frozenset[str]) -> tuple[str, str]:
    """`os.path.join` -> ('join', 'os.path'): (name, qualifier); other separators become dots, one of `selves` `self`.

    Arguments are dropped. The name is '' if the text does not end with one; the qualifier is EXPRESSION for a receiver
    without a name.
    """
    if _PLAIN.match(text):
        qualifier, _, name = text.rpartition('.')
    else:
        if text.endswith('>'):
            text = _without_generics(text)
        # From the last of these marks, none of which is part of a name: a search from the start would try each word.
        found = _LAST.search(text, max(map(text.rfind, '.>:')) + 1)
        if not found:
            return '', ''
        name = found.group(1)
        before = text[: found.start()].rstrip()
        qualifier = _qualifier(before) if before else ''
    if qualifier:
        first, dot, rest = qualifier.partition('.')
        if first in selves:
            qualifier = f'self{dot}{rest}'
    return name, qualifier


def _without_generics(text: str) -> str:
    """`get<Map<K, V>>` -> `get`; unchanged if the brackets do not match, as in an operator."""
    depth = 0
    for at in range(len(text) - 1, 0, -1):
        depth += (text[at] == '>') - (text[at] == '<')
        if depth == 0:
            return text[:at].removesuffix('::')
    return text


def _qualifier(before: str) -> str:
    """The dotted path that ends `before` the last separator, with the arguments of calls and indices emptied."""
    if len(before) > _LONGEST:
        return EXPRESSION
    for mark in ('?->', '!!.', '?.', '!.', '->', '::', '.', '\\', ':'):
        if before.endswith(mark):
            before = before[: -len(mark)]
            break
    for word in ('new ', 'await ', 'return ', 'yield '):
        before = before.removeprefix(word)
    path = '.'.join(part for part in _SEPARATOR.split(_emptied(before.strip())) if part)
    path = path.lstrip('&*@$ ').replace('.$', '.')
    return path if path and re.fullmatch(r'[\w$@.()\[\]?!~]+', path) else EXPRESSION


def _emptied(text: str) -> str:
    """`f(a, b)[0]` -> `f()[]`; generic arguments `<...>` are dropped; '?' if brackets do not match."""
    kept: list[str] = []
    open_groups: list[str] = []
    for mark in text:
        if mark in '([{<':
            if not open_groups and mark != '<':
                kept.append(mark)
            open_groups.append(mark)
        elif mark in ')]}>' and open_groups:
            if open_groups.pop() != _GROUPS[mark]:
                return EXPRESSION
            if not open_groups and mark != '>':
                kept.append(mark)
        elif not open_groups:
            kept.append(mark)
    return EXPRESSION if open_groups else ''.join(kept)


def named_type(text: str) -> str:
    """`*gin.Context[T]` -> 'gin.Context'; '' for a type that no repository defines: built in, a list, a function."""
    found = _NAMED.match(text)
    name = re.sub(r'\s*(?:\.|::)\s*', '.', found.group(1)) if found else ''
    return '' if name in BUILT_IN or name == 'map' else name


def rust_type(text: str) -> str:
    """`&mut fmt::Formatter<'_>` -> 'fmt.Formatter', `Arc<dyn Store>` -> 'Store'; '' as in `named_type`."""
    found = _POINTED.match(text := text.strip())
    plain = text[found.end() :] if found else text
    held = _HOLDS.match(plain)
    return rust_type(held.group(1)) if held else named_type(plain)


def made(text: str) -> str:
    """The call that makes a value, as what stands before a name: `Foo::new(a)?` -> 'Foo.new()'; '' if it is none."""
    found = _qualifier(f'{text}.')
    return found if found.endswith(('()', ').await')) and not found.startswith('(') else ''


def types_in(text: str) -> list[str]:
    """The names of the types in an annotation, with dots as qualifiers, without built-in ones."""
    found = (re.sub(r'\s|::', lambda m: '.' if m.group() == '::' else '', name) for name in _TYPE.findall(text))
    return [name for name in found if name not in BUILT_IN]


def clean(text: bytes | bytearray) -> str:
    """A name as written, decoded, with white space collapsed."""
    words = text.decode('utf-8', 'replace').split()
    return words[0] if len(words) == 1 else ' '.join(words)


def cpp_name(name: bytes) -> tuple[str, str, int]:
    """`ns::Map<K, V>::find<int>` -> ('ns.Map', 'find', 14): owner, name, and the offset of the name.

    Split at the last `::` outside brackets; `operator` and all that follows it belong to the name.
    """
    operator = re.search(rb'(?<![\w])operator\b', name)
    end = operator.start() if operator else len(name)
    kept = bytearray()
    depth = cut = offset = 0
    for at, mark in enumerate(name[:end]):
        depth += mark == 0x3C
        if depth == 0:
            kept.append(mark)
            if mark == 0x3A:
                cut, offset = len(kept), at + 1
        depth -= mark == 0x3E and depth > 0
    last = clean(bytes(kept[cut:]) + name[end:])
    if operator:
        last = 'operator()' if re.match(r'operator ?\(', last) else last.partition('(')[0].rstrip()
    return clean(kept[: max(0, cut - 2)]).strip(': ').replace('::', '.'), last, offset
