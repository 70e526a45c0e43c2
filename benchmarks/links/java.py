"""javac on a repository of Java. Needs a JDK of 17 or later; the repository's dependencies need not be there.

All source files are read together, as one program: a call is judged where javac knows the method in spite of what is
missing.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.links.calls import Answer, Call, Place, files_of

LANGUAGES = frozenset({'java'})


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where javac does not know."""
    files = [path for path in files_of(root) if path.endswith('.java')]
    asked = {(call.path, call.line, call.column): number for number, call in enumerate(calls)}
    found: dict[int, Answer] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths, out = Path(folder, 'files'), Path(folder, 'answers')
        paths.write_text('\n'.join(files), 'utf-8')
        program = Path(__file__).with_name('Definitions.java')
        subprocess.run(['java', '-Xmx4g', str(program), root, paths, out], check=True)
        for row in out.open(encoding='utf-8'):
            path, line, column, inside, places = json.loads(row)
            number = asked.get((path, line, column))
            if number is not None:
                meant = frozenset(Place(*one) for one in places)
                found[number] = Answer(meant) if inside else Answer(frozenset(), meant)
    for number in range(len(calls)):
        yield found.get(number)
