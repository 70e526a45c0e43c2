"""What the tests of the main job share: update, search and render a real repository, here or as a person does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctxkit import config, pipeline
from ctxkit.index.corpus import Corpus
from ctxkit.index.current import open_current
from ctxkit.index.store import Store
from ctxkit.pipeline import Update
from ctxkit.render import Block, build
from ctxkit.repo import find, snapshot
from ctxkit.units import stream
from ctxkit.units.places import FoundPlace, find_places
from ctxkit.units.stream import StreamUnit

TOKEN = 'ghp_' + 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'


def settings(**flags: Any) -> config.Settings:
    """Settings with `units__top_k=3` for `units.top_k`."""
    return config.load(None, {}, {name.replace('__', '.'): value for name, value in flags.items()})


def update(root: Path, now: float = 0.0, event: str = 'update', **flags: Any) -> Update:
    """The whole pipeline."""
    return pipeline.update(find(root), settings(**flags), now=now or time.time(), event=event)


def block(root: Path, query: str = '', budget: int | None = None, now: float = 0.0, **flags: Any) -> Block:
    """The block that a person would get now."""
    return build(find(root), settings(**flags), query=query, budget=budget, now=now or time.time())


def search(root: Path, query: str, count: int = 10, under: str = '', **flags: Any) -> list[FoundPlace]:
    """Ranked places."""
    return find_places(find(root), settings(**flags), query, count, under, time.time())


@contextmanager
def opened(root: Path, now: float = 0.0) -> Iterator[Corpus]:
    """The corpus of the tree as it is, edits included."""
    repo = find(root)
    tree = snapshot(repo)
    with Store(repo.data_dir) as store:
        yield open_current(repo, store, settings(), tree.commit, tree.changes, now)


def symbols(root: Path, query: str, **flags: Any) -> list[str]:
    """The symbols that a search finds."""
    return [place.symbol for place in search(root, query, **flags)]


def units_of(root: Path) -> list[StreamUnit]:
    """The stream."""
    return stream.read(root / '.ctx' / 'units.jsonl')


def status_of(root: Path) -> dict[str, Any]:
    """status.json."""
    return json.loads((root / '.ctx' / 'status.json').read_text('utf-8'))


def parsed(text: str) -> ElementTree.Element:
    """The element of a printed block, by a strict parser; what stands after it must be the separator or nothing."""
    element, end, rest = text.partition('</ctxkit>\n')
    assert end and (not rest or rest.startswith('--------------------------------\n')), rest[:200]
    return ElementTree.fromstring((element + end).encode('utf-8'))


def units_in(shown: Block) -> dict[str, str]:
    """Symbol -> text of the units of a block."""
    return {unit.symbol: unit.text for unit in shown.units}


def stored_files(root: Path) -> int:
    """How many file contents the index holds."""
    with Store(find(root).data_dir) as store:
        return int(store._db.execute('SELECT count(*) FROM file').fetchone()[0])


def run(folder: Path, *args: str, said: str | bytes = b'', **environ: str) -> subprocess.CompletedProcess[str]:
    """The command line in `folder`, with `said` on standard input."""
    done = subprocess.run(
        [sys.executable, '-m', 'ctxkit', *args],
        cwd=folder,
        input=said.encode() if isinstance(said, str) else said,
        capture_output=True,
        check=False,
        env={**os.environ, **environ},
    )
    return subprocess.CompletedProcess(
        done.args,
        done.returncode,
        done.stdout.decode('utf-8', 'surrogateescape'),
        done.stderr.decode('utf-8', 'replace'),
    )


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files of the work tree."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
