"""The language service of TypeScript on a repository of TypeScript or JavaScript.

Needs node and the package: `npm install --prefix FOLDER typescript`, with NODE_PATH=FOLDER/node_modules. What the
repository itself depends on need not be installed: only calls that lead into it are judged.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.links.calls import Answer, Call, Place, files_of

LANGUAGES = frozenset({'javascript', 'typescript', 'tsx'})
ENDINGS = ('.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx', '.json')


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where there is no symbol."""
    files = [path for path in files_of(root) if path.endswith(ENDINGS)]
    with tempfile.TemporaryFile('w+', encoding='utf-8') as asked:
        json.dump({'root': str(root.resolve()), 'files': files, 'calls': calls}, asked)
        asked.seek(0)
        script = Path(__file__).with_suffix('.cjs')
        command = ['node', '--max-old-space-size=4096', str(script)]
        with subprocess.Popen(command, stdin=asked, stdout=subprocess.PIPE, text=True, encoding='utf-8') as node:
            assert node.stdout is not None
            try:
                for row in node.stdout:
                    yield read(row)
            finally:
                node.kill()


def read(row: str) -> Answer | None:
    """A line of `typescript.cjs`: [[path, line]...] of what is inside, and of what is not."""
    inside, elsewhere = json.loads(row)
    if not inside and not elsewhere:
        return None
    return Answer(frozenset(Place(*one) for one in inside), frozenset(Place(*one) for one in elsewhere))
