"""Turn the uses in a chunk into references: name, qualifier and line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from ctxkit.slicing.chunk import Reference
from ctxkit.slicing.definition import Uses
from ctxkit.slicing.imports import imported
from ctxkit.slicing.languages import Grammar
from ctxkit.slicing.names import split, types_in

_new = tuple.__new__
# Language -> use -> what it refers to. Cached, because a repository repeats its uses.
_READ: dict[str, dict[tuple[str, Any], tuple[tuple[str, str, str, str], ...]]] = {}
_MOST_READ = 1 << 15
_NONE: Mapping[str, str] = {}


def _read(kind: str, what: Any, rules: Grammar) -> tuple[tuple[str, str, str, str], ...]:
    """What one use refers to, as (kind, name, qualifier, alias); a use can be several references, or none."""
    if kind == 'import':
        return tuple((kind, name, qualifier, alias) for name, qualifier, alias in imported(what, rules.name))
    words = what.decode('utf-8', 'replace')
    parts = [split(name, rules.selves) for name in types_in(words)] if kind == 'type' else [split(words, rules.selves)]
    return tuple(
        (kind, name, qualifier, '')
        for name, qualifier in parts
        if (name or kind == 'type') and name not in rules.silent
    )


def references(uses: Uses, lines: list[int], rules: Grammar, types: Mapping[str, str] = _NONE) -> tuple[Reference, ...]:
    """The uses as references, each once.

    `types` maps variables to their types: a call on such a variable becomes a call on its type.
    """
    if not uses:
        return ()
    seen: dict[tuple[str, str, str, str], int] = {}
    known = _READ.setdefault(rules.name, {})
    for use, start in uses.items():
        read = known.get(use)
        if read is None:
            if len(known) >= _MOST_READ:
                known.clear()
            read = known[use] = _read(*use, rules)
        for key in read:
            if types and key[0] == 'call':
                head, dot, rest = key[2].partition('.')
                if types.get(head):
                    key = ('call', key[1], f'{types[head]}{dot}{rest}', '')
            seen.setdefault(key, start)
    return tuple([_new(Reference, (*key, bisect_right(lines, start) + 1)) for key, start in seen.items()])
