"""The text that the model gets for a chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxkit.slicing.chunk import Chunk

MAX_CHARACTERS = 8000  # more than `max_tokens` pieces need; a minified line must not cost seconds


def head(path: str, symbol: str) -> str:
    """The line before the text: the last folder, the file's stem, the qualified symbol."""
    folder, _, file = path.rpartition('/')
    stem = file.rsplit('.', 1)[0] or file
    return f'{folder.rpartition("/")[2]} {stem} {symbol}\n'


def passage(path: str, chunk: Chunk, source: bytes) -> str:
    """The head line, then the chunk's own text; at most MAX_CHARACTERS."""
    return (head(path, chunk.symbol or chunk.name) + chunk.text(source))[:MAX_CHARACTERS]
