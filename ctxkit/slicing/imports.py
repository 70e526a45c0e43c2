"""Read import statements of every language as (name, module, alias).

If a language's query can split a statement, it captures module, name and alias; `a::{b, c as d}` and the like can nest,
so these are captured as text (`tree`) and read here.
"""

from __future__ import annotations

import re

Parts = tuple[str, str, str, str]
Import = tuple[str, str, str]

_TOKEN = re.compile(r'::|=>|[{}(),*.\\]|[^\s{}(),*.:\\=<>]+')
# Names of one statement that are read: a file can import ten thousand at once.
_MOST = 2_000


def imported(parts: Parts, language: str) -> list[Import]:
    """The imports that one captured statement makes, as in `Reference`: a plain module import has the name ''."""
    module, name, alias, tree = parts
    if tree:
        return _TREES[language](tree)
    module = module.strip('\'"<>`')
    if name in ('*', 'default') or not name:
        return [(name, module, alias)]
    return [(name.strip('\'"'), module, '' if alias == name else alias)]


def tree_names(text: str) -> list[Import]:
    """`a::b::{c as d, e::{f, *}}` -> [('c', 'a.b', 'd'), ('f', 'a.b.e', ''), ('*', 'a.b.e', '')]."""
    found: list[Import] = []
    path: list[str] = []
    depths: list[int] = []
    alias = ''
    renaming = False

    def close() -> None:
        nonlocal alias, renaming
        base = depths[-1] if depths else 0
        if len(path) > base:
            name, module = path[-1], path[:-1]
            if name in ('self', 'this') and module and depths:
                name, module = module[-1], module[:-1]
            found.append((name, '.'.join(module), '' if alias == name else alias))
        del path[base:]
        alias, renaming = '', False

    for word in _TOKEN.findall(text):
        if len(found) > _MOST:
            break
        if word == '{':
            depths.append(len(path))
        elif word == '}':
            close()
            if depths:
                depths.pop()
            del path[depths[-1] if depths else 0 :]
        elif word == ',':
            close()
        elif word in ('as', '=>'):
            renaming = True
        elif renaming:
            alias = word
        elif word not in ('.', '::', '\\', '(', ')'):
            path.append('*' if word in ('_', '?') else word)
    close()
    return found


def _words(text: str, *dropped: str) -> str:
    """The statement without the words `dropped` and without semicolons."""
    return ' '.join(word for word in text.replace(';', ' ').split() if word not in dropped)


def _scala(text: str) -> list[Import]:
    return [one for part in _groups(_words(text, 'import', 'given')) for one in tree_names(part)]


def _groups(text: str) -> list[str]:
    """`a.{b, c}, d.e` -> ['a.{b, c}', 'd.e']: split at commas outside braces."""
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        depth += (mark == '{') - (mark == '}')
        if mark == ',' and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _dotted(text: str) -> list[Import]:
    return tree_names(_words(text, 'import', 'static', 'module'))


def _php(text: str) -> list[Import]:
    return tree_names(_words(text, 'use', 'function', 'const'))


def _csharp(text: str) -> list[Import]:
    body = _words(text, 'global', 'using', 'static', 'unsafe')
    alias, equals, path = body.partition('=')
    path = re.sub(r'<.*', '', path if equals else body).replace('global::', '').strip()
    if not equals:
        return [('', path, '')]
    module, _, name = path.rpartition('.')
    return [(name, module, alias.strip())]


def _elixir(text: str) -> list[Import]:
    """`A.{B, C}`, `A.B, as: C`, `A, only: [f: 1]`: an alias binds the last part of the module's name."""
    head, _, options = text.strip('() ').partition(', ')
    if '{' in text:
        return [(name, module, '') for name, module, _ in tree_names(text)]
    renamed = re.search(r'\bas:\s*([A-Z]\w*)', options)
    module, _, name = head.strip().rpartition('.')
    if not re.fullmatch(r'[\w.]*', module) or not name[:1].isupper():
        return []
    return [(name, module, renamed.group(1) if renamed else '')]


_TREES = {
    'rust': tree_names,
    'scala': _scala,
    'java': _dotted,
    'kotlin': _dotted,
    'php': _php,
    'csharp': _csharp,
    'elixir': _elixir,
}
