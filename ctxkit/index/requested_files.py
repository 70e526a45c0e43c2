"""Find files that are not code but that a request asks for: by name, as documents, as what a build server runs.

In a block, a window of text counts a tenth of a function, for most requests are about code. One about the release
workflow, `.env.example` or a page of the documentation is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.index.path_classes import BY_NAME, bits_of
from ctxkit.index.segment import STEM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.lexical import Table
    from ctxkit.index.request import Request

DOCUMENTS = bits_of('doc', 'prose')
ASK_FOR_DOCUMENTS = BY_NAME['doc'].lifted_by | BY_NAME['prose'].lifted_by
ASK_FOR_BUILDS = frozenset('actions ci dependabot github gitlab jenkins pipeline pipelines workflow workflows'.split())
NAMED_FILE = 2.0  # factor of a file that the request names
NAMED_MOST = 10  # files; a name that more have means none of them
_BUILDS = ('.github/', '.gitlab', '.circleci/', '.buildkite/', '.travis', 'azure-pipelines', '.woodpecker')


def requested_files(
    table: Table,
    request: Request,
    named: NDArray[np.bool_],
    stems: NDArray[np.float32],
    path_class: NDArray[np.uint8],
) -> NDArray[np.bool_]:
    """For each file, whether the request asks for it: by its name, by all words of its stem, or by its kind.

    `named` are the files it names, `stems` the `stem_share` of each file, `path_class` the files' classes as bits.
    """
    import numpy as np

    files: NDArray[np.bool_] = named | (stems >= 1)
    if request.plain & ASK_FOR_DOCUMENTS:
        files |= path_class & DOCUMENTS > 0
    if request.plain & ASK_FOR_BUILDS:
        files |= np.array([path.startswith(_BUILDS) for path in table.paths], bool)
    return files


def named_files(table: Table, request: Request) -> NDArray[np.float32]:
    """A factor for each file: NAMED_FILE if the request names it, else 1; names of more than NAMED_MOST are ignored."""
    import numpy as np

    factor = np.ones(len(table.paths), np.float32)
    for name in request.files:
        named = [number for number, path in enumerate(table.paths) if path == name or path.endswith('/' + name)]
        if len({table.paths[number] for number in named}) <= NAMED_MOST:
            factor[named] = NAMED_FILE
    return factor


def stem_share(corpus: Corpus, request: Request) -> NDArray[np.float32]:
    """For each file, the share of the words of its stem that the request contains."""
    import numpy as np

    shares = []
    for segment in corpus.parts:
        hits = np.zeros(len(segment.files), np.float32)
        for term in request.words:
            start, end = segment.path_lookup(term)
            file = segment.as_array('path_file')[start:end]
            hits[file[segment.as_array('path_field')[start:end] == STEM]] += 1
        shares.append(hits / np.maximum(segment.as_array('stem_size'), 1))
    return np.concatenate(shares).astype(np.float32)
