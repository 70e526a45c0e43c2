"""Run work that waits for the disk or another program in a thread, while the process goes on importing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar('T', covariant=True)


class Waiting(Protocol[T]):
    """A callable that waits for work begun in a thread, and returns its result or raises its exception."""

    def __call__(self, seconds: float | None = None) -> T:
        """Return the result. Raises TimeoutError if it takes longer than `seconds`; None waits without limit."""


def in_thread(work: Callable[[], T]) -> Waiting[T]:
    """Begin `work` in a thread and return a callable that waits for its result.

    This pays only where `work` releases the interpreter lock for long: waiting for a process, hashing a file in one
    piece.
    """
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def result(seconds: float | None = None) -> T:
        thread.join(seconds)
        if failed:
            raise failed[0]
        if not found:
            raise TimeoutError
        return found[0]

    return result
