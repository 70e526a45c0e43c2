"""Headings without anything below them but further headings."""

from __future__ import annotations

from ctxkit.index.record import Place
from ctxkit.slicing.chunk import Chunk


def bare(place: Place | Chunk) -> bool:
    """Whether it is a heading alone: nothing to show, for the sections below it name it."""
    return place.kind == 'section' and 0 < place.sig_end == place.end_byte
