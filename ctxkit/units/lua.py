"""Which definitions a name of Lua can mean: locals stay in their file, and a module is the table that it returns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxkit.index.corpus import Corpus
from ctxkit.slicing import Reference
from ctxkit.slicing.chunk import FUNCTIONS
from ctxkit.units.imported import binding, imported
from ctxkit.units.language_files import LanguageFiles, known_of
from ctxkit.units.seen import Resolution, is_inside, is_reachable

LIBRARY = frozenset('string table math io os coroutine debug utf8 bit bit32 package'.split())
BUILT_IN = frozenset(
    'assert collectgarbage dofile error getfenv getmetatable ipairs load loadfile loadstring next pairs pcall print '
    'rawequal rawget rawlen rawset require select setfenv setmetatable tonumber tostring type unpack xpcall'.split(),
)
FURTHEST = 4  # lines that a name stands below the `require` it is taken from
_RETURNS = re.compile(r'return\s+([A-Za-z_]\w*)\s*;?\s*(?:--.*)?$')


def possible(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> list[int]:
    """Those of some definitions that a call in `chunk` can mean."""
    files = known_of(corpus, _Files)
    path, head = corpus.path(chunk), reference.qualifier.partition('.')[0]
    if (head in LIBRARY if head else reference.name in BUILT_IN) and binding(corpus, path, head) is None:
        candidates = [one for one in candidates if corpus.path(one) == path]
    if not reference.qualifier:
        if binding(corpus, path, reference.name) is not None:
            return list(candidates)
        if files.is_parameter(chunk, reference):
            return []
        free = [one for one in candidates if not files.is_field(one)]
        return [
            one
            for one in free
            if (is_reachable(corpus, chunk, one) if corpus.path(one) == path else not files.is_local(one))
        ]
    return [one for one in candidates if files.is_seen(chunk, reference, one)]


def resolve(corpus: Corpus, chunk: int, reference: Reference, candidates: Sequence[int]) -> Resolution | None:
    """What is called on `require('module')` itself; None for all else."""
    if reference.qualifier not in ('require()', '?'):
        return None
    files = known_of(corpus, _Files)
    rows = files.rows(corpus.path(chunk))[reference.line - 1 : reference.line - 1 + FURTHEST]
    asked = rf'require\s*\(?\s*["\']([^"\']+)["\']\s*\)?\s*[.:]\s*{re.escape(reference.name)}(?!\w)'
    found = re.search(asked, '\n'.join(rows))
    if found is None:
        return None
    module = Reference('import', '', found.group(1), 'required', reference.line)
    meant, sure = imported(corpus, corpus.path(chunk), reference, module, candidates)
    given = nearest(corpus, [one for one in meant if files.is_returned(one)] or meant)
    return (given[-1:], len({corpus.path(one) for one in given}) == 1) if sure else ([], False)


def nearest(corpus: Corpus, found: Sequence[int]) -> list[int]:
    """Those of some definitions whose file is the least deep: `lib/a/b.lua` before `tests/shims/a/b.lua`."""
    least = min((corpus.path(one).count('/') for one in found), default=0)
    return [one for one in found if corpus.path(one).count('/') == least]


class _Files(LanguageFiles):
    """The files of a tree in Lua."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._returned: dict[str, str] = {}

    def returned(self, path: str) -> str:
        """The name of the table that a module returns at its end; '' if it returns anything else."""
        if path not in self._returned:
            last = next((row for row in reversed(self.rows(path)) if row.strip() and not row.startswith('--')), '')
            found = _RETURNS.match(last)
            self._returned[path] = found.group(1) if found else ''
        return self._returned[path]

    def is_returned(self, chunk: int) -> bool:
        """Whether a function is one of the table that its module returns."""
        owner = self.corpus.place(chunk).symbol.rpartition('.')[0]
        return bool(owner) and owner == self.returned(self.corpus.path(chunk))

    def is_parameter(self, chunk: int, reference: Reference) -> bool:
        """Whether a name is a parameter of the function around it, or of one in that before the use."""
        place = self.corpus.place(chunk)
        if place.kind not in FUNCTIONS:
            return False
        text = '\n'.join(self.rows(self.corpus.path(chunk))[place.line - 1 : reference.line])
        return re.search(rf'\bfunction\b[^\n(]*\([^)\n]*\b{re.escape(reference.name)}\b[^)\n]*\)', text) is not None

    def is_local(self, chunk: int) -> bool:
        """Whether a function is known in its file alone."""
        place = self.corpus.place(chunk)
        return self.rows(self.corpus.path(chunk))[place.line - 1].lstrip().startswith('local ')

    def is_field(self, chunk: int) -> bool:
        """Whether a function is a field of the table that is written around it: `{ run = function() end, ... }`."""
        place = self.corpus.place(chunk)
        after = self.corpus.source(self.corpus.path(chunk))[place.end_byte : place.end_byte + 200].lstrip()
        return after[:1] in (b',', b'}') and not self.is_local(chunk)

    def is_seen(self, chunk: int, reference: Reference, target: int) -> bool:
        """Whether a call on a table in `chunk` can mean `target`: of a table in sight, or that a module returns."""
        symbol, path, here = self.corpus.place(target).symbol, self.corpus.path(target), self.corpus.path(chunk)
        around, _, owner = symbol.rpartition('.')[0].rpartition('.')
        if around:  # a table within a function, or within a table
            whole = f'{reference.qualifier}.{reference.name}'
            return symbol == whole or path == here and is_inside(self.corpus.place(chunk).symbol, around)
        returned = self.returned(path) if path != here else ''
        if not owner or not returned or owner == returned or binding(self.corpus, here, reference.qualifier) is None:
            return True
        exported = f'{returned}.{reference.name}'
        same = (one for one in self.corpus.defining(reference.name) if self.corpus.path(one) == path)
        return not any(self.corpus.place(one).symbol == exported for one in same)
