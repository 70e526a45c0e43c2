"""The languages: how to recognise them, and their grammars and queries, loaded once a process when first needed."""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.slicing import FILE, FOLDER

if TYPE_CHECKING:
    from tree_sitter import Parser, Query


_SLASH = (b'//',)
_HASH = (b'#',)
_JS = 'ecmascript+javascript'
_TS = 'ecmascript+typescript'
_THIS = frozenset({'this'})
_ELIXIR = frozenset(
    'def defp defmacro defmacrop defmodule alias import require use doc moduledoc typedoc spec type typep opaque '
    'callback defimpl defprotocol defguard defguardp defdelegate defstruct if unless case cond with for quote unquote '
    'fn raise impl behaviour macrocallback unquote_splicing'.split(),
)
_SHELL = frozenset(
    '[ [[ : echo printf local export return exit cd set unset read shift test true false eval exec'.split(),
)
_RUBY = frozenset(
    'require require_relative attr_reader attr_writer attr_accessor include extend prepend raise private protected '
    'public puts lambda proc loop block_given?'.split(),
)


class Language(NamedTuple):
    """One language: the module of its grammar's wheel, its query files, and facts about its syntax.

    `comment` are the marks of line comments; `selves` are the words for the object that a method belongs to.
    `names` are file names without a telling extension; `scripts` are the programs of a `#!` line.
    `silent` are keywords that the grammar takes for calls.
    `scope` is where a bare name can come from without an import: FILE, FOLDER (its files share a namespace), or ''.
    """

    module: str
    extensions: tuple[str, ...]
    comment: tuple[bytes, ...] = _SLASH
    selves: frozenset[str] = _THIS
    function: str = 'language'
    query: str = ''
    names: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    silent: frozenset[str] = frozenset()
    scope: str = ''


LANGUAGES: dict[str, Language] = {
    'python': Language(
        'tree_sitter_python',
        ('.py', '.pyi', '.pyw'),
        _HASH,
        frozenset({'self', 'cls'}),
        names=('SConstruct', 'SConscript', 'wscript'),
        scripts=('python',),
        scope=FILE,
    ),
    'javascript': Language(
        'tree_sitter_javascript',
        ('.js', '.jsx', '.mjs', '.cjs'),
        query=_JS,
        scripts=('node', 'nodejs'),
        scope=FILE,
    ),
    'typescript': Language(
        'tree_sitter_typescript',
        ('.ts', '.mts', '.cts'),
        function='language_typescript',
        query=_TS,
        scripts=('deno', 'bun'),
        scope=FILE,
    ),
    'tsx': Language('tree_sitter_typescript', ('.tsx',), function='language_tsx', query=f'{_TS}+tsx', scope=FILE),
    'go': Language('tree_sitter_go', ('.go',), selves=frozenset(), scope=FOLDER),
    'rust': Language('tree_sitter_rust', ('.rs',), selves=frozenset({'self', 'Self'}), scope=FILE),
    'java': Language('tree_sitter_java', ('.java',), scope=FOLDER),
    'c': Language('tree_sitter_c', ('.c', '.h'), scope=FOLDER),
    'cpp': Language(
        'tree_sitter_cpp',
        ('.cc', '.cpp', '.cxx', '.c++', '.hh', '.hpp', '.hxx', '.h++', '.ipp', '.inl', '.tpp', '.cppm', '.ixx'),
        scope=FOLDER,
    ),
    'csharp': Language('tree_sitter_c_sharp', ('.cs', '.csx'), scope=FOLDER),
    'ruby': Language(
        'tree_sitter_ruby',
        ('.rb', '.rake', '.gemspec', '.ru', '.rbi'),
        _HASH,
        frozenset({'self'}),
        names=('Rakefile', 'Gemfile', 'Guardfile', 'Vagrantfile', 'Capfile', 'Podfile', 'Fastfile', 'Brewfile'),
        scripts=('ruby',),
        silent=_RUBY,
    ),
    'php': Language(
        'tree_sitter_php',
        ('.php', '.phtml', '.php5', '.inc'),
        (b'//', b'#'),
        frozenset({'this', 'self', 'static'}),
        function='language_php',
        scripts=('php',),
    ),
    'kotlin': Language('tree_sitter_kotlin', ('.kt', '.kts'), scope=FOLDER),
    'swift': Language(
        'tree_sitter_swift', ('.swift',), selves=frozenset({'self', 'Self'}), scripts=('swift',), scope=FOLDER
    ),
    'scala': Language('tree_sitter_scala', ('.scala', '.sc', '.sbt'), scope=FOLDER),
    'lua': Language('tree_sitter_lua', ('.lua',), (b'--',), frozenset({'self'}), scripts=('lua', 'luajit'), scope=FILE),
    'elixir': Language(
        'tree_sitter_elixir',
        ('.ex', '.exs'),
        _HASH,
        frozenset({'__MODULE__'}),
        scripts=('elixir',),
        silent=_ELIXIR,
    ),
    'bash': Language(
        'tree_sitter_bash',
        ('.sh', '.bash', '.zsh', '.ksh', '.bats'),
        _HASH,
        frozenset(),
        names=('.bashrc', '.bash_profile', '.bash_aliases', '.profile', '.zshrc', '.zshenv', '.zprofile', 'PKGBUILD'),
        scripts=('sh', 'bash', 'zsh', 'ksh', 'dash'),
        silent=_SHELL,
    ),
}

