"""The results of one run of a language's query: definitions and uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxkit.slicing.chunk import FUNCTIONS

# Start, end, kind of reference, and the parts of an import (module, name, alias, tree) or None.
Use = tuple[int, int, str, Any]
# (kind of reference, its text or the parts of an import) -> the byte where it is used first.
Uses = dict[tuple[str, Any], int]


@dataclass(slots=True)
class Definition:
    """A definition as captured; the chunker fills in what depends on its neighbours."""

    kind: str
    start: int
    end: int
    node_start: int
    name_start: int
    name: str
    body: int
    owner: str = ''
    title: str = ''
    declared: bool = False
    doc: tuple[int, int] = (0, 0)
    parent: int = -1
    outer: int = 0
    lead: int = 0
    symbol: str = ''
    taken: list[tuple[int, int]] = field(default_factory=list)
    uses: Uses = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def is_beside(self, other: Definition) -> bool:
        """Whether one statement defines both: `attr_reader :name, :age`."""
        same = (self.start, self.end) == (other.start, other.end) and self.body == self.end
        return same and self.kind in FUNCTIONS and other.kind == 'function'

    def merge(self, other: Definition) -> None:
        """Add what another pattern captured for the same name: the wider range, and what only that one knows."""
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.node_start = max(self.node_start, other.node_start)
        self.body = min(self.body, other.body)
        self.owner = self.owner or other.owner
        self.declared = self.declared and other.declared
        if other.title:
            self.name, self.title = other.name, other.title


@dataclass(slots=True)
class Captured:
    """All that one run of the query found; `errors` counts syntax errors.

    `docs` and `attributes` map the end of one to its start; `variables` maps the byte where one is declared to its name
    and type ('' if the code does not spell it out).
    """

    definitions: list[Definition]
    uses: list[Use]
    docs: dict[int, int]
    attributes: dict[int, int]
    errors: int
    variables: dict[int, tuple[str, str]] = field(default_factory=dict)


def assign_types(variables: Mapping[int, tuple[str, str]], definitions: Iterable[Definition]) -> None:
    """Set `types` of each function: those of the variables in it and around it; '' for a name bound to two types.

    `definitions` are in the order of their start.
    """
    if not variables:
        return
    stack: list[Definition] = []
    bound = sorted(variables.items(), reverse=True)
    for one in (*definitions, None):
        while bound and (one is None or bound[-1][0] < one.start):
            start, (name, type_) = bound.pop()
            stack = [above for above in stack if above.end > start]
            if stack:
                types = stack[-1].types
                head, _, rest = type_.partition('.')
                if '()' in rest and types.get(head):  # made by a call on another variable
                    type_ = f'{types[head]}.{rest}'
                types[name] = type_ if types.get(name, type_) == type_ else ''
        if one is not None and one.kind in FUNCTIONS:
            stack = [above for above in stack if above.end > one.start]
            one.types = dict(stack[-1].types) if stack else {}
            stack.append(one)


def without_attributes(uses: list[Use], silent: list[tuple[int, int]], source: bytes) -> list[Use]:
    """The uses of a file in Elixir without the names of attributes (`@timeout 5`), and without the `silent` calls."""
    kept = []
    silent.sort()
    at = 0
    for use in uses:
        start = use[0]
        while at < len(silent) and silent[at][1] <= start:
            at += 1
        if use[2] != 'call' or source[start - 1 : start] != b'@' and not (at < len(silent) and silent[at][0] <= start):
            kept.append(use)
    return kept
