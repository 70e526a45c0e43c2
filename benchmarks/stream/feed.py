"""10,000 units published and read by eight readers in two groups: each group sees each unit once.

python -m benchmarks.stream.feed [--units 10000] [--readers 8]
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter

from benchmarks.stream.server import running
from ctxkit.settings import Settings, StreamSettings
from ctxkit.stream import feed, publish, server
from ctxkit.units.stream import StreamUnit

PROJECT = 'benchmark:0'


def unit(number: int) -> StreamUnit:
    mark = f'{number:016x}'
    place = (f'src/m{number % 500}.py', f'f{number}', 'function', 1, 20)
    text = f'def f{number}(value):\n' + '    value = value + 1  # a line like any other\n' * 20
    return StreamUnit(
        mark, time.time(), 'post-commit', 'c' * 40, *place, 'edited', mark, 1, 260, f'def f{number}()', text
    )


def read(url: str, group: str, reader: int, count: int, out: multiprocessing.Queue[tuple[str, list[str]]]) -> None:
    """Read until the group has nothing left for two seconds."""
    seen: list[str] = []
    with server.connected(StreamSettings(url=url), block=2) as client:
        while len(seen) < count:
            entries = feed.take(client, PROJECT, group, f'reader-{reader}', 100, 30, 2.0)
            if not entries:
                break
            seen += [one.unit.id for one in entries if one.unit]
            feed.done(client, PROJECT, group, [one.id for one in entries])
    out.put((group, seen))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--units', type=int, default=10_000)
    parser.add_argument('--readers', type=int, default=8)
    given = parser.parse_args()
    context = multiprocessing.get_context('spawn')
    with running() as redis:
        settings = Settings(stream=StreamSettings(url=redis.url))
        out: multiprocessing.Queue[tuple[str, list[str]]] = context.Queue()
        groups = ('agents', 'reviewers')
        with server.connected(settings.stream) as client:
            for group in groups:
                feed.join(client, PROJECT, group)
        readers = [
            context.Process(target=read, args=(redis.url, groups[number % 2], number, given.units, out))
            for number in range(given.readers)
        ]
        for one in readers:
            one.start()
        began = time.monotonic()
        with server.connected(settings.stream) as client:
            for start in range(0, given.units, 50):  # as events do: some units at a time
                publish.add(client, PROJECT, [unit(number) for number in range(start, start + 50)], settings)
            published = time.monotonic() - began
            used = client.memory_usage(f'ctxkit:{{{PROJECT}}}:units', samples=0) or 0
        found = [out.get(timeout=120) for _ in readers]
        for one in readers:
            one.join()
    good = True
    for group in groups:
        counts = Counter(one for name, ids in found if name == group for one in ids)
        repeated = sum(1 for count in counts.values() if count > 1)
        good &= len(counts) == given.units and not repeated
        print(f'{group}: {len(counts)} of {given.units} units, {repeated} repeated (target: all, 0)')
    print(
        f'published in {published:.1f} s, {given.units / published:.0f} a second; {used / given.units:.0f} bytes a unit'
    )
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()
