"""Work that waits for the disk or for another program, done in a thread while the process goes on importing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar('T', covariant=True)


class Waiting(Protocol[T]):
    """Waits for the result of what was begun, and raises what that raised."""

    def __call__(self, seconds: float | None = None) -> T:
        """The result; TimeoutError where it is not there after so many seconds (None: whenever it comes)."""


def in_thread(work: Callable[[], T]) -> Waiting[T]:
    """Begin `work` in a thread; what is returned waits for its result.

    Gains only where the interpreter lock is given up for long: waiting for a process, hashing a file in one piece.
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
