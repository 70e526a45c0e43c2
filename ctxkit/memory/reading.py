"""Read conversations in separate processes: they get places on standard input and return readings.

A worker ends when its input closes, so none outlives the process that started it, however that one ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from queue import SimpleQueue

from ctxkit.memory.extract import extract
from ctxkit.memory.facts import Anchor, Source, Statement
from ctxkit.memory.scan import Place
from ctxkit.memory.transcripts import describe, messages

Task = tuple[Place, int]


@dataclass
class Reading:
    """The result of reading one conversation; `error` says why it could not be read ('' if it could)."""

    statements: list[Statement] = field(default_factory=list)
    workflow: tuple[tuple[str, ...], str] = ((), '')
    synopsis: str = ''
    turns: int = 0
    offset: int = 0
    truncated: bool = False
    from_start: bool = True
    skipped_lines: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    error: str = ''


def read_one(place: Place, offset: int, known: frozenset[str]) -> Reading:
    """Read one conversation from `offset`; `known` holds exact secret values to redact."""
    info = describe(place.candidate)
    if info is None:
        return Reading(error='it is no longer there')
    try:
        got = extract(info, messages(info, offset), known)
    except OSError as error:
        return Reading(error=f'{type(error).__name__}: {error.strerror or error}')
    return Reading(
        list(got.statements),
        got.workflow,
        got.synopsis,
        got.turns,
        info.offset,
        info.truncated,
        offset == 0,
        info.skipped_lines,
        dict(info.unknown_types.most_common(20)),
    )


@contextmanager
def readings(workers: int, known: frozenset[str]) -> Iterator[Callable[[list[Task]], Iterable[tuple[Place, Reading]]]]:
    """Yield a function that reads a batch of tasks, in this process or in `workers` others."""
    if workers <= 1:
        yield lambda tasks: ((place, read_one(place, offset, known)) for place, offset in tasks)
        return
    from ctxkit.safety.children import command

    started = [
        subprocess.Popen(
            command('ctxkit.memory.reading'),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding='utf-8',
            errors='surrogateescape',
        )
        for _ in range(workers)
    ]
    try:
        yield lambda tasks: _spread(started, tasks, sorted(known))
    finally:
        for process in started:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            process.stdout.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _spread(
    workers: list[subprocess.Popen[str]], tasks: list[Task], known: list[str]
) -> Iterator[tuple[Place, Reading]]:
    """Give each task to the next free worker; a worker has one open task at most, so no pipe can fill up."""
    free: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
    for process in workers:
        free.put(process)

    def ask(task: Task) -> tuple[Place, Reading]:
        process = free.get()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([list(task[0]), task[1], known]) + '\n')
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ''
        finally:
            free.put(process)
        return task[0], _load(line) if line else Reading(error='the reading process died')

    with ThreadPoolExecutor(len(workers)) as pool:
        yield from pool.map(ask, tasks)


def _load(line: str) -> Reading:
    body = json.loads(line)
    body['statements'] = [
        Statement(
            **{
                **item,
                'source': Source(*item['source']),
                'anchors': tuple(Anchor(*anchor) for anchor in item['anchors']),
            }
        )
        for item in body['statements']
    ]
    return Reading(**body)


def _serve() -> None:
    for stream in (sys.stdin, sys.stdout):
        getattr(stream, 'reconfigure', lambda **_: None)(encoding='utf-8', errors='surrogateescape')
    for line in sys.stdin:
        place, offset, known = json.loads(line)
        try:
            reading = read_one(Place(*place), offset, frozenset(known))
        except Exception as error:  # a bug in a reader must not lose the other conversations
            reading = Reading(error=f'{type(error).__name__}: {error}'[:300])
        sys.stdout.write(json.dumps(asdict(reading)) + '\n')
        sys.stdout.flush()


if __name__ == '__main__':
    _serve()
