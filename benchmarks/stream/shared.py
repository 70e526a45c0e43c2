"""A fresh clone with and without the shared store, and what the store costs.

    python -m benchmarks.stream.shared CLONE

Prints the seconds of a first `ctxkit update` in a copy of CLONE, alone and with `--shared` from a full store, and the
memory of Redis for a file content and for a definition.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.stream.server import running
from ctxkit.settings import StreamSettings
from ctxkit.stream import server


def update(root: Path, *options: str, url: str = '') -> tuple[float, dict[str, Any]]:
    environ = {**os.environ, 'CTXKIT_STREAM_URL': url} if url else dict(os.environ)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, '-m', 'ctxkit', 'update', '--json', *options],
        cwd=root,
        env=environ,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    return time.monotonic() - began, json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('clone', type=Path)
    source = parser.parse_args().clone.resolve()
    with tempfile.TemporaryDirectory() as folder, running() as redis:
        clones = [Path(folder, name) for name in ('alone', 'gives', 'takes')]
        for clone in clones:
            subprocess.run(['git', 'clone', '-q', '--no-hardlinks', str(source), str(clone)], check=True)
        settings = StreamSettings(url=redis.url)
        alone, done = update(clones[0])
        with server.connected(settings) as client:
            before: Any = client.info('memory')
        gives, _ = update(clones[1], '--shared', url=redis.url)
        with server.connected(settings) as client:
            after: Any = client.info('memory')
            keys = int(client.dbsize())
        takes, taken = update(clones[2], '--shared', url=redis.url)
    used = after['used_memory'] - before['used_memory']
    print(f'{done["files"]} files, {done["chunks"]} definitions')
    print(f'first update alone {alone:.1f} s; with an empty store {gives:.1f} s; from a full store {takes:.1f} s')
    print(f'sliced from a full store: {taken["sliced_files"]} (target 0); {alone / takes:.1f} times faster')
    print(
        f'{used / 1e6:.1f} MB for {keys // 2} contents: {used / max(keys // 2, 1) / 1024:.1f} KB a content, '
        f'{used / max(done["chunks"], 1):.0f} bytes a definition'
    )
    sys.exit(0 if taken['sliced_files'] == 0 else 1)


if __name__ == '__main__':
    main()
