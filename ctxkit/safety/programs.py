"""Run a program of the person's own once, within limits of time and size, and end it with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from ctxkit.errors import CtxError


def ask(
    command: list[str], stdin_data: bytes, seconds: float, limit: int, folder: Path, environ: Mapping[str, str]
) -> bytes:
    """Run `command` with `stdin_data` on its standard input and return what it prints, at most `limit` bytes.

    It runs in `folder`, never in the repository, whose files must not steer it. Raises CtxError where it cannot be run,
    does not end within `seconds`, prints too much, or ends with an error.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(environ),
            start_new_session=sys.platform != 'win32',
        )
    except OSError as error:
        raise CtxError(f'{command[0]} cannot be run ({error.strerror})') from error
    output: list[bytes] = []
    worker = threading.Thread(target=_talk, args=(process, stdin_data, limit, output), daemon=True)
    worker.start()
    worker.join(seconds)
    late, size = worker.is_alive(), len(output[0]) if output else 0
    if late or size > limit:
        _end(process)
        worker.join(1)
    for stream in (process.stdin, process.stdout):
        if stream is not None and not worker.is_alive():
            stream.close()
    if late:
        raise CtxError(f'{command[0]} did not answer within {seconds:g} s')
    if size > limit:
        raise CtxError(f'{command[0]} answered more than {limit // 1000} KB')
    if process.wait() != 0:
        raise CtxError(f'{command[0]} exited with {process.returncode}')
    return output[0]


def _talk(process: subprocess.Popen[bytes], stdin_data: bytes, limit: int, output: list[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(stdin_data)
        process.stdin.close()
    except OSError:
        pass  # it does not read its input
    output.append(process.stdout.read(limit + 1))
    if len(output[0]) <= limit:
        process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == 'win32':
        # By its full path, because Windows looks in the current folder, which may be a stranger's, before the system's.
        killer = os.path.join(os.environ.get('SystemRoot', r'C:\Windows'), 'System32', 'taskkill.exe')
        subprocess.run([killer, '/F', '/T', '/PID', str(process.pid)], capture_output=True)
        process.kill()  # in case taskkill was refused
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
