"""Convert a Jupyter notebook to Markdown, each line at the line number that it has in the file."""

from __future__ import annotations

import json
import re

# Programs write notebooks with one line of a cell on one line of the file, and keys in this order. A notebook that is
# all on one line stays JSON.
_TYPE = re.compile(rb'\s*"cell_type": *"(\w+)"')
_SOURCE = re.compile(rb'\s*"source": *\[\s*\Z')
_LINE = re.compile(rb'\s*("(?:[^"\\]|\\.)*"),?\s*\Z')
_KEYS = (b'"nbformat"', b'"cells"', b'"cell_type"')
_KERNEL = re.compile(rb'"language": *"(\w+)"')


def is_notebook(source: bytes) -> bool:
    """Whether the bytes look like a notebook of the current format (4), on more than one line."""
    return source[:1] == b'{' and b'\n' in source[:1000] and all(key in source for key in _KEYS)


def as_markdown(source: bytes) -> bytes:
    """The text of the cells, code in fences; outputs, metadata and JSON syntax become blank lines.

    So each line keeps its number, pictures are left out, and running a notebook without an edit changes nothing.
    """
    found = _KERNEL.search(source)
    language = found.group(1) if found else b''
    out: list[bytes] = []
    kind, inside = b'', False
    for line in source.split(b'\n'):
        if not inside:
            typed = _TYPE.match(line)
            kind = typed.group(1) if typed else kind
            inside = _SOURCE.match(line) is not None
            out.append(b'```' + language if inside and kind == b'code' else b'')
        elif line.lstrip()[:1] == b']':
            inside = False
            out.append(b'```' if kind == b'code' else b'')
        else:
            out.append(_text(line))
    return b'\n'.join(out)


def _text(line: bytes) -> bytes:
    found = _LINE.match(line)
    try:
        text = json.loads(found.group(1)) if found else ''
    except ValueError:
        return b''
    return str(text).rstrip('\r\n').replace('\r', '').replace('\n', ' ').encode('utf-8', 'replace')
