"""Slice one file in a separate process: if the file kills the slicer, no worker dies, and the reason is known."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ctxkit.errors import CtxError
from ctxkit.safety.children import command

if TYPE_CHECKING:
    from ctxkit.index.build import Content
    from ctxkit.index.store import Key

PATIENCE = 120.0  # seconds for one file
LOOK = 0.5


def make_alone(
    key: Key, path: str, content: bytes, model: str, max_bytes: int, dimension: int, alive: Callable[[], None]
) -> Content:
    """What `make_group` makes of one file. `alive` is called again and again while the process works.

    Raises CtxError with the reason if the process fails, dies or takes longer than PATIENCE.
    """
    from ctxkit.stream.shared import decode

    asked = json.dumps({'key': key, 'path': path, 'model': model, 'max_bytes': max_bytes}).encode('ascii') + b'\n'
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        given.write(asked + content)
        given.seek(0)
        process = subprocess.Popen(command('ctxkit.stream.alone'), stdin=given, stdout=out, stderr=said)
        try:
            end = time.monotonic() + PATIENCE
            while process.poll() is None:
                if time.monotonic() > end:
                    raise CtxError(f'it takes longer than {PATIENCE:.0f} s')
                try:
                    process.wait(LOOK)
                except subprocess.TimeoutExpired:
                    alive()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        out.seek(0)
        said.seek(0)
        head, _, data = out.read().partition(b'\n')
        lines = said.read()[-2000:].decode('utf-8', 'replace').strip().splitlines()
    if process.returncode:
        how = f'signal {-process.returncode}' if process.returncode < 0 else f'exit code {process.returncode}'
        raise CtxError(f'the slicer ended with {how}{": " + lines[-1] if lines else ""}')
    size = int(head) if head.isdigit() else 0
    made = decode(key, data[:size], data[size:], dimension)
    if made is None:
        raise CtxError('the slicer returned an invalid record')
    return made


def main() -> int:
    """Run the process: request and file come on standard input, the record's two parts go to standard output."""
    from ctxkit.index.build import Plan, make_group
    from ctxkit.index.store import Key
    from ctxkit.repo import Repo
    from ctxkit.safety.children import SAFE_FOLDER
    from ctxkit.stream.shared import encode

    head, _, content = sys.stdin.buffer.read().partition(b'\n')
    asked = json.loads(head)
    nowhere = Path(SAFE_FOLDER)  # the content is given, so no repository is opened
    plan = Plan(Repo(nowhere, nowhere, nowhere), asked['model'], asked['max_bytes'], 0)
    (made,) = make_group(plan, [(Key(*asked['key']), asked['path'], content)])
    record, vectors = encode(made)
    sys.stdout.buffer.write(f'{len(record)}\n'.encode() + record + vectors)
    return 0


if __name__ == '__main__':
    sys.exit(main())
