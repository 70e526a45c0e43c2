"""Any program: the query on its standard input; it prints text, or JSON lines with `title`, `url`, `content`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping

from ctxkit.places import home
from ctxkit.settings import WebSettings
from ctxkit.web.found import Found, WebError, found

MAX_BYTES = 256_000


def search(query: str, settings: WebSettings, environ: Mapping[str, str]) -> Found:
    """What the program printed. Raises WebError where it is missing, slow, fails, or prints nothing or too much."""
    if not settings.command:
        raise WebError('web.command is not set', 'name a program in your own settings')
    program = shutil.which(settings.command[0], path=environ.get('PATH'))
    if program is None or not os.path.isabs(program):
        raise WebError(f'{settings.command[0]} was not found', 'give its whole path in web.command')
    output = _run([program, *settings.command[1:]], query, settings.timeout_seconds, environ)
    said, links = _read(output.decode('utf-8', 'replace'))
    if not said.strip():
        raise WebError(f'{settings.command[0]} found nothing')
    return found(said, links)


def _run(command: list[str], query: str, timeout: float, environ: Mapping[str, str]) -> bytes:
    """Run it outside the repository, whose files must not steer it, and end it and its children when time is up."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home(environ),
            env=dict(environ),
            start_new_session=sys.platform != 'win32',
        )
    except OSError as error:
        raise WebError(f'{command[0]} cannot be run ({error.strerror})') from error
    output: list[bytes] = []
    worker = threading.Thread(target=_talk, args=(process, query, output), daemon=True)
    worker.start()
    worker.join(timeout)
    late, size = worker.is_alive(), len(output[0]) if output else 0
    if late or size > MAX_BYTES:
        _end(process)
        worker.join(1)
    for stream in (process.stdin, process.stdout):
        if stream is not None and not worker.is_alive():
            stream.close()
    if late:
        raise WebError(f'{command[0]} did not answer within {timeout:g} s')
    if size > MAX_BYTES:
        raise WebError(f'{command[0]} answered more than {MAX_BYTES // 1000} KB')
    if process.wait() != 0:
        raise WebError(f'{command[0]} ended with {process.returncode}')
    return output[0]


def _talk(process: subprocess.Popen[bytes], query: str, output: list[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(query.encode('utf-8', 'replace') + b'\n')
        process.stdin.close()
    except OSError:
        pass  # it does not read its input
    output.append(process.stdout.read(MAX_BYTES + 1))
    if len(output[0]) <= MAX_BYTES:
        process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == 'win32':
        # By its whole path: the current folder, which may be a stranger's, comes before the system's.
        killer = os.path.join(os.environ.get('SystemRoot', r'C:\Windows'), 'System32', 'taskkill.exe')
        subprocess.run([killer, '/F', '/T', '/PID', str(process.pid)], capture_output=True)
        process.kill()  # where that was refused
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def _read(output: str) -> tuple[str, list[tuple[str, str]]]:
    said: list[str] = []
    links: list[tuple[str, str]] = []
    for line in output.splitlines():
        try:
            item = json.loads(line) if line.lstrip().startswith('{') else None
        except (ValueError, RecursionError):
            item = None
        if not isinstance(item, dict):
            said.append(line)
            continue
        title = str(item.get('title') or '')
        said.append(f'{title}: {item.get("content") or item.get("snippet") or ""}'.strip(': '))
        links.append((title, str(item.get('url') or '')))
    return '\n'.join(said), links
