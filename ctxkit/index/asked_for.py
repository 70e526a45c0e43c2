"""Which files a request asks for, though they are no code: by their name, as documents, as what a build server runs.

In a block a window of text counts a tenth of a function, for most requests are about code. One about the release
workflow, `.env.example` or a page of the documentation is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.index.path_classes import CLASSES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.lexical import Table
    from ctxkit.index.request import Request

DOCUMENTS = sum(1 << number for number, one in enumerate(CLASSES) if one.name in ('doc', 'prose'))
ASK_FOR_DOCUMENTS = frozenset().union(*(one.lifted_by for one in CLASSES if one.name in ('doc', 'prose')))
ASK_FOR_BUILDS = frozenset('actions ci dependabot github gitlab jenkins pipeline pipelines workflow workflows'.split())
_BUILDS = ('.github/', '.gitlab', '.circleci/', '.buildkite/', '.travis', 'azure-pipelines', '.woodpecker')


def asked_for(
    table: Table,
    request: Request,
    named: NDArray[np.bool_],
    stem_share: NDArray[np.float32],
    path_class: NDArray[np.uint8],
) -> NDArray[np.bool_]:
    """The files that are asked for: those `named`, those of which the request says all words of the stem, and the rest.

    `stem_share` is how much of each file's stem the request says, `path_class` the classes of the files, as bits.
    """
    import numpy as np

    files: NDArray[np.bool_] = named | (stem_share >= 1)
    if request.plain & ASK_FOR_DOCUMENTS:
        files |= path_class & DOCUMENTS > 0
    if request.plain & ASK_FOR_BUILDS:
        files |= np.array([path.startswith(_BUILDS) for path in table.paths], bool)
    return files
