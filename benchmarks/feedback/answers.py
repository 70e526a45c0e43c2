"""Scripted answers about a real repository: real names of its own and invented ones of the same make."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ctxkit.slicing import language_of, slice_file

SHARE = 0.25  # of the planted names are invented
WORD = re.compile(r'[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])')
SNAKE = ('python', 'rust', 'c', 'ruby')
EXTERNAL = {
    'python': [
        'os.path.join',
        'json.dumps',
        'functools.wraps',
        're.compile',
        'collections.OrderedDict',
        'isinstance',
        'ValueError',
    ],
    'javascript': ['Promise.all', 'Object.keys', 'JSON.stringify', 'Array.isArray', 'setTimeout', 'TypeError'],
    'go': ['fmt.Sprintf', 'http.ResponseWriter', 'strings.TrimSpace', 'errors.New', 'context.Background', 'sync.Mutex'],
    'rust': ['Vec::with_capacity', 'std::mem::swap', 'Option<String>', 'unwrap_or_default', 'PhantomData'],
    '': ['README.md'],
}
FAMILY = {'typescript': 'javascript', 'tsx': 'javascript'}


@dataclass
class Answer:
    """An answer with what was planted in it."""

    text: str
    real: set[str] = field(default_factory=set)
    invented: set[str] = field(default_factory=set)


class Repository:
    """The names of a clone: functions, (class, method) pairs, classes and source files, with their words."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance = root, chance
        out = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, check=True).stdout.decode()
        self.paths = [path for path in out.split('\0') if path and (root / path).is_file()]
        self.functions: list[str] = []
        self.methods: list[tuple[str, str, str]] = []
        self.classes: list[str] = []
        self.words: set[str] = set()
        by_language: dict[str, list[str]] = {}
        for path in self.paths:
            if language_of(path) not in ('', 'markdown', 'text'):
                by_language.setdefault(language_of(path), []).append(path)
        self.language = max(by_language, key=lambda name: len(by_language[name]))
        self.sources = by_language[self.language]
        for path in self.paths:
            self._read(path, path in set(self.sources))
        self.functions = sorted({name for name in self.functions if self._is_name(name)})
        self.classes = sorted(
            {
                name
                for name in self.classes
                if self._is_name(name) and name[:1].isupper() and len(WORD.findall(name)) > 1
            }
        )
        self.methods = sorted(
            {
                (owner, name, path)
                for owner, name, path in self.methods
                if len(name) > 2
                and owner[:1].isupper()
                and not name.startswith('_')
                and owner.isidentifier()
                and name.isidentifier()
            }
        )
        self.pieces = sorted(
            {piece.lower() for name in self.functions for piece in WORD.findall(name) if len(piece) > 2}
        )

    def _read(self, path: str, is_source: bool) -> None:
        source = (self.root / path).read_bytes()
        if len(source) > 500_000 or b'\0' in source:
            return
        if not re.search(r'(?i)changes|changelog|history|news', path):
            self.words |= set(re.findall(r'[A-Za-z_]\w*', source.decode('utf-8', 'replace')))
        if not is_source or self.chance.random() < 0.02 and len(self.sources) > 400:
            return
        for chunk in slice_file(path, source).chunks:
            owner = re.split(r'\.|::', chunk.symbol)[-2:-1]
            if chunk.kind == 'function':
                self.functions.append(chunk.name)
            elif chunk.kind == 'class':
                self.classes.append(chunk.name)
            elif chunk.kind == 'method' and owner:
                self.methods.append((owner[0], chunk.name, path))

    def _is_name(self, name: str) -> bool:
        return name.isidentifier() and len(name) > 3 and not name.startswith('_')

    def fake_name(self, like: str) -> str:
        """A name that stands nowhere, in the manner of `like`."""
        while True:
            parts = [piece.lower() for piece in WORD.findall(like)] or ['item']
            way = self.chance.randrange(4)
            if way == 0:
                parts = self.chance.sample(self.pieces, k=min(3, len(self.pieces)))
            elif way == 1:
                parts[self.chance.randrange(len(parts))] = self.chance.choice(self.pieces)
                parts.append(self.chance.choice(('async', 'all', 'safe', 'batch', 'state')))
            elif way == 2:
                parts = [self.chance.choice(('fetch', 'resolve', 'prepare', 'ensure', 'build')), *parts]
            else:
                parts = [*parts, self.chance.choice(('with', 'from', 'for')), self.chance.choice(self.pieces)]
            if like[:1].isupper():
                name = ''.join(part.capitalize() for part in parts)
            elif '_' in like or self.language in SNAKE or (like.islower() and self.language != 'go'):
                name = '_'.join(parts)
            else:
                name = parts[0] + ''.join(part.capitalize() for part in parts[1:])
            if name not in self.words and name.isidentifier() and len(parts) > 1:
                return name

    def fake_path(self, like: str) -> str:
        """A path that is no file: another name in a real folder, or a real name in another folder."""
        ends = {'/'.join(path.split('/')[start:]) for path in self.paths for start in range(path.count('/') + 1)}
        while True:
            folder, _, base = like.rpartition('/')
            stem, _, extension = base.rpartition('.')
            if self.chance.random() < 0.3:
                path = f'{self.chance.choice(self.sources).rpartition("/")[0]}/{base}'.lstrip('/')
            else:
                path = f'{folder}/{self.fake_name("a_b" if stem.islower() else stem)}.{extension}'.lstrip('/')
            if path not in ends and not (self.root / path).exists():
                return path

    def fake_member(self) -> str:
        """A real class with a method that it has not: of another class, or of none."""
        if not self.methods:
            return self.fake_name(self.chance.choice(self.functions))
        owner, name, path = self.chance.choice(self.methods)
        other = self.chance.choice(self.methods)
        inside = {
            word
            for place in {place for who, _, place in self.methods if who == owner} | {path}
            for word in re.findall(r'\w+', (self.root / place).read_text('utf-8', 'replace'))
        }
        if self.chance.random() < 0.3 and other[1] not in inside:
            return f'{owner}.{other[1]}'
        return f'{owner}.{self.fake_name(name)}'


