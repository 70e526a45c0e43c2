"""Classify files by their paths: tests, examples, documentation, benchmarks, vendored code, migrations, re-exports.

Such files crowd the answers when a whole repository is searched, so each class has a factor below 1, which becomes 1 if
words of the request ask for that kind of file.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class PathClass(NamedTuple):
    """One kind of file: the pattern of its paths, the factor of its chunks, the words that raise the factor to 1."""

    name: str
    pattern: str
    factor: float
    lifted_by: frozenset[str]


def _folder(names: str) -> str:
    return rf'(^|/)({names})(/|$)'


CLASSES = (
    PathClass(
        'test',
        # `Tests/` in Swift and PHP, `App.UnitTests/` in C#, `src/commonTest/` in Kotlin
        _folder(
            r'[Tt]ests?|testing|specs?|Specs|__tests__|[Ff]ixtures|testdata|e2e|mocks?|Mocks|__mocks__|[\w.-]*[a-z.]Tests'
        )
        + r'|(^|/)src/[a-z]\w*Test/|(^|/)(test_[^/]*|conftest\.py)$|(_test|_spec|\.test|\.spec|Test|Tests|Spec)\.\w+$'
        + r'|^t/|(^|/)t/[^/]*\.t$',  # of git, and of Perl
        0.4,
        frozenset('test tests testing spec specs fixture fixtures mock mocks'.split()),
    ),
    PathClass(
        'example',
        _folder('[Ee]xamples?|[Ss]amples?|[Dd]emos?|[Pp]laygrounds?|[Tt]utorials?'),
        0.5,
        frozenset('example examples sample samples demo demos playground tutorial'.split()),
    ),
    PathClass(
        'doc',
        _folder('[Dd]ocs?|[Dd]ocumentation|site|website'),
        0.5,
        frozenset('doc docs documentation website'.split()),
    ),
    PathClass(
        'benchmark',
        _folder('bench|benches|[Bb]enchmarks?|perf') + r'|(_bench|_benchmark)\.\w+$',
        0.5,
        frozenset('bench benchmark benchmarks performance'.split()),
    ),
    PathClass(
        'vendored',
        _folder('vendor|vendored|third_party|node_modules|deps|extern|external|dist|build|generated|compat|legacy')
        + r'|(_pb2(_grpc)?\.pyi?|\.pb(\.\w+)?\.(go|cc|h|swift|dart)|_pb\.[jt]s|_generated\.\w+|\.[Dd]esigner\.(cs|vb)'
        + r'|\.(g|gen|freezed|generated)\.\w+|\.(min|umd|esm|cjs|bundle)\.\w+|\.d\.ts)$|(^|/)(mvnw|gradlew)(\.\w+)?$'
        + r'|(^|/)priv/static/',  # what Phoenix builds
        0.5,
        frozenset('vendor vendored generated compat legacy build'.split()),
    ),
    PathClass(
        'prose',
        r'\.(md|rst|txt|adoc|markdown)$',
        0.3,
        frozenset('doc docs documentation readme changelog markdown guide'.split()),
    ),
    PathClass(
        'migration',
        # Rails, Django, Laravel, Flyway, Prisma, Entity Framework and the like number them; Alembic gives them hashes
        r'(^|/)(\w*[Mm]igrations?|migrate)/(\w+/)*[VU]?\d[\w.-]*(/[^/]*)?$|(^|/)versions/[0-9a-f]{10,}_\w+\.py$',
        0.5,
        frozenset('migration migrations migrate migrated'.split()),
    ),
    PathClass('exports', r'(^|/)(__init__\.py|index\.[jt]sx?|mod\.rs|lib\.rs)$', 0.8, frozenset()),
)
BY_NAME = {one.name: one for one in CLASSES}
FLOOR = 0.1  # the smallest factor, however many classes a file has


@lru_cache(maxsize=1)
def _patterns() -> list[re.Pattern[str]]:
    """The compiled patterns; made only when a new path is classified, for the index stores the classes it knows."""
    return [re.compile(one.pattern, re.ASCII) for one in CLASSES]


@lru_cache(maxsize=1 << 17)
def classes_of(path: str) -> int:
    """The classes of a path, as bits in the order of CLASSES."""
    return sum(1 << number for number, pattern in enumerate(_patterns()) if pattern.search(path))


def bits_of(*names: str) -> int:
    """The bits of the named classes together, to compare with those of `classes_of`."""
    return sum(1 << number for number, one in enumerate(CLASSES) if one.name in names)


def path_kind(path: str) -> str:
    """The name of the first class of a path; '' if it has none."""
    bits = classes_of(path)
    return next((one.name for number, one in enumerate(CLASSES) if bits >> number & 1), '')


def is_outside_own_code(path: str) -> bool:
    """Whether a file is not part of a project's own code: tests, examples, documentation, vendored code.

    False for a file of re-exports, like `__init__.py`: what it defines itself is the project's own code.
    """
    return path_kind(path) not in ('', 'exports')


def factors(words: frozenset[str]) -> list[float]:
    """The factors for a request with these words: out[bits] is that of the combination of classes `bits`."""
    active = [1.0 if words & one.lifted_by else one.factor for one in CLASSES]
    out = []
    for bits in range(1 << len(CLASSES)):
        factor = 1.0
        for number, one in enumerate(active):
            if bits >> number & 1:
                factor *= one
        out.append(max(factor, FLOOR))
    return out
