"""intelephense on a repository of PHP: it reads all of it, follows namespaces and types, and those in comments.

Needs node.js and intelephense on the path (npm install intelephense). What the repository depends on need not be there:
a call through a class of it is not known. PHP's own functions and classes are.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.links.calls import Answer, Call, Place
from benchmarks.links.server import Server

LANGUAGES = frozenset({'php'})
_DEFINES = re.compile(r'\b(?:function\s+&?|(?:class|interface|trait|enum)\s+)\s*$', re.I)


def definitions(root: Path, calls: Sequence[Call]) -> Iterator[Answer | None]:
    """What each call means; None where intelephense does not know."""
    root = root.resolve()
    opened = dict[str, list[str]]()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(
            ['intelephense', '--stdio'],
            root,
            'indexingEnded',
            capabilities={'textDocument': {'definition': {'linkSupport': True}}},
            initializationOptions={'storagePath': folder, 'globalStoragePath': folder, 'clearCache': True},
        )
        with server:
            for call in calls:
                path = root / call.path
                if call.path not in opened:
                    text = path.read_text('utf-8', 'replace')
                    opened[call.path] = text.split('\n')
                    document = {'uri': path.as_uri(), 'languageId': 'php', 'version': 1, 'text': text}
                    server.send(method='textDocument/didOpen', params={'textDocument': document})
                before = opened[call.path][call.line - 1][: call.column]
                found = server.defined(path, call.line - 1, len(before.encode('utf-16-le')) // 2)
                inside, elsewhere = set[Place](), set[Place]()
                for one in found:
                    is_code = one.path.is_relative_to(root) and _DEFINES.search(one.before())
                    (inside if is_code else elsewhere).add(server.place(one))
                yield Answer(frozenset(inside), frozenset(elsewhere)) if found else None
