"""libclang on a repository of C and C++, without a build: what is missing of it is passed over.

Needs libclang (pip install libclang) and a compiler (`cc` on the PATH) with its headers. A file is read with the
folders of the repository that its includes can mean, for this system; code for others is not known. A function that a
file only declares is looked for in the files that name it.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.links.calls import Answer, Call, Place, files_of
from ctxkit.slicing.languages import language_in, language_of

LANGUAGES = frozenset({'c', 'cpp'})
FUNCTIONS = frozenset('FUNCTION_DECL FUNCTION_TEMPLATE CXX_METHOD CONSTRUCTOR DESTRUCTOR CONVERSION_FUNCTION'.split())
TYPES = frozenset('STRUCT_DECL UNION_DECL CLASS_DECL CLASS_TEMPLATE ENUM_DECL'.split())
DETAILED, KEEP_GOING = 0x01, 0x200
MOST_HEADS = 12  # that are looked at for one definition


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where libclang does not know, such as in a branch for another system."""
    known = _Repository(root.resolve())
    for call in calls:
        yield known.meaning(call)


class _Repository:
    def __init__(self, root: Path) -> None:
        import clang.cindex

        self.clang = clang.cindex
        self.root = root
        self.index = clang.cindex.Index.create()
        self.files = [one for one in files_of(root) if language_of(one) in LANGUAGES]
        self.naming: defaultdict[str, list[str]] = defaultdict(list)  # name before a parenthesis -> files
        included = set[str]()
        for path in self.files:
            text = self.text(path)
            included.update(re.findall(r'#\s*include\s*["<]([^">]+)[">]', text))
            for name in sorted(set(re.findall(r'\b(\w+)\s*\(', text))):
                self.naming[name].append(path)
        folders = {path[: -len(tail) - 1] or '.' for path in self.files for tail in _tails(path) if tail in included}
        self.folders = sorted(folders, key=lambda one: (one.count('/'), one))
        printed = subprocess.run(['cc', '-print-file-name=include'], check=True, capture_output=True, encoding='utf-8')
        self.system = printed.stdout.strip()
        sources = [language_of(one) for one in self.files if not one.endswith('.h')]
        self.headers = 'cpp' if sources.count('cpp') > sources.count('c') else 'c'
        self.parsed = lru_cache(16)(self._parsed)

    def text(self, path: str) -> str:
        return (self.root / path).read_text('utf-8', 'replace')

    def _parsed(self, path: str) -> Any:
        language = language_in(path, (self.root / path).read_bytes())
        if path.endswith('.h') and self.headers == 'cpp':
            language = 'cpp'
        how = ['-x', 'c++', '-std=c++20'] if language == 'cpp' else ['-x', 'c', '-std=gnu17']
        where = [f'-I{self.root / folder}' for folder in self.folders]
        limits = ['-ferror-limit=0', '-w', '-D_GNU_SOURCE']
        try:
            return self.index.parse(
                str(self.root / path), [*how, *limits, *where, '-isystem', self.system], options=DETAILED | KEEP_GOING
            )
        except self.clang.TranslationUnitLoadError:
            return None

    def at(self, path: str, line: int, column: int) -> Any:
        """The cursor at a place; None where there is none."""
        unit = self.parsed(path)
        row = self.text(path).split('\n')[line - 1]
        if unit is None:
            return None
        file = self.clang.File.from_name(unit, str(self.root / path))
        place = self.clang.SourceLocation.from_position(unit, file, line, len(row[:column].encode()) + 1)
        return self.clang.Cursor.from_location(unit, place)

    def meaning(self, call: Call) -> Answer | None:
        try:
            cursor = self.at(call.path, call.line, call.column)
            one = cursor.referenced if cursor is not None else None
            if one is None or re.split(r'[<(]', one.spelling)[0] != call.name:
                return None
            general = self.clang.conf.lib.clang_getSpecializedCursorTemplate(one)
            one = general or one
            kind = one.kind.name
        except ValueError:  # a kind that this version of the bindings does not know
            return None
        if kind == 'OVERLOADED_DECL_REF':  # in a template, before it is known with what
            return None
        if kind == 'MACRO_DEFINITION':
            if not self.clang.conf.lib.clang_Cursor_isMacroFunctionLike(one):  # another name for something
                return None
            return self.answer(self.otherwise(self.place(one), call.name, True), one)
        if kind not in FUNCTIONS | TYPES:
            return self.answer(set(), one)
        found = self.wholes(one)
        if language_of(call.path) == 'c' and kind == 'FUNCTION_DECL':
            found = set().union(*(self.otherwise(place, call.name, False) for place in found))
        parent = one.semantic_parent
        if kind == 'CONSTRUCTOR' and parent is not None:
            found.add(self.place(parent.get_definition() or parent))
        if kind in TYPES or kind == 'CONSTRUCTOR':  # a type and all its constructors
            made = one.get_definition() or one if kind in TYPES else parent
            makers = [inner for inner in made.get_children() if inner.kind.name == 'CONSTRUCTOR']
            found = found.union(*map(self.wholes, makers))
        return self.answer(found, one)

    def otherwise(self, place: Place, name: str, macro: bool) -> set[Place]:
        """A definition of C, and those that the same file has in its stead in other builds."""
        if place.path.startswith('/'):
            return {place}
        text = self.text(place.path)
        if macro:
            found = [text.count('\n', 0, one.start()) + 1 for one in re.finditer(rf'#\s*define\s+{name}\(', text)]
        else:
            found = [line for line, _ in self.heads(place.path, name)]
        return {place, *(Place(place.path, line) for line in found)}

    def answer(self, found: set[Place], one: Any) -> Answer:
        inside = frozenset(place for place in found if place.path and not place.path.startswith('/'))
        return Answer(inside) if inside else Answer(frozenset(), frozenset({self.place(one)}))

    def place(self, cursor: Any) -> Place:
        file = cursor.location.file
        path = Path(file.name).resolve() if file else Path('/')
        inside = path.is_relative_to(self.root)
        return Place(path.relative_to(self.root).as_posix() if inside else str(path), cursor.location.line)

    def wholes(self, one: Any) -> set[Place]:
        """Where what is declared is defined: in this file's view, or in a file that has its head and body."""
        whole = one.get_definition()
        if whole is not None or self.place(one).path.startswith('/'):
            return {self.place(whole or one)}
        name = one.spelling.partition('<')[0]
        heads = [(path, *place) for path in self.naming[name] for place in self.heads(path, name)]
        if len(heads) > 1:  # overloads, functions of other classes, namespaces or systems
            heads = [head for head in heads[:MOST_HEADS] if self.defines(head, one.get_usr())]
        return {Place(path, line) for path, line, _ in heads}

    def defines(self, head: tuple[str, int, int], identity: str) -> bool:
        try:
            other = self.at(*head)
            return other is not None and other.is_definition() and other.get_usr() == identity
        except ValueError:
            return False

    def heads(self, path: str, name: str) -> Iterator[tuple[int, int]]:
        """Where a file may define a function: a body follows the parentheses, no statement begins before it."""
        text = self.text(path)
        for match in re.finditer(rf'\b{re.escape(name)}\s*\([^;{{}}]*\)[\w\s]*(?::[^;{{}}]*)?\{{', text):
            row = text.rfind('\n', 0, match.start()) + 1
            before = (
                r'(?!.*\b(?:return|else|new)\b)' + (r'(?!\s)' if path.endswith('.c') else '') + r'[\w\s:*&<>,~\[\]]*'
            )
            if re.fullmatch(before, text[row : match.start()]) and not re.search(r'[!=]=|\|\|', match.group()):
                yield text.count('\n', 0, row) + 1, match.start() - row


def _tails(path: str) -> Iterator[str]:
    """`a/b/c.h` -> c.h, b/c.h, a/b/c.h: what an include can say."""
    parts = path.split('/')
    return ('/'.join(parts[at:]) for at in range(len(parts)))
