"""A language server on a repository, asked by standard input."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlparse

from benchmarks.links.calls import Place


class Target(NamedTuple):
    """Where a name is defined: the file, the line and column from 0 on."""

    path: Path
    line: int
    column: int

    def before(self) -> str:
        """The text before the name: its line, and the two lines above."""
        rows = self.path.read_text('utf-8', 'replace').split('\n')[: self.line + 1]
        return '\n'.join([*rows[-3:-1], rows[-1][: self.column]])


class Server:
    """One that runs while its block does."""

    def __init__(self, command: Sequence[str], root: Path, ready: str, **said: Any) -> None:
        """`ready` is the notification that tells that all is read; `said` goes into the first message."""
        pipe = subprocess.PIPE
        self.command, self.root, self.ready, self.said = command, root, ready, said
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.asked = 0

    def __enter__(self) -> Server:
        self.request('initialize', processId=None, rootUri=self.root.as_uri(), **self.said)
        self.send(method='initialized', params={})
        while True:
            said = self.read()
            params = said.get('params')
            if said.get('method') == self.ready and (not isinstance(params, dict) or params.get('quiescent', True)):
                return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, **message: Any) -> None:
        """Say something, without an answer."""
        body = json.dumps({'jsonrpc': '2.0', **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n%b' % (len(body), body))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """What the server says next; a question of its own is answered."""
        assert self.process.stdout
        length = 0
        while (row := self.process.stdout.readline().strip()) or not length:
            if not row and self.process.poll() is not None:
                raise SystemExit(f'{self.command[0]} ended; run it by itself to see why')
            if row.lower().startswith(b'content-length:'):
                length = int(row.partition(b':')[2])
        said: dict[str, Any] = json.loads(self.process.stdout.read(length))
        if 'method' in said and 'id' in said:
            params = said.get('params')
            items = params.get('items') if isinstance(params, dict) else None
            self.send(id=said['id'], result=None if items is None else [None] * len(items))
        return said

    def request(self, method: str, **params: Any) -> Any:
        """The answer to a question."""
        self.asked += 1
        self.send(id=self.asked, method=method, params=params)
        while True:
            said = self.read()
            if said.get('id') == self.asked and 'method' not in said:
                return said.get('result')

    def defined(self, path: Path, line: int, column: int) -> list[Target]:
        """Where the name in a place, counted from 0 on, is defined."""
        where = {'line': line, 'character': column}
        found = self.request('textDocument/definition', textDocument={'uri': path.as_uri()}, position=where) or ()
        targets = []
        for one in [found] if isinstance(found, dict) else found:
            start = (one.get('targetSelectionRange') or one['range'])['start']
            uri = one.get('targetUri') or one['uri']
            targets.append(Target(Path(unquote(urlparse(uri).path)), start['line'], start['character']))
        return targets

    def place(self, target: Target) -> Place:
        """Where a target is: the path is whole (`/...`) outside of the repository."""
        inside = target.path.is_relative_to(self.root)
        path = target.path.relative_to(self.root).as_posix() if inside else str(target.path)
        return Place(path, target.line + 1)
