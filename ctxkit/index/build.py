"""Bring the store up to date with a tree: slice and embed, in bounded batches, what it does not hold yet.

Each batch is stored when it is done, so an index that is killed goes on where it stopped. Many files are divided among
worker processes (`workers`); a few are done in this one.
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ctxkit.embedding import encoder_for
from ctxkit.index import record as records
from ctxkit.index.embed import embed
from ctxkit.index.fold import similar_runs
from ctxkit.index.progress import report_progress
from ctxkit.index.store import Key, Row, Store
from ctxkit.repo import BlobReader, Repo, TreeEntry, present

# Small enough that all processes finish at about the same time.
BATCH_FILES = 16
BATCH_BYTES = 2_000_000
# Files; with fewer, starting worker processes costs more than it saves.
PARALLEL_FROM = 100
MAX_WORKERS = 8


class Built(NamedTuple):
    """What `build` did: the row of each path, how many files were sliced and chunks embedded, and the time it took."""

    rows: dict[str, Row]
    sliced_files: int
    embedded_chunks: int
    seconds: float = 0.0


@dataclass(frozen=True)
class Plan:
    """The settings that a worker needs; small, because they are sent to other processes."""

    repo: Repo
    model: str
    max_bytes: int
    day: int


Batch = Sequence[tuple[Key, str]]
# (number of files in a batch, the rows of those whose content is in this clone)
Done = tuple[int, dict[Key, Row]]


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
    """Slice and embed those of `entries` that the store lacks; returns the row of every path whose content is here.

    `workers` 0 means one for each processor, at most MAX_WORKERS.
    """
    day = int((now or time.time()) // 86400)
    plan = Plan(repo, model, max_bytes, day)
    keys = {entry: Key(entry.blob, records.path_hint(entry.path, max_bytes)) for entry in entries}
    rows = store.known(dict.fromkeys(keys.values()))
    vectored = store.with_vectors(model_id) if rows else set()
    todo: dict[Key, str] = {}
    for entry, key in keys.items():
        row = rows.get(key)
        if row is None or (row.chunks and row.id not in vectored):
            todo.setdefault(key, entry.path)
    present_blobs = present(repo, {key.blob for key in todo})
    todo = {key: path for key, path in todo.items() if key.blob in present_blobs}
    sliced = sum(1 for key in todo if key not in rows)
    done = embedded = 0
    began = time.perf_counter()
    for files, made in _run(plan, store, list(todo.items()), workers):
        done += files
        embedded += sum(row.chunks for row in made.values())
        rows |= made
        report_progress(done, len(todo))
    seconds = time.perf_counter() - began
    store.touch(rows.values(), day)
    by_path = {entry.path: rows[key] for entry, key in keys.items() if key in rows}
    return Built(by_path, sliced, embedded, seconds)


def _run(plan: Plan, store: Store, todo: Batch, processes: int) -> Iterator[Done]:
    """Yield the result of each batch, done in this process or divided among several."""
    batches = [todo[i : i + BATCH_FILES] for i in range(0, len(todo), BATCH_FILES)]
    processes = min(processes or os.cpu_count() or 1, MAX_WORKERS, len(batches))
    with bench(plan, store) as work:
        if processes < 2 or len(todo) < PARALLEL_FROM or not store.shared:
            yield from map(work, batches)
        else:
            from ctxkit.index.words import forget
            from ctxkit.index.workers import share

            yield from share(plan, store.file.parent, batches, processes, work)
            forget()  # to free memory, for the segment is made next


@contextmanager
def bench(plan: Plan, store: Store) -> Iterator[Callable[[Batch], Done]]:
    """A function that slices, embeds and stores one batch, for use inside the `with` block.

    One git process reads all contents. The cyclic garbage collector is off meanwhile: what a batch makes has no cycles.
    """
    reader = BlobReader(plan.repo, sure=True)
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield partial(run_batch, plan, store, reader)
    finally:
        reader.close()
        if collecting:
            gc.enable()


def run_batch(plan: Plan, store: Store, reader: BlobReader, batch: Batch) -> Done:
    """Slice, embed and store one batch, in groups of bounded bytes."""
    rows: dict[Key, Row] = {}
    size = 0
    group: list[tuple[Key, str, bytes | None]] = []
    for key, path in batch:
        content = reader.read(key.blob)
        group.append((key, path, content))
        size += len(content or b'')
        if size >= BATCH_BYTES:
            rows |= store_group(plan, store, group)
            group, size = [], 0
    return len(batch), rows | store_group(plan, store, group)


class Content(NamedTuple):
    """All that the index stores of one file content: its record, number of chunks, int8 vectors, and alike chunks.

    `alike` is JSON, not yet cut into folds: that takes token counts, which are made only for chunks that are shown.
    """

    key: Key
    record: records.Record
    chunks: int
    vectors: bytes
    alike: str


def make_group(plan: Plan, group: Sequence[tuple[Key, str, bytes | None]]) -> list[Content]:
    """Slice and embed a group of (key, path, content); a content of None is skipped."""
    keys = [key for key, _, content in group if content is not None]
    files = [(path, records.make(path, content, plan.max_bytes)) for _, path, content in group if content is not None]
    encoder = encoder_for(plan.model)
    vectors = embed(encoder, files)
    at, out = 0, []
    for key, (_, made) in zip(keys, files, strict=True):
        mine = vectors[at : at + len(made.chunks)]
        at += len(made.chunks)
        runs = json.dumps(similar_runs(made.chunks, mine, encoder.fold_threshold), separators=(',', ':'))
        out.append(Content(key, made.record, len(made.chunks), records.quantise(mine), runs))
    return out


def store_group(plan: Plan, store: Store, group: Sequence[tuple[Key, str, bytes | None]]) -> dict[Key, Row]:
    """Slice, embed and store a group of (key, path, content); returns the rows.

    A content of None (a partial clone lacks the blob) is left for a later event; `ctxkit doctor` names it.
    """
    if not group:
        return {}
    return store.add(encoder_for(plan.model).model_id, make_group(plan, group), plan.day)
