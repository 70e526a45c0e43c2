"""Uncommitted edits as units: the chunks of a work tree's file that the commit does not hold as they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from ctxkit import tokens
from ctxkit.repo import Repo
from ctxkit.safety.secrets import redact, redact_part
from ctxkit.slicing import Chunk, slice_file
from ctxkit.units.select import one_line
from ctxkit.units.stream import StreamUnit
from ctxkit.units.unit import MAX_TOKENS, SHORT_TOKENS, shortened


def chunks_of(path: str, source: bytes, max_bytes: int) -> Iterator[tuple[Chunk, str]]:
    """The chunks of a file, each with its content hash as the index has it."""
    for chunk in slice_file(path, source, max_bytes).chunks:
        digest = hashlib.blake2b(digest_size=8)
        for start, end in chunk.spans or ((chunk.start_byte, chunk.end_byte),):
            digest.update(source[start:end])
        yield chunk, digest.hexdigest()


def committed_digests(repo: Repo, commit: str, paths: Sequence[str]) -> dict[str, frozenset[str]]:
    """Path -> content hashes of the chunks that the commit holds there, from the index; {} if it is not indexed."""
    from ctxkit.index import manifest as manifests
    from ctxkit.index.record import load_places
    from ctxkit.index.store import Store

    manifest = manifests.load(repo)
    if manifest is None or manifest.commit != commit:
        return {}
    wanted = set(paths)
    files = {item.path: item.file for item in manifest.files if item.path in wanted}
    with Store(repo.data_dir) as store:
        return {
            path: frozenset(place.digest for place in load_places(store.places(file) or b'[]'))
            for path, file in files.items()
        }


def edit_unit(
    path: str, added: bool, chunk: Chunk, digest: str, source: bytes, now: float, known: frozenset[str], edits: int = 1
) -> StreamUnit:
    """The unit of an edited chunk, without its links: those are found when the edit is committed."""
    if chunk.kind == 'text':  # a window can have cut a secret
        text = redact_part(source, chunk.start_byte, chunk.end_byte, known)
    else:
        text = redact(chunk.text(source), known)
    if tokens.count(text) > MAX_TOKENS:
        text = shortened(text, SHORT_TOKENS)
    identity = hashlib.blake2b(
        f'{path}\0{chunk.symbol or chunk.start_line}'.encode('utf-8', 'surrogateescape'), digest_size=8
    ).hexdigest()
    return StreamUnit(
        identity,
        now,
        'edit',
        '',
        path,
        redact(chunk.symbol, known),
        chunk.kind,
        chunk.start_line,
        chunk.end_line,
        'added' if added else 'edited',
        digest,
        edits,
        tokens.count(text),
        one_line(redact(chunk.signature(source), known)),
        text,
    )
