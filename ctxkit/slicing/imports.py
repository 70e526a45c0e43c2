"""Import statements of every language as (name, module, alias)."""

from __future__ import annotations

Parts = tuple[str, str, str, str]


def imported(parts: Parts, language: str) -> list[tuple[str, str, str]]:
    """The names that one captured import binds: (name, module, alias) as in `Reference`."""
    module, name, alias, tree = parts
    if tree:
        return []
    return [(name, module.strip('\'"<>`'), alias)]
