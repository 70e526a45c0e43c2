"""Headings with nothing below them but further headings."""

from __future__ import annotations

from ctxkit.index.record import Place
from ctxkit.slicing.chunk import Chunk


def bare(place: Place | Chunk) -> bool:
    """Whether `place` is a heading alone, which is not worth showing: the sections below it name it."""
    return place.kind == 'section' and 0 < place.sig_end == place.end_byte
