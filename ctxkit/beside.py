"""Work that waits for the disk or for another program, done in a thread while the process goes on importing."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar('T')


def beside(work: Callable[[], T]) -> Callable[[], T]:
    """Begin `work` in a thread; what is returned waits for its result, and raises what it raised.

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

    def result() -> T:
        thread.join()
        if failed:
            raise failed[0]
        return found[0]

    return result
