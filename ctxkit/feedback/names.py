"""Which words of an answer are names: paths and symbols that it mentions as if they existed."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Endings of paths.
SOURCE = (
    'py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala sc swift c h cc cpp cxx hpp hh '
    'hxx cs rb php lua ex exs erl sh bash zsh ps1 sql proto graphql tf gradle cmake rake r jl dart zig nim hs ml pl pm'
).split()
OTHER = (
    'md mdx rst adoc txt toml yaml yml json jsonc cfg ini conf html css scss less xml csv lock env in cmake make mk '
    'properties csproj sln gemspec dockerfile log svg'
).split()
EXTENSION = re.compile(rf'\.(?:{"|".join(sorted({*SOURCE, *OTHER}, key=len, reverse=True))})$', re.IGNORECASE)
SOURCE_END = re.compile(rf'\.(?:{"|".join(sorted(SOURCE, key=len, reverse=True))})$')
# `Node.js`, `asp.net`, `e.g`.
NO_FILE = re.compile(
    r'(?i)^(?:node|vue|next|nuxt|express|three|d3|chart|react|backbone|ember|socket|moment|asp|alpine|nest|deno|bun|'
    r'e|i|vs|etc)\.(?:js|ts|net|g|e|md)$'
)
# After a path: `:12-20`, `#L12`, `::test_name`, `(12)`.
LINE = re.compile(r'(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|::[\w:\[\]-]+|\(\d+\))+$')
PATH = re.compile(r'^(?:\.{0,2}/)*[\w@.+~-][\w@.+~ -]*(?:/[\w@.+~\[\]()-]+)*/?$')
IDENTIFIER = r'[A-Za-z_$][\w$]*'
# `name`, `@name`, `a.b::c->d`, `name(x, y)`, `name[0]`, `name<T>`, `name!`.
SYMBOL = re.compile(
    rf'^[@&*!~#.]?(?P<name>{IDENTIFIER}(?:(?:\.|::|->|#|\?\.|\\){IDENTIFIER})*)'
    r'(?P<call>!?\(.*\)|\[.*\]|<.*>)?[?!]?;?$'
)
DOTTED = re.compile(rf'(?<![\w.$/@-]){IDENTIFIER}(?:(?:\.|::|->|\?\.){IDENTIFIER})*')
SEPARATOR = re.compile(r'\.|::|->|#|\?\.|\\')
# `camelCase`, `HTTPServer`.
HUMPS = re.compile(r'^[A-Z]?[a-z0-9]+(?:[A-Z]+[a-z0-9]*)+$|^[A-Z]{2,}[a-z][a-z0-9]+[A-Z]?\w*$')
CAMEL_WORD = re.compile(r'(?<![\w.$/@-])(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]{2,}(?:[A-Z][a-z0-9]+)+)(?![\w/-])')
BARE_CALL = re.compile(rf'(?<![\w$/@-]){IDENTIFIER}(?:(?:\.|::|->){IDENTIFIER})*(?=\(\))')
BARE_PATH = re.compile(
    rf'(?<![\w@/.-])(?:[\w@.+-]+/)+[\w.+-]+\.[A-Za-z0-9]{{1,8}}(?![\w/])|'
    rf'(?<![\w@/.-])[\w+-]+(?:\.[\w+-]+)*\.(?:{"|".join(SOURCE)})(?![\w/(])'
)
# `<name>`, `path/to/file`, `your_module`, `foo.py`.
PLACEHOLDER = re.compile(
    r'[<>{}*…]|\.\.\.|(?:^|/)path/to/|\byour|'
    r'^(?:(?:foo|bar|baz|qux|foobar|spam|eggs|lorem|example|xxx+)\W*)+(?:\.\w+)?$|^\W*$',
    re.IGNORECASE,
)
COMMAND = re.compile(
    r'^(?:\$ |sudo |(?:git|pip3?|pipx|uv|uvx|npm|npx|pnpm|yarn|bun|deno|node|python3?|pytest|tox|nox|cargo|rustc|go|'
    r'make|cmake|docker|kubectl|helm|terraform|curl|wget|cd|ls|cat|grep|rg|sed|awk|find|mkdir|rm|cp|mv|touch|echo|'
    r'export|source|apt|apt-get|brew|ctxkit|pre-commit|bundle|gem|rake|composer|php|mvn|gradle|dotnet|mix|ruff|mypy|'
    r'black|eslint|prettier|ssh|chmod|bash|sh) )'
)
OUTSIDE = re.compile(r'^(?:/|~|[A-Za-z]:[\\/])')


@dataclass(frozen=True)
class Name:
    """A name in an answer. `kind` is 'path', 'symbol' or 'import' (a symbol below a module that the answer imports);
    `parts` are a symbol's. A `strong` name is recognized by its form; any other counts only if it exists. An `excused`
    one is proposed, or said to be missing."""

    text: str
    kind: str
    parts: tuple[str, ...] = ()
    strong: bool = True
    excused: bool = False


def classify(code: str, beside_noun: bool = False) -> list[Name]:
    """The names in a code span; `beside_noun` says that the text calls it a function, class or the like."""
    if PLACEHOLDER.search(code) and not re.search(r'\(.*\.\.\.\)|<\w+>', code):
        return []
    if COMMAND.match(code):
        words = [path_name(word) for word in code.split()[1:] if '/' in word]
        return [name for name in words if name and SOURCE_END.search(name.text)]
    plain = LINE.sub('', code) if '/' in code or EXTENSION.search(LINE.sub('', code)) else code
    if ' ' not in code and looks_like_path(plain):
        found = path_name(plain)
        rest = code[len(plain) :]
        names = [found] if found else []
        if found and rest.startswith('::'):
            tests = [symbol_name(re.sub(r'\[.*', '', part), True) for part in rest[2:].split('::')]
            names += [name for name in tests if name]
        return names
    match = SYMBOL.match(code)
    if match and (' ' not in code or match['call']):
        name = symbol_name(match['name'], beside_noun or bool(match['call'] and match['call'].lstrip('!')[0] == '('))
        inner = _from_code(match['call'][1:-1]) if match['call'] else []
        return [*([name] if name else []), *inner]
    if re.search(r'[\s(=]', code):
        return _from_code(code)
    return []


def _from_code(code: str) -> list[Name]:
    """Names in a snippet: what is called, dotted or written like code, without strings, numbers and flags."""
    code = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', ' ', code)
    found = []
    for match in DOTTED.finditer(code):
        rest = code[match.end() : match.end() + 2].lstrip()
        if rest[:1] == '=' and rest[:2] != '==':
            continue  # a keyword argument or an assignment
        name = symbol_name(match[0], rest[:1] == '(')
        if name and name.strong:
            found.append(name)
    return found


def looks_like_path(text: str) -> bool:
    """Whether a span without spaces is a path rather than a symbol."""
    if NO_FILE.match(text) or text.startswith('@') and '/' in text and not EXTENSION.search(text):
        return False
    if not PATH.match(text):
        return False
    if '/' in text.rstrip('/') or text.endswith('/'):
        return bool(EXTENSION.search(text) or text.endswith('/') or re.match(r'^(?:\.{1,2}/|[\w.-]+/[\w.-]+)', text))
    return bool(EXTENSION.search(text)) and not re.match(r'^(?:self|this|cls)\.', text)


def path_name(text: str) -> Name | None:
    """The path in `text`, without line numbers; None if it is outside the tree or a placeholder."""
    text = LINE.sub('', text).rstrip('.,;:')
    if not text or OUTSIDE.match(text) or PLACEHOLDER.search(text) or NO_FILE.match(text) or text.startswith('..'):
        return None
    text = re.sub(r'^(?:\./)+', '', text)
    # `and/or`, `origin/main`, `user/repo`: only an extension or a closing slash makes it certainly a path.
    strong = bool(EXTENSION.search(text)) or (text.endswith('/') and '/' in text.rstrip('/'))
    return Name(text, 'path', (), strong)


def symbol_name(text: str, called: bool) -> Name | None:
    """The symbol in `text`, None if it cannot be one; `called` says that it is used as a symbol, whatever its form."""
    parts = tuple(part for part in SEPARATOR.split(text) if part)
    if parts and parts[0] in ('self', 'this', 'cls', 'super', '$this', 'crate', 'window'):
        parts = parts[1:]
    if not parts or PLACEHOLDER.search(text) or all(len(part) < 3 for part in parts):
        return None
    last = parts[-1]
    shaped = '_' in last.strip('_') or bool(HUMPS.match(last)) or len(parts) > 1
    if last.startswith('__') and last.endswith('__'):
        return None
    if not (called or shaped) and not last.isalpha():
        return None
    return Name(text, 'symbol', parts, called or shaped)
