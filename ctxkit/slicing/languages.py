"""Which language a file is in, and the grammar and query of each language, loaded once a process when first needed."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser, Query


@dataclass(frozen=True, slots=True)
class Language:
    """One language: the wheel that holds its grammar, its query file, and how its comments and own object look.

    `comment` is the mark of line comments; `selves` are the words that mean the object a method belongs to.
    `scripts` are the programs of a `#!` line.
    """

    module: str
    extensions: tuple[str, ...]
    comment: tuple[bytes, ...] = (b'//',)
    selves: frozenset[str] = frozenset({'this'})
    function: str = 'language'
    query: str = ''
    names: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()


_HASH = (b'#',)
LANGUAGES: dict[str, Language] = {
    'python': Language(
        'tree_sitter_python', ('.py', '.pyi', '.pyw'), _HASH, frozenset({'self', 'cls'}),
        names=('SConstruct', 'SConscript', 'wscript'), scripts=('python',),
    ),
}

# Read as text by rules of their own, without a grammar.
PROSE = {'.md': 'markdown', '.markdown': 'markdown', '.mdx': 'markdown', '.rst': 'rst'}

_BY_EXTENSION = {ending: name for name, language in LANGUAGES.items() for ending in language.extensions}
_BY_NAME = {file: name for name, language in LANGUAGES.items() for file in language.names}
_SCRIPT = re.compile(rb'#![^\n]*?([A-Za-z]+)[0-9.]*[ \t\r]*(?:-[^\n]*)?(?:\n|$)')
_CPP = re.compile(rb'^[ \t]*(?:class|namespace|template|using|public:|private:|protected:|enum class)\b|\w::\w', re.M)


def language_of(path: str) -> str:
    """The language of a file by its name; '' where the name does not tell (it is then read as plain text)."""
    file = path.replace('\\', '/').rsplit('/', 1)[-1]
    if file in _BY_NAME:
        return _BY_NAME[file]
    dot = file.rfind('.')
    ending = file[dot:].lower() if dot >= 0 else ''
    return _BY_EXTENSION.get(ending) or PROSE.get(ending, '')


def language_in(path: str, source: bytes) -> str:
    """The language of a file by its name and, where that leaves it open, its content: `#!` lines, C++ in a `.h`."""
    language = language_of(path)
    if language == 'c' and path.lower().endswith('.h') and _CPP.search(source):
        return 'cpp'
    if not language and source.startswith(b'#!'):
        found = _SCRIPT.match(source)
        script = found.group(1).decode() if found else ''
        return next((name for name, known in LANGUAGES.items() if script in known.scripts), '')
    return language


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language made ready: parser, compiled query, and what the table says of it."""

    name: str
    parser: Parser
    query: Query
    comment: tuple[bytes, ...]
    selves: frozenset[str]
    docstrings: bool


@cache
def grammar(name: str) -> Grammar:
    """The grammar of a language of LANGUAGES; cached for the life of the process."""
    import tree_sitter

    entry = LANGUAGES[name]
    loaded = tree_sitter.Language(getattr(importlib.import_module(entry.module), entry.function)())
    folder = resources.files('ctxkit.slicing') / 'queries'
    text = ''.join((folder / f'{file}.scm').read_text('utf-8') for file in (entry.query or name).split('+'))
    parser, query = tree_sitter.Parser(loaded), tree_sitter.Query(loaded, text)
    return Grammar(name, parser, query, entry.comment, entry.selves, name == 'python')
