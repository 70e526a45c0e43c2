"""Slicing a sample, and telling what came of it in short."""

from __future__ import annotations

import textwrap

from ctxkit.slicing import Chunk, SlicedFile, slice_file


def cut(name: str, text: str) -> tuple[SlicedFile, bytes, dict[str, Chunk]]:
    source = textwrap.dedent(text).lstrip('\n').encode()
    sliced = slice_file(name, source)
    assert not sliced.skipped
    return sliced, source, {chunk.symbol: chunk for chunk in sliced.chunks}


def outline(sliced: SlicedFile) -> list[tuple[str, str, int]]:
    return [(chunk.kind, chunk.symbol, chunk.line) for chunk in sliced.chunks if chunk.kind != 'module']


def uses(chunk: Chunk, kind: str) -> set[str]:
    found = set()
    for one in chunk.references:
        if one.kind == kind:
            path = f'{one.qualifier}.{one.name}' if one.qualifier else one.name
            found.add(f'{path} as {one.alias}' if one.alias else path)
    return found
