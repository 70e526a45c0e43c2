"""Bytes of a file to chunks: languages, chunker, references."""

from __future__ import annotations

from ctxkit.slicing.chunk import SLICER_VERSION, Chunk, Reference, SlicedFile
from ctxkit.slicing.languages import language_of

__all__ = ['SLICER_VERSION', 'Chunk', 'Reference', 'SlicedFile', 'language_of', 'slice_file']


def slice_file(path: str, source: bytes, max_bytes: int = 1_000_000) -> SlicedFile:
    """The chunks of one file.

    They depend on the bytes and on the language alone. Bad content never raises: `skipped` says why there are no
    chunks.
    """
    from ctxkit.slicing.captures import Unparsable
    from ctxkit.slicing.code import slice_code
    from ctxkit.slicing.languages import LANGUAGES, language_in
    from ctxkit.slicing.prose import slice_prose

    language = language_in(path, source)
    if len(source) > max_bytes:
        return SlicedFile(language, (), f'larger than {max_bytes / 1_000_000:g} MB')
    if b'\0' in source[:8192]:
        return SlicedFile(language, (), 'binary')
    if language in LANGUAGES:
        try:
            chunks, broken = slice_code(language, source)
        except Unparsable:
            return SlicedFile(language, tuple(slice_prose('', source)), '', 1)
        return SlicedFile(language, tuple(chunks), '', broken)
    return SlicedFile(language, tuple(slice_prose(language, source)))
