"""Workers on many trees: four against one, killed every second, the server restarted in mid-run.

    python -m benchmarks.stream.workers [--trees 200] CLONE...      four workers against one
    python -m benchmarks.stream.workers --kill 60 CLONE...          kill -9 every second, one restart of Redis

Each CLONE (a folder with a git repository; nothing in it is changed) gives trees from all over its history, in equal
shares. Nothing is in the shared store before each run, so each distinct file content is sliced once a run.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.stream.server import Server, running
from ctxkit import repo as git
from ctxkit.embedding import encoder_for
from ctxkit.index.record import path_hint
from ctxkit.index.scan import scan
from ctxkit.index.store import Key
from ctxkit.settings import Settings, StreamSettings
from ctxkit.stream import jobs, queue, server, shared

TARGET = 1.6


def trees(clones: Sequence[Path], count: int) -> list[tuple[git.Repo, str]]:
    """(clone, commit): commits in equal steps through each clone's main line."""
    out = []
    for number, clone in enumerate(clones):
        share = count // len(clones) + (number < count % len(clones))
        found = git.find(clone)
        line = git.text(git.git(found, 'rev-list', '--first-parent', 'HEAD', '--')).split()
        out += [(found, line[at * len(line) // max(share, 1)]) for at in range(share)]
    return out


def submit(settings: Settings, chosen: Sequence[tuple[git.Repo, str]]) -> set[Key]:
    """Queue all trees; the contents that must be in the store at the end."""
    wanted: set[Key] = set()
    with server.connected(settings.stream) as client:
        queue.open_queue(client)
        for found, commit in chosen:
            entries, _ = scan(found, commit, settings.slicing)
            wanted |= {Key(entry.blob, path_hint(entry.path, settings.slicing.max_file_bytes)) for entry in entries}
            for job in jobs.of_tree(client, found, settings, commit, ''):
                assert queue.submit(client, job, settings.stream.max_jobs) >= 0
    return wanted


def start(redis: Server, roots: Sequence[Path], lease: float) -> subprocess.Popen[bytes]:
    environ = {**os.environ, 'CTXKIT_STREAM_URL': redis.url, 'CTXKIT_STREAM_LEASE_SECONDS': str(lease)}
    options = [part for root in roots for part in ('--root', str(root))]
    return subprocess.Popen(
        [sys.executable, '-m', 'ctxkit', 'worker', *options],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def left(settings: Settings) -> int:
    try:
        with server.connected(settings.stream) as client:
            return queue.state(client).jobs
    except server.Away:
        return -1


def end(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    for one in workers:
        one.send_signal(signal.SIGTERM)
    for one in workers:
        one.wait(60)


def timed(count: int, chosen: Sequence[tuple[git.Repo, str]], roots: Sequence[Path]) -> float:
    """Seconds that `count` workers need, their start included."""
    with running() as redis:
        settings = Settings(stream=StreamSettings(url=redis.url, max_jobs=1_000_000))
        wanted = submit(settings, chosen)
        began = time.monotonic()
        workers = [start(redis, roots, 30) for _ in range(count)]
        while left(settings):
            time.sleep(0.1)
        seconds = time.monotonic() - began
        end(workers)
        check(settings, wanted)
        print(f'{count} workers: {len(wanted)} file contents in {seconds:.1f} s, {len(wanted) / seconds:.0f} a second')
        return seconds


def check(settings: Settings, wanted: set[Key]) -> None:
    """Every content is there, no job is left, nothing was set aside."""
    with server.connected(settings.stream) as client:
        lost = shared.absent(client, list(wanted), encoder_for(settings.model.name).model_id)
        state = queue.state(client)
    if lost or state.jobs or state.aside:
        raise SystemExit(f'LOST: {len(lost)} contents missing, {state.jobs} jobs left, {state.aside} set aside')


def killed(seconds: float, chosen: Sequence[tuple[git.Repo, str]], roots: Sequence[Path]) -> None:
    """Four workers of which one is killed every second, and Redis restarted half way."""
    dice = random.Random(7)
    with running() as redis:
        settings = Settings(stream=StreamSettings(url=redis.url, max_jobs=1_000_000, lease_seconds=2.0))
        wanted = submit(settings, chosen)
        total = left(settings)
        workers = [start(redis, roots, 2.0) for _ in range(4)]
        began, kills, restarted = time.monotonic(), 0, False
        while time.monotonic() - began < seconds:
            time.sleep(1)
            victim = dice.randrange(len(workers))
            workers[victim].kill()
            workers[victim].wait()
            workers[victim] = start(redis, roots, 2.0)
            kills += 1
            if not restarted and time.monotonic() - began > seconds / 2:
                redis.stop()
                time.sleep(0.5)
                redis.start()
                restarted = True
        during = total - left(settings)
        while left(settings):
            time.sleep(0.1)
        end(workers)
        check(settings, wanted)
        print(
            f'{kills} kills and a restart of Redis: {during} of {total} jobs done meanwhile, all {total} in the end; '
            f'{len(wanted)} file contents, none missing, none set aside'
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('clones', nargs='+', type=Path)
    parser.add_argument('--trees', type=int, default=200)
    parser.add_argument('--kill', type=float, metavar='SECONDS')
    given = parser.parse_args()
    clones = [clone.resolve() for clone in given.clones]
    chosen = trees(clones, given.trees)
    print(f'{len(chosen)} trees of {len(clones)} repositories, {os.cpu_count()} cores')
    if given.kill:
        killed(given.kill, chosen, clones)
        return
    ratio = timed(1, chosen, clones) / timed(4, chosen, clones)
    print(f'4 workers against 1: {ratio:.2f} x (target {TARGET}) {"ok" if ratio >= TARGET else "MISSED"}')
    sys.exit(0 if ratio >= TARGET else 1)


if __name__ == '__main__':
    main()
