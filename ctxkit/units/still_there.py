"""Whether a definition that the index does not find any more is still there, or may be, in another form.

A syntax error hides the definitions around it from the parser; an import, a variable, a parameter or a class that is
not of the tree can give what a function gave before.
"""

from __future__ import annotations

import builtins
import re
from functools import lru_cache

from ctxkit.index.corpus import Corpus
from ctxkit.index.path_classes import path_kind
from ctxkit.index.record import Place

_KEYWORDS = (
    'class|cpdef|def|defmacro|defmacrop|defp|fn|fun|func|function|interface|macro_rules!|module|object|struct|trait'
)
_OPENS = re.compile(rf'(?m)^[^#/*"\'\n]*\b(?:{_KEYWORDS})\s+(?:\([^()\n]*\)\s*)?([\w$]+[?!=]?)')
_CALLED = r'\s*(?:(?:::)?<[^<>()]*>|\[[^\[\]()]*\])?\s*[({!]'  # `name(`, `name<T>(`, `name::<T>(`, `name!`
_GIVE_NOTHING = frozenset(('object', 'Object', 'ABC', 'Generic', 'Protocol'))  # bases without methods to call
_DEEPEST = 8  # bases of bases that are looked at
_MOST_TEXTS = 20  # pieces of text that are searched for a definition
_BUILT_IN = {
    'py': frozenset(dir(builtins)),
    'go': frozenset(
        'append cap clear close complex copy delete imag len make max min new panic print real recover'.split()
    ),
    'js': frozenset(
        'atob btoa clearInterval clearTimeout decodeURI decodeURIComponent encodeURI encodeURIComponent fetch isFinite '
        'isNaN parseFloat parseInt queueMicrotask require setImmediate setInterval setTimeout structuredClone'.split()
    ),
}
_BUILT_IN |= dict.fromkeys(('cjs', 'jsx', 'mjs', 'ts', 'tsx', 'vue'), _BUILT_IN['js'])


def stands(place: Place, old: bytes, new: bytes) -> bool:
    """Whether a file still opens the definition that was at `place` of its version `old`: by the same line, or by a
    keyword and its name."""
    at = old.find(place.name.encode('utf-8', 'surrogateescape'), place.sig_start or place.start_byte, place.end_byte)
    if at < 0:
        return False
    end = old.find(b'\n', at)
    line = old[old.rfind(b'\n', 0, at) + 1 : end if end >= 0 else len(old)].strip()
    lines, opened = _of_version(new)
    return line in lines or place.name in opened


@lru_cache(maxsize=4)  # a version is asked for each definition that it lost
def _of_version(source: bytes) -> tuple[frozenset[bytes], frozenset[str]]:
    """The lines of a file, stripped, and the names that `names_opened` gives."""
    return frozenset(line.strip() for line in source.split(b'\n')), names_opened(source.decode('utf-8', 'replace'))


def names_opened(text: str) -> frozenset[str]:
    """The names of which lines of a text open a definition by a keyword of some language."""
    found = _OPENS.findall(text)
    return frozenset((*found, *(name.rstrip('?!=') for name in found)))


def in_unknown_language(corpus: Corpus, name: str) -> bool:
    """Whether a file that is read as plain text, in a language without grammar, opens a definition of this name."""
    for chunk in corpus.mentioning(name, 'text')[:_MOST_TEXTS]:
        place, path = corpus.place(chunk), corpus.path(chunk)
        text = corpus.source(path)[place.start_byte : place.end_byte]
        if not path_kind(path) and name in names_opened(text.decode('utf-8', 'replace')):
            return True
    return False


def built_in(name: str, path: str) -> bool:
    """Whether the language of a file has a function of this name: what called a shim of it calls that now."""
    return name in _BUILT_IN.get(path.rpartition('.')[2], ())


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
