"""How hot a unit is, and which of two equally hot units comes first."""

from __future__ import annotations

from ctxkit.index.text_classes import CODE, PAGE, text_class

FREQUENCY_WEIGHT = 0.3
EDIT_WEIGHT = 0.1
COLD = 0.3  # below this a unit is cold knowledge
# A commit of more files is a sweep (imports sorted, a licence year changed): it says little about any one of them.
MANY_FILES = 50


_KIND_RANK = {'function': 0, 'method': 0, 'class': 1, 'module': 2, 'section': 3, 'text': 4}
_ASIDE = frozenset(
    '__tests__ benchmark benchmarks demo demos doc docs e2e example examples fixtures playground sample samples spec '
    'specs test testdata testing tests third_party vendor'.split()
)
_LOCKS = frozenset(('go.sum', 'go.work.sum', 'npm-shrinkwrap.json', 'package.resolved', 'cartfile.resolved'))
_TEST_NAMES = ('_test.', '.test.', '_spec.', '.spec.')


def kind_rank(kind: str, path: str) -> int:
    """A rank to sort by: functions, classes, what is left of a module, then prose and data."""
    if kind in ('text', 'section'):
        kind = {CODE: 'class', PAGE: 'module'}.get(text_class(path), kind)
    return _KIND_RANK.get(kind, len(_KIND_RANK))


def is_aside(path: str) -> bool:
    """Whether a file is not part of the program itself: tests, examples, documentation.

    A simpler form of `index.path_classes`, whose patterns take longer to compile than a render has for this.
    """
    *folders, name = path.lower().split('/')
    return not _ASIDE.isdisjoint(folders) or name.startswith('test_') or any(part in name for part in _TEST_NAMES)


def is_lock_file(path: str) -> bool:
    """Whether a tool writes the file to pin what is installed: it changes with each update, and nobody works on it."""
    name = path.rpartition('/')[2].lower()
    return name in _LOCKS or name.endswith(('.lock', '-lock.json', '-lock.yaml', '.lockb', '.lockfile', '.lock.json'))


def hot_score(minutes: float, edits_today: int) -> float:
    """`1/(dt+1) + 0.3*file_freq`: dt = minutes since the unit last changed, file_freq = times its file changed today.

    Negative `minutes` (the clock was set back) count as 0.
    """
    return 1 / (max(minutes, 0.0) + 1) + FREQUENCY_WEIGHT * edits_today


def heat(changes: int, edits_today: int) -> float:
    """`1/(n+1) + 0.1*file_freq`: n = how many changes came later, file_freq = times the file changed today.

    Orders the units of a block. By `hot_score`, a changelog that ten commits touched today would come before the last
    change once that is some hours old (docs/design/units.md has the figures).
    """
    return 1 / (changes + 1) + EDIT_WEIGHT * edits_today
