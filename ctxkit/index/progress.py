"""Report the progress of indexing to a listener: the command line draws a bar, whichever command needs the index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with (files done, all files that have to be sliced or embedded).
Progress = Callable[[int, int], None]

_listener: ContextVar[Progress | None] = ContextVar('progress of the index', default=None)


@contextmanager
def reporting_to(listener: Progress) -> Iterator[None]:
    """Inside the `with` block, report the progress of an index made in this thread to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(done: int, total: int) -> None:
    """Report to the current listener, if there is one, that `done` of `total` files are done."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total)
