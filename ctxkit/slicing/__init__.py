"""Bytes of a file to chunks: languages, chunker, references."""

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
    'readable',
    'scope_of',
    'slice_file',
    'together',
]

FILE, FOLDER = 'file', 'folder'


@lru_cache(maxsize=1 << 13)  # linking asks for the same files thousands of times
def language_of(path: str) -> str:
    """The language of a file by its name; '' where the name does not tell (it is then read as plain text)."""
    from ctxkit.slicing import languages  # who only reads an index needs none of them

    return languages.language_of(path)


def scope_of(path: str) -> str:
    """What a bare name in a file can come from without an import, by the file's name: FILE, FOLDER or ''."""
    from ctxkit.slicing import languages

    known = languages.LANGUAGES.get(language_of(path))
    return known.scope if known else ''


def together(path: str, other: str) -> bool:
    """Whether code of two files can call each other, by their names: it is of one language, or of such a group."""
    from ctxkit.slicing.languages import TOGETHER

    known = {language_of(path), language_of(other)}
    return len(known) == 1 or any(known <= group for group in TOGETHER)


def slice_file(path: str, source: bytes, max_bytes: int = 1_000_000) -> SlicedFile:
    """The chunks of one file, in the order of their start; the same bytes and language always give the same.

    Ranges refer to `readable(source)`, which is `source` itself unless that is no UTF-8. Bad content never raises:
    `skipped` says why a file has no chunks. Code that would take the parser too long is cut as plain text.
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
