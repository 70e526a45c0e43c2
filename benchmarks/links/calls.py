"""What is asked of who knows a language, and what comes back: calls by the place of the name, definitions by theirs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ctxkit.slicing import Reference

MOST_LINES = 12  # that a receiver runs over before the name: `new Chain()⏎.one()⏎.two()`
_DOTS = r'\s*(?:\?->|!!\.|\?\.|!\.|->|::|\.|:)\s*'


class Place(NamedTuple):
    """Where a name is defined: the path in the clone and the line of the name, from 1 on."""

    path: str
    line: int


class Call(NamedTuple):
    """A use of a name: where the name stands, the line from 1 on, the column from 0 on, in characters."""

    path: str
    line: int
    column: int
    name: str


class Answer(NamedTuple):
    """What a call means: functions, methods and types of the clone (a type and its constructors, a declaration and its
    body are all named), and whatever else it is: a variable, a parameter, a library's (`path` as it comes)."""

    inside: frozenset[Place]
    elsewhere: frozenset[Place] = frozenset()


def files_of(root: Path) -> list[str]:
    """The files that a clone tracks."""
    listed = subprocess.run(['git', 'ls-files', '-z'], cwd=root, check=True, capture_output=True).stdout
    return listed.decode('utf-8', 'surrogateescape').split('\0')[:-1]


def call_of(path: str, rows: Sequence[str], reference: Reference) -> Call | None:
    """The call that a reference of the index is: its line is where the receiver begins. None where it is not found."""
    if not 0 < reference.line <= len(rows):
        return None
    first = reference.line - 1
    text = '\n'.join(rows[first : first + MOST_LINES])
    last = reference.qualifier.rpartition('.')[2]
    name = rf'({re.escape(reference.name)})(?![\w$])'
    if not last:
        before = r'(?<![\w$.>:])'
    elif last == 'self':
        before = rf'(?<![\w$])\$?(?:self|cls|this|Self|static){_DOTS}'
    elif re.fullmatch(r'[\w$]+', last):
        before = rf'(?<![\w$])\$?{re.escape(last)}{_DOTS}'
    elif last.endswith('()'):
        before = rf'\){_DOTS}'
    else:
        before = rf'[)\]}}"\'`/>?\w]{_DOTS}'
    called = r'(?=\s*(?:\?\.)?[(<{`!])'
    anywhere = [_DOTS + name + called] if last else []  # a variable can stand as its type
    for pattern in (before + name + called, before + name, *anywhere, rf'(?<![\w$]){name}'):
        found = re.search(pattern, text)
        if found is not None:
            start = found.start(1)
            line = first + text.count('\n', 0, start)
            return Call(path, line + 1, start - (text.rfind('\n', 0, start) + 1), reference.name)
    return None
