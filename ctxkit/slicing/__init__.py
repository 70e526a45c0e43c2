"""Slice the bytes of a file into chunks with their references, in any of the known languages."""

from __future__ import annotations

from functools import lru_cache

from ctxkit.slicing.chunk import GIVEN_UP, SLICER_VERSION, Chunk, Reference, SlicedFile
from ctxkit.slicing.guard import readable, unsliceable

__all__ = [
    'FILE',
    'FOLDER',
    'GIVEN_UP',
    'SLICER_VERSION',
    'Chunk',
    'Reference',
    'SlicedFile',
    'language_of',
    'languages_interoperate',
    'readable',
    'scope_of',
    'slice_file',
]

FILE, FOLDER = 'file', 'folder'


@lru_cache(maxsize=1 << 13)  # linking needs the same files thousands of times
def language_of(path: str) -> str:
    """The language of a file by its name; '' if the name tells none (the file is then read as plain text)."""
    from ctxkit.slicing import languages  # not needed by commands that only read an index

    return languages.language_of(path)


def scope_of(path: str) -> str:
    """Where a bare name in a file can come from without an import: FILE, FOLDER, or '' for any file."""
    from ctxkit.slicing import languages

    known = languages.LANGUAGES.get(language_of(path))
    return known.scope if known else ''


def languages_interoperate(path: str, other: str) -> bool:
    """Whether code of two files can call each other, by their names: one language, or one group of INTEROPERATING."""
    from ctxkit.slicing.languages import INTEROPERATING

    known = {language_of(path), language_of(other)}
    return len(known) == 1 or any(known <= group for group in INTEROPERATING)


def slice_file(path: str, source: bytes, max_bytes: int = 1_000_000) -> SlicedFile:
    """The chunks of one file, in the order of their start; the same name and bytes always give the same chunks.

    Ranges refer to `readable(source)`, which can differ from `source`. Bad content never raises: `skipped` says why a
    file has no chunks. Code that would take the parser too long is cut as plain text.
    """
    from ctxkit.slicing.languages import LANGUAGES, PAGES, language_in

    source = readable(source)
    language = language_in(path, source)
    reason = unsliceable(source, max_bytes)
    if reason:
        return SlicedFile(language, (), reason)
    page = language in PAGES.values()
    if page or language in LANGUAGES:
        from ctxkit.slicing.code import slice_code
        from ctxkit.slicing.pages import slice_page
        from ctxkit.slicing.parse import Unparsable

        try:
            chunks, broken = slice_page(source) if page else slice_code(language, source)
        except Unparsable:
            broken = GIVEN_UP
        else:
            return SlicedFile(language, tuple(chunks), '', broken)
    else:
        broken = 0
    from ctxkit.slicing.prose import slice_prose

    return SlicedFile(language, tuple(slice_prose(language if not broken else '', source)), '', broken)
