"""The type checker of Go (go/types, by go.go beside this) on a repository, whose dependencies need not be there.

Needs Go, 1.18 or newer (`go` on the PATH). Files of other systems than this one are not looked at.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.links.calls import Answer, Call, Place

LANGUAGES = frozenset({'go'})


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where the type checker does not know, most of the time for want of a dependency."""
    program = ['go', 'run', str(Path(__file__).with_suffix('.go')), str(root.resolve())]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, encoding='utf-8') as checker:
        assert checker.stdin and checker.stdout
        for call in calls:
            print(call.path, call.line, call.column, sep='\t', file=checker.stdin, flush=True)
            kind, *where = checker.stdout.readline().rstrip('\n').split('\t')
            if kind not in ('function', 'type', 'other'):
                yield None
                continue
            place = frozenset({Place(where[0], int(where[1]))})
            yield Answer(frozenset(), place) if kind == 'other' else Answer(place)
        checker.stdin.close()
