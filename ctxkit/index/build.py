"""Bring the store up to date with a tree: what is not yet sliced or embedded is, in bounded batches.

Each batch is one transaction, so a killed first index goes on where it stopped. Many files are shared out to worker
processes; a few are done in this one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxkit import tokens
from ctxkit.embedding import encoder_for
from ctxkit.index import record as records
from ctxkit.index.fold import folds
from ctxkit.index.progress import tell
from ctxkit.index.store import Key, Row, Store
from ctxkit.repo import Repo, TreeEntry, blobs
from ctxkit.slicing import Chunk, readable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_FILES = 48
BATCH_BYTES = 2_000_000
# Below this many files a worker process costs more than it saves.
PARALLEL_FROM = 100
MAX_WORKERS = 8


class Built(NamedTuple):
    """What `build` did: the row of each path, how many files were sliced and chunks embedded for it, in which time."""

    rows: dict[str, Row]
    sliced_files: int
    embedded_chunks: int
    seconds: float = 0.0


@dataclass(frozen=True)
class Plan:
    """What a worker needs to know; small, since it is sent to other processes."""

    repo: Repo
    model: str
    max_bytes: int
    day: int


def build(
    repo: Repo,
    store: Store,
    entries: Sequence[TreeEntry],
    *,
    model: str = 'bundled',
    model_id: str,
    max_bytes: int = 1_000_000,
    now: float = 0.0,
    workers: int = 0,
) -> Built:
    """Slice and embed what the store lacks of `entries`; returns the row of every path.

    `workers` 0 means one a processor, at most 8.
    """
    day = int((now or time.time()) // 86400)
    plan = Plan(repo, model, max_bytes, day)
    keys = {entry: Key(entry.blob, records.hint(entry.path, max_bytes)) for entry in entries}
    rows = store.known(dict.fromkeys(keys.values()))
    vectored = store.with_vectors(model_id)
    todo: dict[Key, str] = {}
    for entry, key in keys.items():
        row = rows.get(key)
        if row is None or (row.chunks and row.id not in vectored):
            todo.setdefault(key, entry.path)
    sliced = sum(1 for key in todo if key not in rows)
    done = embedded = 0
    began = time.perf_counter()
    for files, chunks in _run(plan, store, list(todo.items()), workers):
        done += files
        embedded += chunks
        tell(done, len(todo))
    rows |= store.known(todo)
    seconds = time.perf_counter() - began
    store.touch([row.id for row in rows.values()], day)
    mine = {entry.path: rows[key] for entry, key in keys.items() if key in rows}
    return Built(mine, sliced, embedded, seconds)


def _run(plan: Plan, store: Store, todo: list[tuple[Key, str]], workers: int) -> Iterator[tuple[int, int]]:
    """Yield (files, embedded chunks) after each batch. What worker processes could not do is done in this one."""
    batches = [todo[i : i + BATCH_FILES] for i in range(0, len(todo), BATCH_FILES)]
    workers = min(workers or os.cpu_count() or 1, MAX_WORKERS, len(batches))
    if workers < 2 or len(todo) < PARALLEL_FROM:
        for batch in batches:
            yield run_batch(plan, store, batch)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    from ctxkit.safety.children import outside_the_work_tree

    with outside_the_work_tree():
        folder = str(store.file.parent)
        pool = ProcessPoolExecutor(workers, get_context('spawn'), initializer=start_worker, initargs=(folder,))
        waiting = {pool.submit(run_in_worker, plan, batch): batch for batch in batches}
    try:
        for future in as_completed(list(waiting)):
            done = future.result()
            del waiting[future]
            yield done
    except BrokenProcessPool:  # a caller without a file to start again from (a notebook), or too little memory for two
        for batch in waiting.values():
            yield run_batch(plan, store, batch)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run_batch(plan: Plan, store: Store, batch: Sequence[tuple[Key, str]]) -> tuple[int, int]:
    """Slice, embed and store one batch; returns (files, embedded chunks)."""
    embedded = 0
    for group in _groups(batch, blobs(plan.repo, [key.blob for key, _ in batch])):
        embedded += store_group(plan, store, group)
    return len(batch), embedded


_WORKER: dict[str, Store] = {}


def start_worker(folder: str) -> None:
    """Prepare a worker process: its store, and no collector, since all that a batch makes is freed by counting."""
    import atexit
    import gc
    import threading

    gc.disable()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    store = _WORKER['store'] = Store(Path(folder))
    atexit.register(store.__exit__, None, None, None)


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever; what it has stored is whole."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def run_in_worker(plan: Plan, batch: Sequence[tuple[Key, str]]) -> tuple[int, int]:
    """As `run_batch`, with the store of this worker process."""
    return run_batch(plan, _WORKER['store'], batch)


def _groups(
    batch: Sequence[tuple[Key, str]],
    contents: Iterable[tuple[str, bytes | None]],
) -> Iterator[list[tuple[Key, str, bytes | None]]]:
    """(key, path, content) in groups of bounded bytes, so that memory does not follow the size of the files."""
    group: list[tuple[Key, str, bytes | None]] = []
    size = 0
    for (key, path), (_, content) in zip(batch, contents, strict=True):
        group.append((key, path, content))
        size += len(content or b'')
        if size >= BATCH_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


class Content(NamedTuple):
    """All that the index keeps of one file content: its record, number of chunks, int8 rows and folds (JSON)."""

    key: Key
    record: records.Record
    chunks: int
    vectors: bytes
    folds: str


def make_group(plan: Plan, group: Sequence[tuple[Key, str, bytes | None]]) -> list[Content]:
    """Slice and embed files whose bytes are at hand. A content that is None is passed over."""
    from ctxkit.embedding.text import passage

    made: list[tuple[Key, records.Record, list[Chunk], bytes]] = []
    texts: list[str] = []
    for key, path, content in group:
        if content is None:
            continue
        content = readable(content)
        record, chunks = records.make(path, content, plan.max_bytes)
        made.append((key, record, chunks, content))
        texts += [passage(path, chunk, content) for chunk in chunks]
    encoder = encoder_for(plan.model)
    vectors = encoder.encode(texts)
    at, out = 0, []
    for key, record, chunks, content in made:
        mine = vectors[at : at + len(chunks)]
        at += len(chunks)
        folded = _folded(chunks, content, mine, encoder.fold_threshold)
        out.append(Content(key, record, len(chunks), records.quantise(mine), folded))
    return out


def _folded(chunks: Sequence[Chunk], content: bytes, vectors: NDArray[np.float32], threshold: float) -> str:
    groups = folds(chunks, vectors, threshold, lambda number: tokens.count(chunks[number].text(content)))
    return json.dumps(groups, separators=(',', ':'))


def store_group(plan: Plan, store: Store, group: Sequence[tuple[Key, str, bytes | None]]) -> int:
    """Slice, embed and store files whose bytes are at hand; returns the number of chunks embedded.

    A blob that a partial clone lacks is left for a later event: nothing is stored, doctor names it.
    """
    made = make_group(plan, group)
    put(store, encoder_for(plan.model).model_id, made, plan.day)
    return sum(one.chunks for one in made)


def put(store: Store, model_id: str, made: Sequence[Content], day: int) -> None:
    """Store contents that were made here or elsewhere."""
    store.add([(one.key, one.record, one.chunks) for one in made], day)
    store.add_vectors(model_id, [(one.key, one.vectors, one.folds) for one in made])
