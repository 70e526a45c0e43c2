"""Who is told how far an index is: the command line draws a bar, whichever command needed the index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with the number of files that are done, and of all that had to be sliced or embedded.
Progress = Callable[[int, int], None]

_listener: ContextVar[Progress | None] = ContextVar('progress of the index', default=None)


@contextmanager
def told_to(listener: Progress) -> Iterator[None]:
    """While the block runs, an index that is made in this thread tells `listener` how far it is."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(done: int, total: int) -> None:
    """Say that `done` of `total` files are done."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total)