# Groups of languages that can call each other.
INTEROPERATING = (
    frozenset({'java', 'kotlin', 'scala'}),
    frozenset({'javascript', 'typescript', 'tsx', 'vue', 'svelte'}),
    frozenset({'c', 'cpp'}),
)

# Read as text without a grammar, by rules of their own.
PROSE = {
    '.md': 'markdown',
    '.markdown': 'markdown',
    '.mdx': 'markdown',
    '.ipynb': 'markdown',  # `readable` converts it
    '.rst': 'rst',
}
# Components of web pages, whose scripts are code.
PAGES = {'.vue': 'vue', '.svelte': 'svelte'}

_BY_EXTENSION = {ending: name for name, language in LANGUAGES.items() for ending in language.extensions}
_BY_NAME = {file: name for name, language in LANGUAGES.items() for file in language.names}
_SCRIPT = re.compile(rb'#![^\n]*?([A-Za-z]+)[0-9.]*[ \t\r]*(?:-[^\n]*)?(?:\n|$)')
_CPP = re.compile(rb'^[ \t]*(?:class|namespace|template|using|public:|private:|protected:|enum class)\b|\w::\w', re.M)


def language_of(path: str) -> str:
    """The language of a file by its name; '' if the name tells none (the file is then read as plain text)."""
    file = path.replace('\\', '/').rsplit('/', 1)[-1]
    if file in _BY_NAME:
        return _BY_NAME[file]
    dot = file.rfind('.')
    ending = file[dot:].lower() if dot >= 0 else ''
    return _BY_EXTENSION.get(ending) or PROSE.get(ending) or PAGES.get(ending, '')


def language_in(path: str, source: bytes) -> str:
    """The language of a file by its name and, if that is not enough, its content: a `#!` line, C++ in a `.h`."""
    language = language_of(path)
    if language == 'c' and path.lower().endswith('.h') and _CPP.search(source):
        return 'cpp'
    if not language and source.startswith(b'#!'):
        found = _SCRIPT.match(source)
        script = found.group(1).decode() if found else ''
        return next((name for name, known in LANGUAGES.items() if script in known.scripts), '')
    return language


class Grammar(NamedTuple):
    """A language ready to use: its parser, compiled query, and the facts from LANGUAGES that slicing needs."""

    name: str
    parser: Parser
    query: Query
    comment: tuple[bytes, ...]
    selves: frozenset[str]
    docstrings: bool
    silent: frozenset[str]


@cache
def grammar(name: str) -> Grammar:
    """The grammar of a language in LANGUAGES; cached for the life of the process."""
    import tree_sitter

    entry = LANGUAGES[name]
    loaded = tree_sitter.Language(getattr(importlib.import_module(entry.module), entry.function)())
    from importlib import resources  # importing it takes as long as the rest of this module

    folder = resources.files('ctxkit.slicing') / 'queries'
    text = ''.join((folder / f'{file}.scm').read_text('utf-8') for file in (entry.query or name).split('+'))
    parser, query = tree_sitter.Parser(loaded), tree_sitter.Query(loaded, text)
    return Grammar(name, parser, query, entry.comment, entry.selves, name == 'python', entry.silent)
