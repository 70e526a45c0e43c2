"""Whether a definition that the index does not find any more is still there, or may be, in another form.

A syntax error hides the definitions around it from the parser; an import, a variable, a parameter or a class that is
not of the tree can give what a function gave before.
"""

from __future__ import annotations

import re

from ctxkit.index.corpus import Corpus
from ctxkit.index.record import Place

_KEYWORDS = 'class|def|defmacro|defmacrop|defp|fn|fun|func|function|interface|macro_rules!|module|object|struct|trait'
_CALLED = r'\s*(?:(?:::)?<[^<>()]*>|\[[^\[\]()]*\])?\s*[({!]'  # `name(`, `name<T>(`, `name::<T>(`, `name!`
_GIVE_NOTHING = frozenset(('object', 'Object', 'ABC', 'Generic', 'Protocol'))  # bases without methods to call
_DEEPEST = 8  # bases of bases that are looked at


def stands(place: Place, old: bytes, new: bytes) -> bool:
    """Whether a file still opens the definition that was at `place` of its version `old`: by the same line, or by a
    keyword and its name."""
    at = old.find(place.name.encode('utf-8', 'surrogateescape'), place.sig_start or place.start_byte, place.end_byte)
    if at < 0:
        return False
    end = old.find(b'\n', at)
    line = old[old.rfind(b'\n', 0, at) + 1 : end if end >= 0 else len(old)].strip()
    if line in (one.strip() for one in new.split(b'\n')):
        return True
    opens = rf'(?m)^[^#/*"\'\n]*\b(?:{_KEYWORDS})\s+(?:\([^()\n]*\)\s*)?{re.escape(place.name)}(?!\w)'
    return re.search(opens, new.decode('utf-8', 'replace')) is not None


def otherwise_used(name: str, text: str) -> bool:
    """Whether a text holds a name other than where it calls it: it may be bound there to something else."""
    return re.search(rf'(?<![\w$]){re.escape(name)}(?![\w$])(?!{_CALLED})', text) is not None


def may_be_inherited(corpus: Corpus, symbol: str, path: str) -> bool:
    """Whether a class of a file has a base, or a base of one, that the tree does not define: it can have any method."""
    wanted = symbol.rpartition('.')[2]
    level = [chunk for chunk in corpus.defining(wanted) if corpus.path(chunk) == path]
    seen = {wanted}
    for _ in range(_DEEPEST):
        bases = {one.name for chunk in level for one in corpus.references(chunk) if one.kind == 'base'}
        level = []
        for base in sorted(bases - seen - _GIVE_NOTHING):
            defining = corpus.defining(base)
            if not defining:
                return True
            level += defining
        seen |= bases
    return False
