"""Refuse what is not worth slicing, and make bytes in other encodings readable as UTF-8."""

from __future__ import annotations

import re
from functools import lru_cache

from ctxkit.slicing.notebook import as_markdown, is_notebook

# Measured over 25 repositories: minified bundles have over 98 % of their bytes in lines this long, generated but
# readable code (tables of a Python benchmark, an embedded page in Elixir) at most 74 %.
_LONG_LINE = 5_000
_SHARE = 0.8
_LOOKED_AT = 8_192
# Text has none of these or a few; binary data without a NUL has 10 %.
_CONTROLS = bytes(code for code in range(32) if code not in b'\t\n\r\f\x1b')
# `# -*- coding: latin-1 -*-` as Python and Ruby read it, in the first two lines; editors read it in any language.
_CODING = re.compile(rb'(?:[^\n]*\n)?(?:[ \t\f]*#|[^\n]*-\*-)[^\n]*?coding[:=][ \t]*([-\w.]{1,40})')
_UTF = re.compile('utf|u8', re.I)
_HEAD = 1_000
# Text that Python's escape encodings decode differently; without an unknown escape, of which decoding would warn.
_ESCAPES = b'\\n\\x41\\u0041'
_LINE_END = re.compile(rb'\r+\n')  # with several \r if a file was converted twice
# What `ctxkit render` prints, in its three forms.
_BLOCK = re.compile(
    rb'<ctxkit version="|# Context \([^\n]+\)\n\nContext of this repository, made by ctxkit'
    rb'|\{"version": \d+, "commit": "[0-9a-f]*", "branch": "[^\n]*?", "dirty": '
)
_UTF16 = {b'\xff\xfe': 'utf-16-le', b'\xfe\xff': 'utf-16-be'}


def readable(source: bytes) -> bytes:
    """The bytes that a chunk's ranges refer to: `source` as UTF-8 with `\\n` line ends.

    UTF-16 with a byte order mark is converted, and so is text that is not UTF-8 but declares a single-byte encoding; a
    notebook becomes the text of its cells. With `\\n` alone, a file that git checks out with Windows' line ends
    (core.autocrlf) has the same chunks as the commit's.
    """
    encoding = _UTF16.get(source[:2])
    if encoding is not None and source[2:4] != b'\0\0':
        source = source[2:].decode(encoding, 'replace').encode('utf-8', 'replace')
    if b'\r' in source:
        source = _LINE_END.sub(b'\n', source) if b'\n' in source else source.replace(b'\r', b'\n')
    if is_notebook(source):
        return as_markdown(source)
    declared = None if source.isascii() else _CODING.match(source, 0, _HEAD)
    if declared and _single_bytes(declared.group(1).decode()):
        try:
            source.decode()
        except UnicodeDecodeError:
            return source.decode(declared.group(1).decode(), 'replace').encode()
    return source


@lru_cache(maxsize=64)
def _single_bytes(name: str) -> bool:
    """Whether `name` is an encoding that Python knows, with one byte for each character, and a superset of ASCII."""
    try:
        if any(text.decode(name) != text.decode('ascii') for text in (_ESCAPES, bytes(range(128)))):
            return False
        return len(bytes(range(128, 256)).decode(name, 'replace')) == 128 and not _UTF.match(name)
    except (LookupError, ValueError, UnicodeError):
        return False


def unsliceable(source: bytes, max_bytes: int) -> str:
    """Why readable bytes are not sliced, in words; '' if they are."""
    if len(source) > max_bytes:
        return f'larger than {max_bytes / 1_000_000:g} MB'
    if _BLOCK.match(source, 0, _HEAD):
        return 'a block of ctxkit'  # published by the Action, or kept by hand: it only repeats the code
    head = source[:_LOOKED_AT]
    if b'\0' in head or (len(head) - len(head.translate(None, _CONTROLS))) * 20 > len(head):
        return 'binary'
    if len(source) > _LONG_LINE:
        if _in_long_lines(source) > _SHARE * len(source):
            return 'minified'
    return ''


def _in_long_lines(source: bytes) -> int:
    """How many bytes lie in lines longer than _LONG_LINE, found in hops of that length."""
    total = at = 0
    while at < len(source):
        stop = source.rfind(b'\n', at, at + _LONG_LINE + 1)
        if stop < 0 and at + _LONG_LINE < len(source):
            stop = source.find(b'\n', at + _LONG_LINE)
            stop = stop if stop >= 0 else len(source)
            total += stop - at
        elif stop < 0:
            break
        at = stop + 1
    return total
