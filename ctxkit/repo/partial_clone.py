"""Which objects a partial clone holds, looked up in git's own files without running git.

Before 2.45, git tries to fetch a missing object whatever it is asked. `repo.run` forbids that, but git then searches
all objects to see whether this one was promised: 2.5 s for each object that a partial clone of sympy lacks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Set
from pathlib import Path

from ctxkit.repo.run import Repo

_MAGIC = b'\xfftOc\x00\x00\x00\x02'  # begins the index of a pack, version 2: 256 counts by first byte, then the ids
_NAMES = 8 + 4 * 256


def is_partial(repo: Repo) -> bool:
    """Whether the clone may lack objects that its remote has promised."""
    return any(file.suffix == '.promisor' for file in _packs(repo.common_dir / 'objects'))


def present(repo: Repo, wanted: Set[str]) -> Set[str]:
    """Those of the `wanted` objects that the clone holds; all if it is no partial clone or cannot be looked into."""
    if not wanted or not is_partial(repo):
        return wanted
    store = repo.common_dir / 'objects'
    if (store / 'info' / 'alternates').exists():
        return wanted
    found = {name for name in wanted if (store / name[:2] / name[2:]).exists()}
    for file in _packs(store):
        if file.suffix == '.idx' and (held := _in_pack(file, wanted - found)) is not None:
            found |= held
        elif file.suffix == '.idx':
            return wanted
    return found


def _packs(store: Path) -> list[Path]:
    try:
        return sorted((store / 'pack').iterdir())
    except OSError:
        return []


def _in_pack(index: Path, wanted: Set[str]) -> set[str] | None:
    """Those of the `wanted` objects that the pack of `index` holds; None if the index has another format or is gone."""
    import mmap

    try:
        with index.open('rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[:8] != _MAGIC:
                return None
            counts = [0, *(int.from_bytes(data[at : at + 4], 'big') for at in range(8, _NAMES, 4))]
            out = set()
            for name in wanted:
                key = bytes.fromhex(name)
                size = len(key)

                def at(number: int, size: int = size) -> bytes:
                    return data[_NAMES + number * size : _NAMES + (number + 1) * size]

                place = bisect_left(range(counts[-1]), key, counts[key[0]], counts[key[0] + 1], key=at)
                if place < counts[key[0] + 1] and at(place) == key:
                    out.add(name)
            return out
    except (OSError, ValueError):
        return None
