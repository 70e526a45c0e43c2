"""Batches shared out to worker processes; this process works too, since another one would cost a start more.

Whoever is done takes the next batch, by a counter that all share. What a worker process could not do, for whatever
reason (too little memory for two, a full disk), is done in this one, which then says what is wrong.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ctxkit.safety.children import outside_the_work_tree

PATIENCE = 10  # seconds; the counter is locked for millionths of one
BEYOND = 1 << 30

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ctxkit.index.build import Batch, Done, Plan


def share(
    plan: Plan, folder: Path, batches: Sequence[Batch], processes: int, work: Callable[[Batch], Done]
) -> Iterator[Done]:
    """Do each batch once, with `work` here and in processes - 1 others on the store in `folder`; yield what each gave.

    Raises what `work` raises. The other processes have then ended as well.
    """
    from multiprocessing import connection, get_context

    spawn = get_context('spawn')
    crew = []
    with outside_the_work_tree(), _without_main():
        taken = spawn.Value('l', 0)  # starts a process of multiprocessing's own
        for _ in range(processes - 1):
            mine, theirs = spawn.Pipe()
            process = spawn.Process(target=_work, args=(folder, theirs, taken), daemon=True)
            process.start()
            theirs.close()
            # In a thread: it blocks until the process has started and reads.
            threading.Thread(target=_send, args=(mine, (plan, batches)), daemon=True).start()
            crew.append((process, mine))
    left = set(range(len(batches)))
    open_ends = [mine for _, mine in crew]
    try:
        while (number := _next(taken)) < len(batches):
            yield work(batches[number])
            left.discard(number)
            for told in _told(open_ends, connection.wait(open_ends, 0)):
                left.discard(told[0])
                yield told[1]
        while open_ends:
            for told in _told(open_ends, connection.wait(open_ends)):
                left.discard(told[0])
                yield told[1]
        for number in sorted(left):
            yield work(batches[number])
    finally:
        _stop(taken)
        for process, mine in crew:
            mine.close()
            process.join()
        del taken  # an error keeps this frame, and a semaphore that is there at the end is complained of


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module: a spawned process runs it first, and it may be a script that asks ctxkit for units."""
    main = sys.modules['__main__']
    sys.modules['__main__'] = ModuleType('__main__')
    try:
        yield
    finally:
        sys.modules['__main__'] = main


def _told(open_ends: list[Connection], ready: Sequence[Any]) -> Iterator[tuple[int, Done]]:
    """What processes say that they have done, one message each; one that has ended is taken off the list."""
    for end in ready:
        try:
            yield end.recv()
        except (EOFError, OSError):
            open_ends.remove(end)


def _send(end: Connection, what: object) -> None:
    with suppress(OSError, ValueError):  # the process has ended, or this one has no need of it any more
        end.send(what)


def _next(taken: Any) -> int:
    """The number of the next batch; beyond all where a process was killed in this very place and holds the lock."""
    if not taken.get_lock().acquire(timeout=PATIENCE):
        return BEYOND
    try:
        number: int = taken.value
        taken.value = min(number + 1, BEYOND)
    finally:
        taken.get_lock().release()
    return number


def _stop(taken: Any) -> None:
    """Let nobody take another batch, the lock or no lock: who reads the old number meanwhile takes one too many."""
    taken.get_obj().value = BEYOND


def _work(folder: Path, end: Connection, taken: Any) -> None:
    """A worker process. It says which batches it has done, and ends when there are no more, or at the first trouble."""
    from ctxkit.index.build import bench
    from ctxkit.index.store import Store

    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(Exception, KeyboardInterrupt):
        plan, batches = end.recv()
        store = Store(folder)
        try:
            with bench(plan, store) as work:
                while (number := _next(taken)) < len(batches):
                    end.send((number, work(batches[number])))
        finally:
            store.__exit__(None, None, None)  # the parent decides what becomes of a damaged one
    os._exit(0)  # the parent waits: taking all the words of a repository apart one by one would cost 0.2 s


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever; what it has stored is whole."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
