"""What a request quotes and where that stands in the tree: lines of files, the hunks of a diff, an error message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.index.messages import share
from ctxkit.index.record import innermost

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.request import Request

QUOTING = 100  # of the best are looked at for the words of an error message, in the order of the message
LONGEST = 100_000  # characters of a chunk that are searched for it
QUOTED = 2.0  # a line of a trace counts 1: who says the message comes before who called
MEANT_MOST = 3  # files that a line of a stack trace may lie in


def gains(
    corpus: Corpus,
    request: Request,
    score: NDArray[np.float32],
    factor: NDArray[np.float32],
    penalty: NDArray[np.float32],
) -> NDArray[np.float32]:
    """What a chunk gains by what the request quotes: lines of files, a diff, an error message."""
    import numpy as np

    gain = np.zeros_like(score)
    gain[_at_lines(corpus, request)] = 1
    touched = _in_hunks(corpus, request)
    gain[touched] = 1 + factor[touched]  # all of them first, code before tests
    if request.message:
        for chunk in np.argpartition(-score, min(QUOTING, len(score) - 1))[:QUOTING]:
            if score[chunk] > 0:
                gain[chunk] += QUOTED * penalty[chunk] * share(request.message, _text(corpus, int(chunk)))
    lifted: NDArray[np.float32] = np.where(factor > 0, gain, 0) * score.max()
    return lifted


def _at_lines(corpus: Corpus, request: Request) -> list[int]:
    """The innermost chunks around the lines that the request names; a file that could be many is none."""
    found = []
    for name, line in request.places:
        for path in _files_meant(corpus.paths(), name):
            around = [
                (place.end_line - place.start_line, chunk)
                for chunk, place in corpus.in_file(path)
                if place.start_line <= line <= place.end_line
            ]
            found += [chunk for _, chunk in sorted(around)[:1]]
    return sorted(set(found))


def _in_hunks(corpus: Corpus, request: Request) -> list[int]:
    """The code that a diff in the request touches, where the tree holds the lines of one of its sides."""
    found = set()
    for side in (side for hunk in request.hunks for side in (hunk.new, hunk.old)):
        for path in _files_meant(corpus.paths(), side.path):
            shift = side.shift_in(corpus.source(path))
            if shift is not None:
                chunks = corpus.in_file(path)
                places = [place for _, place in chunks]
                for first, last in side.touched:
                    found |= {chunks[number][0] for number in innermost(places, first + shift, last + shift)}
                break
    return sorted(chunk for chunk in found if corpus.place(chunk).kind not in ('section', 'text'))


def _text(corpus: Corpus, chunk: int) -> str:
    place, source = corpus.place(chunk), corpus.source(corpus.path(chunk))
    return '\n'.join(source[start:end].decode('utf-8', 'replace') for start, end in place.ranges)[:LONGEST]


def _files_meant(paths: Collection[str], name: str) -> list[str]:
    """The files whose paths end most like `name`, which may be a path of another machine; itself if there is one."""
    if name in paths:
        return [name]
    parts = name.split('/')
    shared: dict[str, int] = {}
    for path in paths:
        if path.endswith(parts[-1]):
            same = 0
            for ours, theirs in zip(reversed(path.split('/')), reversed(parts), strict=False):
                if ours != theirs:
                    break
                same += 1
            shared[path] = same
    most = max(shared.values(), default=0)
    meant = [path for path, same in shared.items() if same == most]
    return meant if most and len(meant) <= MEANT_MOST else []
