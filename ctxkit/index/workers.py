"""Divide batches among worker processes; this process works, too, which saves the start of another one.

A process that is done takes the next batch from a shared counter. What a worker process could not do, for whatever
reason (too little memory for two, a full disk), is done in this one, which then reports what is wrong.
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

PATIENCE = 10  # seconds to wait for the counter, which is locked for microseconds only
BEYOND = 1 << 30  # a number above those of all batches

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ctxkit.index.build import Batch, Done, Plan


def share(
    plan: Plan, folder: Path, batches: Sequence[Batch], processes: int, work: Callable[[Batch], Done]
) -> Iterator[Done]:
    """Do each batch once, by `work` here and in processes - 1 others on the store in `folder`; yield each result.

    Raises what `work` raises; the other processes have ended by then.
    """
    from multiprocessing import connection, get_context

    spawn = get_context('spawn')
    crew = []
    with outside_the_work_tree(), _without_main():
        counter = spawn.Value('l', 0)  # starts multiprocessing's own resource tracker
        for _ in range(processes - 1):
            our_end, worker_end = spawn.Pipe()
            process = spawn.Process(target=_work, args=(folder, worker_end, counter), daemon=True)
            process.start()
            worker_end.close()
            # In a thread, because it blocks until the process has started and reads.
            threading.Thread(target=_send, args=(our_end, (plan, batches)), daemon=True).start()
            crew.append((process, our_end))
    left = set(range(len(batches)))
    open_ends = [our_end for _, our_end in crew]
    try:
        while (number := _next(counter)) < len(batches):
            yield work(batches[number])
            left.discard(number)
            for result in _results(open_ends, connection.wait(open_ends, 0)):
                left.discard(result[0])
                yield result[1]
        while open_ends:
            for result in _results(open_ends, connection.wait(open_ends)):
                left.discard(result[0])
                yield result[1]
        for number in sorted(left):
            yield work(batches[number])
    finally:
        _stop(counter)
        for process, our_end in crew:
            our_end.close()
            process.join()
        del counter  # an error would keep it in this frame, and Python warns of a semaphore that is left at its exit


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module from spawned processes, which run it first: it may be a script that uses ctxkit."""
    main = sys.modules['__main__']
    sys.modules['__main__'] = ModuleType('__main__')
    try:
        yield
    finally:
        sys.modules['__main__'] = main


def _results(open_ends: list[Connection], ready: Sequence[Any]) -> Iterator[tuple[int, Done]]:
    """(batch number, result) from each process that is `ready`; a process that has ended is taken off `open_ends`."""
    for end in ready:
        try:
            yield end.recv()
        except (EOFError, OSError):
            open_ends.remove(end)


def _send(end: Connection, what: object) -> None:
    with suppress(OSError, ValueError):  # the process has ended, or this one has closed the connection
        end.send(what)


def _next(counter: Any) -> int:
    """The number of the next batch; BEYOND if the lock is held by a process that was killed in here."""
    if not counter.get_lock().acquire(timeout=PATIENCE):
        return BEYOND
    try:
        number: int = counter.value
        counter.value = min(number + 1, BEYOND)
    finally:
        counter.get_lock().release()
    return number


def _stop(counter: Any) -> None:
    """Stop further batches from being taken, without the lock: a process in `_next` may still take one."""
    counter.get_obj().value = BEYOND


def _work(folder: Path, end: Connection, counter: Any) -> None:
    """Run a worker process: it sends the result of each batch, and ends after the last one or at the first error."""
    from ctxkit.index.build import bench
    from ctxkit.index.store import Store

    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(Exception, KeyboardInterrupt):
        plan, batches = end.recv()
        store = Store(folder)
        try:
            with bench(plan, store) as work:
                while (number := _next(counter)) < len(batches):
                    end.send((number, work(batches[number])))
        finally:
            store.__exit__(None, None, None)  # not the error: the parent decides what to do with a damaged store
    os._exit(0)  # the parent waits, and freeing all the words of a repository one by one would take 0.2 s


def _end_with_parent() -> None:
    """End this process when its parent is killed, or it would wait for work for ever; what it stored is complete."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
