"""Entries that name their parent: which are still part of the conversation, and which were left behind."""

from __future__ import annotations


class Tree:
    """A tree of entries; those on the path from the last entry up to the root are live.

    An entry whose parent is unknown (its line could not be read, or was read in an earlier run) begins a separate tree,
    which is live as well; an entry without a parent starts the conversation anew.
    """

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._last: dict[str, str] = {}

    def add(self, ident: str, parent: str, last: bool = True) -> None:
        """Add the next entry of the file. With `last=False` it cannot end a path, and is live only above a live one."""
        if ident in self._parents:
            return
        if not parent:
            self._last.clear()
        self._parents[ident] = parent
        self._roots[ident] = self._roots.get(parent, ident)
        if last:
            self._last[self._roots[ident]] = ident

    def dead(self) -> set[str]:
        """The entries that were left behind."""
        alive: set[str] = set()
        for ident in self._last.values():
            while ident in self._parents and ident not in alive:
                alive.add(ident)
                ident = self._parents[ident]
        return self._parents.keys() - alive
