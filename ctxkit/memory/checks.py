"""Check a claim against the repository itself: whether a command and the files that it names exist here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from ctxkit.memory.anchors import Tree
from ctxkit.repo import blobs

_SAFE_WORD = re.compile(r'[\w./:=@,+%-]+\Z')
_MAX_BYTES = 512 * 1024
_SCRIPTS = frozenset('npm pnpm yarn bun'.split())
# Programs that need one of these files in the tree.
_BY_FILE = {
    'cargo': ('Cargo.toml',),
    'go': ('go.mod',),
    'gradle': ('build.gradle', 'build.gradle.kts'),
    './gradlew': ('gradlew',),
    'mvn': ('pom.xml',),
    './mvnw': ('mvnw',),
    'bundle': ('Gemfile',),
    'rake': ('Rakefile',),
    'composer': ('composer.json',),
    'mix': ('mix.exs',),
    'dotnet': ('global.json', 'Directory.Build.props'),
    'tox': ('tox.ini', 'pyproject.toml'),
    'nox': ('noxfile.py',),
    'pre-commit': ('.pre-commit-config.yaml',),
    'cmake': ('CMakeLists.txt',),
    'swift': ('Package.swift',),
    'docker-compose': ('docker-compose.yml', 'compose.yaml'),
    'sbt': ('build.sbt',),
    'uv': ('uv.lock', 'pyproject.toml'),
    'poetry': ('poetry.lock', 'pyproject.toml'),
}
_MANIFESTS = (
    'pyproject.toml',
    'setup.cfg',
    'tox.ini',
    'requirements-dev.txt',
    'requirements.txt',
    'package.json',
    '.pre-commit-config.yaml',
    'Makefile',
    'justfile',
    'Gemfile',
    'composer.json',
    'mix.exs',
)


def command_exists(tree: Tree, line: str) -> bool:
    """Whether the tree itself provides this command line: a target, a script, a tool of its manifests.

    Anything with a shell operator, a substitution, an address or a path that is not in the tree is refused: the line
    comes from a transcript, and what passes may be shown to an agent without a person having read it.
    """
    words = line.split()
    if not words or not all(_SAFE_WORD.match(word) for word in words) or '://' in line:
        return False
    program, rest = words[0], words[1:]
    if not all(_known_path(tree, word) for word in rest):
        return False
    if program in ('python', 'python3') and rest[:1] == ['-m'] and len(rest) > 1:
        program, rest = rest[1], rest[2:]
    if program in ('uv', 'poetry') and rest[:1] == ['run'] and len(rest) > 1:
        program, rest = rest[1], rest[2:]
    if program in ('python', 'python3', 'sh', 'bash', 'node', 'ruby'):
        return bool(rest) and rest[0].removeprefix('./') in tree.blobs
    if program.removeprefix('./') in tree.blobs:
        return True
    if program in _SCRIPTS:
        return _script(tree, rest)
    if program in ('make', 'just'):
        return _target(tree, program, rest)
    if program in _BY_FILE:
        return any(name in tree.blobs for name in _BY_FILE[program])
    named: Callable[[str], bool] = re.compile(rf'(?<![\w-]){re.escape(program)}(?![\w-])').search  # type: ignore[assignment]
    return bool(re.fullmatch(r'[a-z][\w-]{2,30}', program)) and any(named(_text(tree, name)) for name in _MANIFESTS)


def _known_path(tree: Tree, word: str) -> bool:
    """Whether a word that looks like a path is in the tree; True for any other word but `~`, `..` and `@`."""
    value = word.rsplit('=', 1)[-1].split('::')[0]
    if '/' not in value or value.startswith('-'):
        return not value.startswith(('~', '..')) and '@' not in value
    value = value.removeprefix('./').rstrip('/')
    return value in ('', '...') or value in tree.blobs or any(path.startswith(value + '/') for path in tree.blobs)


def _text(tree: Tree, name: str) -> str:
    blob = tree.blobs.get(name)
    if blob is None:
        return ''
    content = next((data for _, data in blobs(tree.repo, [blob])), None) or b''
    return content[:_MAX_BYTES].decode('utf-8', 'replace')


def _script(tree: Tree, rest: list[str]) -> bool:
    try:
        scripts = json.loads(_text(tree, 'package.json') or '{}').get('scripts')
    except (ValueError, RecursionError, AttributeError):
        return False
    words = [word for word in rest if not word.startswith('-')]
    if words[:1] == ['run']:
        words = words[1:]
    if not words or words == ['install'] or words == ['ci']:
        return 'package.json' in tree.blobs
    return isinstance(scripts, dict) and words[0] in scripts


def _target(tree: Tree, program: str, rest: list[str]) -> bool:
    source = ''.join(
        _text(tree, name)
        for name in (
            ('Makefile', 'makefile', 'GNUmakefile') if program == 'make' else ('justfile', 'Justfile', '.justfile')
        )
    )
    targets = [word for word in rest if not word.startswith('-') and '=' not in word]
    return bool(source) and all(re.search(rf'^{re.escape(target)}\b[^=\n]*:', source, re.M) for target in targets)
