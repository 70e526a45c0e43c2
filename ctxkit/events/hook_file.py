"""Our marked lines in a hook file that may be somebody else's: put, found, and removed byte for byte."""

from __future__ import annotations

import re

from ctxkit.events.shim import BEGIN, END

# A hook file with nothing but this around our lines is wholly ours.
EMPTY = b'#!/bin/sh\n'
SHELLS = re.compile(
    rb'#![ \t]*(?:\S*/)?(?:busybox[ \t]+|env[ \t]+(?:-S[ \t]*)?(?:\S*/)?)?'
    rb'(?:ba|da|k|mk|z|a)?sh(?:\.exe)?\s'
)
MARKED = re.compile(re.escape(BEGIN) + rb'.*?' + re.escape(END) + rb'\n?', re.DOTALL)

# The line that `ctxkit init` tells a person to add where it does not write itself.
CALL = re.compile(rb'(?m)^[^#\n]*\bctxkit hook\b')


def has(content: bytes) -> bool:
    """Whether the hook contains our lines."""
    return MARKED.search(content) is not None


def calls(content: bytes) -> bool:
    """Whether the hook calls ctxkit in a line of the person's own."""
    return CALL.search(MARKED.sub(b'', content)) is not None


def lines_in(content: bytes) -> bytes:
    """Our lines in the hook, as passed to `put`; b'' if there are none."""
    found = MARKED.search(content)
    return found[0].rstrip(b'\n') + b'\n' if found else b''


def put(content: bytes | None, block: bytes) -> bytes:
    """The hook with our lines: in their place if it has them, else directly below the `#!` line.

    They come first because a hook may well end with `exit 0` or `exec`. They run in a subshell without the hook's
    standard input, so that what follows finds everything as it was.
    """
    if not content:
        return EMPTY + block
    found = MARKED.search(content)
    if found:
        block = block if found[0].endswith(b'\n') else block[:-1]
        return content[: found.start()] + block + content[found.end() :]
    if not content.startswith(b'#!'):
        return block + content
    first, line_break, rest = content.partition(b'\n')
    if not line_break:
        return first + b'\n' + block[:-1]  # no line break at our end tells `take` that the one above is ours
    return first + line_break + block + rest


def take(content: bytes) -> bytes | None:
    """The hook as it was before `put`; None if there was none. Content without our lines is returned unchanged."""
    found = MARKED.search(content)
    if not found:
        return content
    before, after = content[: found.start()], content[found.end() :]
    if not after and not found[0].endswith(b'\n'):
        before = before[:-1]
    left = before + after
    return None if left == EMPTY else left


def why_not(content: bytes) -> str:
    """Why sh lines cannot be put into this hook; '' if they can."""
    if b'\0' in content[:8000]:
        return 'is a program, not a script'
    if content.startswith(b'#!') and not SHELLS.match(content + b'\n'):
        line = content.partition(b'\n')[0].decode('utf-8', 'replace').strip()
        return f'is not a shell script ({line})'
    return ''
