"""Functions of a shell script that the Bash grammar cannot read whole: zsh above all."""

from __future__ import annotations

import re
from collections.abc import Container

from ctxkit.slicing.definition import Definition

_HEAD = re.compile(
    rb'^([ \t]*)(?:function[ \t]+([^\s(){}$]+)[ \t]*(?:\([ \t]*\))?|([\w:.@+,-]+)[ \t]*\([ \t]*\))\s*\{',
    re.M,
)


def rescued(source: bytes, known: Container[int]) -> list[Definition]:
    """The functions whose head opens a line and whose name does not start at a known byte.

    They end at the first closing brace in the column of the head, or on the same line.
    """
    found: list[Definition] = []
    for head in _HEAD.finditer(source):
        group = 2 if head.group(2) else 3
        at = head.start(group)
        if at in known:
            continue
        line = source.find(b'\n', head.end())
        line = line if line >= 0 else len(source)
        if b'}' in source[head.end() : line]:
            end = source.rfind(b'}', head.end(), line) + 1
        else:
            close = source.find(b'\n' + head.group(1) + b'}', head.end())
            end = close + len(head.group(1)) + 2 if close >= 0 else line
        start = head.end(1)
        name = head.group(group).decode('utf-8', 'replace')
        found.append(Definition('function', start, end, start, at, name, head.end() - 1))
    return found
