"""What a name of C and C++ cannot mean in another file, and what it does mean by the headers that are included."""

from __future__ import annotations

import re
from collections.abc import Collection

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import language_of
from ctxkit.units.seen import SOURCES

_STATIC = re.compile(rb'(?:\w+\s+){0,3}static\b')
_HEAD = 80
LANGUAGES = frozenset({'c', 'cpp'})
MOST = 10  # definitions of one name that are looked at


def visible(corpus: Corpus, path: str, candidates: list[int]) -> list[int]:
    """Without the functions that are static in another source file, which nothing outside of it calls; of many all."""
    if len(candidates) > MOST:
        return candidates
    return [one for one in candidates if corpus.path(one) == path or not _is_static(corpus, one)]


def included(corpus: Corpus, path: str, candidates: Collection[int]) -> list[int]:
    """The one that stands in a header that the file includes, or in the source of that name: `buf.c` of `buf.h`; []
    where there are several. A method is none: it needs its class."""
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