def write(repository: Repository, template: str) -> Answer:
    """Fill one template; each place holds a real name or, for a quarter of them, an invented one."""
    chance, answer = repository.chance, Answer('')
    family = FAMILY.get(repository.language, repository.language)
    owner_methods = repository.methods or [(name,) for name in repository.functions]
    types = repository.classes or repository.functions

    def plant(real: Callable[[], str], fake: Callable[[], str]) -> str:
        invented = chance.random() < SHARE
        name = fake() if invented else real()
        (answer.invented if invented else answer.real).add(name)
        return name

    def function() -> str:
        return plant(
            lambda: chance.choice(repository.functions),
            lambda: repository.fake_name(chance.choice(repository.functions)),
        )

    def method() -> str:
        return plant(lambda: '.'.join(chance.choice(owner_methods)[:2]), repository.fake_member)

    def path() -> str:
        return plant(
            lambda: chance.choice(repository.sources), lambda: repository.fake_path(chance.choice(repository.sources))
        )

    def base() -> str:
        name = path()
        end = name.rpartition('/')[2]
        answer.real.discard(name)
        answer.invented.discard(name)
        there = any(path.rpartition('/')[2] == end for path in repository.paths)
        (answer.real if there else answer.invented).add(end)
        return end

    def external() -> str:
        name = chance.choice(EXTERNAL.get(family, EXTERNAL['']))
        answer.real.add(name)
        return name

    fill = {
        'f': function,
        'm': method,
        'p': path,
        'base': base,
        'ext': external,
        'c': lambda: plant(lambda: chance.choice(types), lambda: repository.fake_name(chance.choice(types))),
        'pl': lambda: f'{path()}:{chance.randrange(1, 400)}',
        'code_f': lambda: f'result = {function()}(value, limit=3)',
        'code_m': lambda: f'other = {method()}(result)',
        'lang': lambda: {'javascript': 'js', 'typescript': 'ts'}.get(repository.language, repository.language),
    }
    answer.text = re.sub(r'\{(\w+)\}', lambda match: fill[match[1]](), template)
    return answer
