"""Definitions of C and C++ that a name can mean: not those private to another file, and those in included headers."""

from __future__ import annotations

import re
from collections.abc import Collection

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import language_of
from ctxkit.units.seen import SOURCES

_STATIC = re.compile(rb'(?:\w+\s+){0,3}static\b')
_HEAD = 80
LANGUAGES = frozenset({'c', 'cpp'})
MOST = 10  # definitions of one name; more are not read


def visible(corpus: Corpus, path: str, candidates: list[int]) -> list[int]:
    """`candidates` without functions that are `static` in a source file other than `path`; unfiltered if above MOST."""
    if len(candidates) > MOST:
        return candidates
    return [one for one in candidates if corpus.path(one) == path or not _is_static(corpus, one)]


def included(corpus: Corpus, path: str, candidates: Collection[int]) -> list[int]:
    """The candidate in a header that `path` includes, or in the source file of that stem (`buf.c` for `buf.h`).

    [] unless there is exactly one. Methods do not count: a call needs their class or object.
    """
    where = corpus.file(path)
    stems = {_stem(one.qualifier) for one in corpus.importing(*where)} if where else set()
    found = [one for one in candidates if corpus.place(one).kind != 'method' and _stem(corpus.path(one)) in stems]
    return found if len(found) == 1 else []


def _stem(path: str) -> str:
    return path.rpartition('/')[2].partition('.')[0]


def _is_static(corpus: Corpus, target: int) -> bool:
    path, place = corpus.path(target), corpus.place(target)
    if language_of(path) not in LANGUAGES or path.rpartition('.')[2].lower() not in SOURCES:
        return False
    return _STATIC.match(corpus.source(path)[place.start_byte : place.start_byte + _HEAD]) is not None
