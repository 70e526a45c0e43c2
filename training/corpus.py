"""Which repositories are trained on, which choose between variants, which judge; and reading them from bare clones.

`corpus.tsv` has one repository a line: split, repository, commit, licence, licence files, main language. The clones are
not part of the project: `clones/<owner>+<name>/` or `clones/<owner>+<name>/repo` holds each, bare or not.
"""

# ruff: noqa: E402, E501, C901

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).parent / 'corpus.tsv'
MAX_FILE, MAX_REPOSITORY, MAX_TRAIN = 150_000, 2_500_000, 16_000_000
SKIP = re.compile(
    r'(^|/)(vendor|vendored|third[_-]?party|3rdparty|node_modules|dist|build|bundled|deps|external|generated|\.yarn|min|'
    r'locales?|i18n|extern|thirdparty|Pods|snapshots?|__snapshots__)(/|$)|\.min\.|\.d\.ts$|_pb2|\.pb\.|\.g\.cs$|'
    r'\.designer\.cs$|single_include|amalgam',
    re.I,
)
TEST = re.compile(
    r'(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures?|benchmarks?|bench|examples?|e2e|\w*-tests?)(/|$)|'
    r'(^|/)(test_[^/]*|[^/]*(_test|_spec|\.test|\.spec|Tests?|Spec|Test[A-Z]\w*)\.\w+)$|\.Tests?(\.|/)|/src/test/',
    re.I,
)


@dataclass(frozen=True)
class Source:
    """One line of the list."""

    split: str
    name: str
    commit: str
    licence: str


def sources(split: str = '') -> list[Source]:
    """The repositories of a split ('train', 'dev', 'held'), or all."""
    with LIST.open(newline='', encoding='utf-8') as stream:
        rows = [
            Source(r['split'], r['repository'], r['commit'], r['licence'])
            for r in csv.DictReader(stream, delimiter='\t')
        ]
    return [row for row in rows if not split or row.split == split]


def clone_of(clones: Path, name: str) -> Path:
    """Where the clone of a repository lies. Raises SystemExit if it does not."""
    folder = clones / name.replace('/', '+')
    for place in (folder / 'repo', folder):
        if (place / 'HEAD').is_file() or (place / '.git').exists():
            return place
    raise SystemExit(f'{name}: no clone below {clones}; fetch it first')


def git(clone: Path, *args: str, stdin: bytes = b'') -> bytes:
    """What a git command prints."""
    return subprocess.run(['git', '-C', str(clone), *args], input=stdin, capture_output=True, check=True).stdout


def blobs(clone: Path, ids: list[str]) -> Iterator[bytes]:
    """The contents of blobs, in order."""
    data = git(clone, 'cat-file', '--batch', stdin=''.join(f'{i}\n' for i in ids).encode())
    at = 0
    for _ in ids:
        end = data.index(b'\n', at)
        head = data[at:end].split()
        if head[1] == b'missing':
            at = end + 1
            yield b''
            continue
        size = int(head[2])
        yield data[end + 1 : end + 1 + size]
        at = end + 2 + size


def files(
    clone: Path, commit: str, suffixes: frozenset[str], most: int = MAX_REPOSITORY
) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of the source files, about `most` bytes at most, spread evenly over the tree."""
    found = []
    for line in git(clone, 'ls-tree', '-r', '-l', '-z', commit).split(b'\0'):
        meta, _, raw = line.partition(b'\t')
        part = meta.split()
        path = raw.decode('utf-8', 'replace')
        # A size that is no number: the clone is a snapshot that lacks this (large) object.
        if len(part) != 4 or part[1] != b'blob' or part[0] == b'120000' or not part[3].isdigit() or SKIP.search(path):
            continue
        if path.rpartition('.')[2].lower() in suffixes and 60 < int(part[3]) <= MAX_FILE:
            found.append((path, part[2].decode(), int(part[3])))
    total = sum(size for _, _, size in found)
    step = max(1.0, total / most)
    kept = [item for n, item in enumerate(found) if int((n + 1) / step) != int(n / step)]
    for start in range(0, len(kept), 200):
        part = kept[start : start + 200]
        yield from zip([p for p, _, _ in part], blobs(clone, [i for _, i, _ in part]), strict=True)
