"""Whether a name exists: in the tree, or in the languages that it uses."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property

from ctxkit import repo as plumbing
from ctxkit.feedback import known
from ctxkit.feedback.names import SEPARATOR, SOURCE_END
from ctxkit.repo import Repo
from ctxkit.slicing import readable, slice_file

# A removed name may still be in these; that does not make it real.
HISTORY = re.compile(
    r'(?:^|/)(?:changes|changelog|history|news|releases?|release[_-]notes|authors|'
    r'\.mailmap)(?:[./_-]|$)',
    re.IGNORECASE,
)
OUTER = re.compile(r'[A-Za-z_]\w*')
DEFINED = r'(class|struct|interface|trait|type|enum|union|module|object|protocol|record|extension|defmodule)'
# A class that creates members at run time may have any.
SETS_ITSELF = re.compile(
    r'\b__getattr__\b|\bsetattr\(\s*(?:self|cls)\b|\bmethod_missing\b|\b__call\b|\bnew Proxy\(|'
    r'define_method'
)
DYNAMIC = '<any>'
MAX_FILES = 16  # files read for the members of one type
BASES = 8  # classes searched for one inherited member


class Tree:
    """The names in a work tree's files: tracked ones, and untracked ones that are not ignored."""

    def __init__(self, repo: Repo, block: str = '') -> None:
        self.repo, self.block = repo, set(OUTER.findall(block))
        self._words: dict[str, frozenset[str]] = {}
        self._classes: dict[str, list[tuple[frozenset[str], tuple[str, ...]]]] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        """All paths, folders included, without a closing slash."""
        listed = plumbing.text(plumbing.git(self.repo, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'))
        files = [path for path in listed.split('\0') if path and not path.startswith('.ctx/')]
        found = set(files)
        for path in files:
            while '/' in path:
                path = path.rpartition('/')[0]
                found.add(path)
        return frozenset(found)

    @cached_property
    def ends(self) -> frozenset[str]:
        """Every path, and each of its tails that begins at a folder: `flask/app.py` for `src/flask/app.py`."""
        found = set()
        for path in self.paths:
            found.add(path)
            while '/' in path:
                path = path.partition('/')[2]
                found.add(path)
        return frozenset(found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The `ends` without extension, and also without `/index`, `/__init__` or `/mod`, as imports write them."""
        found: set[str] = set()
        for end in self.ends:
            if '.' in end.rpartition('/')[2] and not SOURCE_END.search(end):
                continue
            stem = re.sub(r'(?:\.d)?\.\w+$', '', end)
            found.update((stem, re.sub(r'/(?:index|__init__|mod)$', '', stem)))
        return frozenset(found)

    @cached_property
    def builtin(self) -> frozenset[str]:
        """The words of the tree's languages."""
        extensions = frozenset(path.rpartition('.')[2].lower() for path in self.paths)
        return known.words(known.languages(extensions))

    def has_path(self, path: str) -> bool:
        """Whether the tree has this path or one that ends with it, or it is on disk or commonly generated."""
        path = path.rstrip('/')
        if path in self.ends or path in self.stems or path.split('/')[0] in known.GENERATED:
            return True
        return path.rpartition('/')[2] in known.GENERATED or self._on_disk(path)

    @cached_property
    def packages(self) -> frozenset[str]:
        """Names under which the tree's own code is imported: its first folders, and the repository's own name."""
        found = {self.repo.root.name.lower()}
        for path in self.paths:
            parts = path.split('/')
            while parts and parts[0] in ('src', 'lib', 'packages', 'crates', 'python'):
                parts = parts[1:]
            if len(parts) > 1 or (parts and SOURCE_END.search(parts[0])):
                found.add(parts[0].partition('.')[0])
        return frozenset(found)

    def where(self, words: Iterable[str]) -> dict[str, frozenset[str]]:
        """For each word, the files that contain it as a whole word (change logs do not count)."""
        asked = sorted({word for word in words if word not in self._words})
        for start in range(0, len(asked), 100):
            some = asked[start : start + 100]
            found: dict[str, set[str]] = {word: set() for word in some}
            out = plumbing.git(
                self.repo,
                'grep',
                '-I',
                '-o',
                '-w',
                '-F',
                '-z',
                '--untracked',
                '-f',
                '-',
                '--',
                '.',
                data='\n'.join(some).encode('utf-8', 'replace'),
                check=False,
            )
            for line in out.split(b'\n'):
                file, _, word = line.partition(b'\0')
                path, text = plumbing.text(file), plumbing.text(word)
                if text in found and not HISTORY.search(path) and not path.startswith('.ctx/'):
                    found[text].add(path)
            self._words.update({word: frozenset(files) for word, files in found.items()})
        return {word: self._words[word] for word in words}

    def has_word(self, word: str) -> bool:
        """Whether the word is anywhere: in the tree, in the block, among the built-ins."""
        return word in self.builtin or word in self.block or bool(self.where([word])[word])

    def imported(self, word: str) -> bool:
        """Whether the word is an outside package: of the standard library, or imported or required somewhere."""
        name = known.ALIASES.get(word, word)
        if word in sys.stdlib_module_names or word in self.builtin:
            return True
        pattern = (
            r'(^|[^A-Za-z0-9_])(import|from|require|use|using|include)[^A-Za-z0-9_]+'
            r'([A-Za-z0-9_"./@]*[^A-Za-z0-9_])?'
            rf'({_ere(word)}|{_ere(name)})($|[^A-Za-z0-9_])'
        )
        return bool(self._files_with(pattern))

    def members(self, name: str) -> list[tuple[frozenset[str], tuple[str, ...]]]:
        """For each class or type `name` in the tree: the words in its body, and the names of its bases."""
        if name not in self._classes:
            found: list[tuple[frozenset[str], tuple[str, ...]]] = []
            for path in self._defining(name):
                found += self._bodies(path, name)
            self._classes[name] = found
        return self._classes[name]

    def has_member(self, owner: str, member: str) -> bool | None:
        """Whether `member` belongs to the class `owner` or to what it inherits; None if that cannot be decided."""
        seen: set[str] = set()
        todo = [owner]
        while todo and len(seen) < BASES:
            name = todo.pop()
            seen.add(name)
            bodies = self.members(name)
            if not bodies:
                if name in ('object', 'Object', 'Exception', 'ABC', 'Protocol', 'Generic', 'Enum'):
                    continue
                return None  # an outside base may have any member
            if any(member in words or DYNAMIC in words for words, _ in bodies):
                return True
            todo += [base for _, bases in bodies for base in bases if base not in seen]
        return None if todo else False

    def _defining(self, name: str) -> list[str]:
        """Files that define `name` or add members to it, definitions first."""
        word = _ere(name)
        typed = (
            rf'(^|[^A-Za-z0-9_.]){DEFINED}[ \t]+([A-Za-z0-9_]+(\.|::))*{word}($|[^A-Za-z0-9_])|'
            rf'(^|[^A-Za-z0-9_.]){word} *= *(type|class|namedtuple|NewType)'
        )
        added = (
            rf'(^|[ \t])func +\([^)]*[ *]{word}(\[[^]]*\])?\)|(^|[ \t])impl[ <].*[^A-Za-z0-9_]{word}($|'
            rf'[^A-Za-z0-9_])|'
            rf'extension +{word}|fun +(<[^>]*> *)?{word}\.|{word}\.prototype|{word}::[A-Za-z_~]+\('
        )
        found: list[str] = []
        for pattern in (typed, added):
            found += [path for path in self._files_with(pattern) if not _is_prose(path)][:MAX_FILES]
        return list(dict.fromkeys(found))

    def _files_with(self, pattern: str) -> list[str]:
        out = plumbing.git(self.repo, 'grep', '-I', '-l', '-z', '-E', '--untracked', '-e', pattern, check=False)
        return [path for path in plumbing.text(out).split('\0') if path]

    def _bodies(self, path: str, name: str) -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
        try:
            source = readable((self.repo.root / path).read_bytes())
        except OSError:
            return
        for chunk in slice_file(path, source).chunks:
            scope = SEPARATOR.split(chunk.symbol)
            if name == scope[-1] if chunk.kind == 'class' else name in scope[:-1]:
                body = source[chunk.start_byte : chunk.end_byte].decode('utf-8', 'replace')
                bases = tuple(reference.name for reference in chunk.references if reference.kind == 'base')
                words = frozenset(OUTER.findall(body))
                if SETS_ITSELF.search(body):
                    words |= {DYNAMIC}
                yield words, bases if chunk.kind == 'class' else ()

    def _on_disk(self, path: str) -> bool:
        # For a path that begins with two slashes, Windows would contact that host and log in there.
        if path.startswith(('..', '//', '\\\\')):
            return False
        try:
            return (self.repo.root / path).exists()
        except (OSError, ValueError):
            return False


def _is_prose(path: str) -> bool:
    return path.endswith(('.md', '.rst', '.txt', '.adoc', '.html'))


def _ere(word: str) -> str:
    return re.sub(r'([^A-Za-z0-9_])', r'\\\1', word)
