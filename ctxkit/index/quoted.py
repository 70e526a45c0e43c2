"""What a request quotes and where that stands in the tree: lines, qualified names, a diff, an error message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.index.constants import names_of, users
from ctxkit.index.frames import by_file_name, files_meant
from ctxkit.index.lexical import Table
from ctxkit.index.messages import Said, said
from ctxkit.index.path_classes import BY_NAME
from ctxkit.index.qualified import defined_as
from ctxkit.index.record import BODY, KIND_CODES, innermost
from ctxkit.index.terms import STOP, split, term_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.request import Request

FUNCTION_CODES = (KIND_CODES['function'], KIND_CODES['method'])
TESTS = BY_NAME['test'].factor  # what stands in a test counts so much, and is nobody's constant
QUOTING = 100  # of the best are looked at for the words of an error message, in the order of the message
TABLES = 40  # of the best that are no functions, too: messages stand in tables
LONGEST = 100_000  # characters of a chunk that are searched for it
QUOTED = 2.0  # a line of a trace counts 1: who says the message comes before who called
USES = 0.85  # who uses the constant of a message comes after it
USERS = 3  # functions that do
SAYS = 0.4  # of a message, and it is meant
FRAMES = 12  # of a long trace the first and the last that lie in the tree


def gains(
    corpus: Corpus,
    request: Request,
    score: NDArray[np.float32],
    factor: NDArray[np.float32],
    penalty: NDArray[np.float32],
) -> NDArray[np.float32]:
    """What a chunk gains by what the request quotes: lines of files, qualified names, a diff, an error message."""
    import numpy as np

    gain = np.zeros_like(score)
    top = score.max() or np.float32(1)  # none at all where the request has only words that say nothing
    for owner, name in request.qualified:
        gain[defined_as(corpus, owner, name)] = 1
    gain[list(lines_named(corpus, request))] = 1
    touched = _in_hunks(corpus, request)
    gain[touched] = 1 + factor[touched]  # all of them first, code before tests
    if request.message:
        saying = _saying(corpus, request, score, factor, penalty)
        for chunk, found in saying.items():
            gain[chunk] += QUOTED * penalty[chunk] * found.share
        for chunk, found in saying.items():
            if found.share >= SAYS and corpus.kind_code(chunk) not in FUNCTION_CODES and penalty[chunk] > TESTS:
                whole = gain[chunk] + score[chunk] / top
                for user in _users(corpus, chunk, found, score, penalty):
                    gain[user] = max(gain[user], USES * penalty[user] * whole - score[user] / top)
    lifted: NDArray[np.float32] = np.where(factor > 0, gain, 0) * top
    return lifted


def _saying(
    corpus: Corpus,
    request: Request,
    score: NDArray[np.float32],
    factor: NDArray[np.float32],
    penalty: NDArray[np.float32],
) -> dict[int, Said]:
    """How much of the message each of the best chunks holds; chunks that hold none of it are left out."""
    import numpy as np

    best = set(np.argpartition(-score, min(QUOTING, len(score) - 1))[:QUOTING].tolist())
    tables = np.flatnonzero((factor > 0) & ~np.isin(Table.of(corpus).kind, FUNCTION_CODES))
    held = _held(corpus, request.message)[tables] * penalty[tables]
    best |= set(tables[np.argsort(-held, kind='stable')[:TABLES]].tolist())
    out = {}
    for chunk in sorted(best):
        if factor[chunk] > 0:
            found = says(corpus, request, chunk)
            if found.share:
                out[chunk] = found
    return out


def _held(corpus: Corpus, words: tuple[str, ...]) -> NDArray[np.float64]:
    """How many of the words each chunk holds, rare ones counting more: a table is long, so BM25 thinks little of it."""
    import numpy as np

    table = Table.of(corpus)
    out = np.zeros(table.count)
    for term in sorted({term_id(term) for word in words if word not in STOP for term in split(word)}):
        holding = np.zeros(table.count, bool)
        base = 0
        for segment in corpus.parts:
            start, end = segment.lookup(term)
            fields = segment.as_array('post_field')[start:end]
            holding[segment.as_array('post_chunk')[start:end][fields == BODY].astype(np.int64) + base] = True
            base += segment.chunks
        holding &= table.alive
        out[holding] += np.log(1 + table.count / max(int(holding.sum()), 1))
    return out


def says(corpus: Corpus, request: Request, chunk: int) -> Said:
    """How much of the request's message a chunk says, and where in its text."""
    return said(request.message, corpus.text(chunk)[:LONGEST], corpus.place(chunk).kind == 'text')


def lines_that_say(corpus: Corpus, request: Request, chunk: int) -> tuple[int, int]:
    """The lines of a file in which a chunk that is no function says the request's message; (0, 0) where it does not."""
    if not request.message or corpus.kind_code(chunk) in FUNCTION_CODES:
        return 0, 0
    found = says(corpus, request, chunk)
    if found.share < SAYS:
        return 0, 0
    return _line_at(corpus, chunk, found.start), _line_at(corpus, chunk, found.end)


def _line_at(corpus: Corpus, chunk: int, at: int) -> int:
    """The line of its file on which a character of a chunk's text stands."""
    source = corpus.source(corpus.path(chunk))
    for start, end in corpus.place(chunk).ranges:
        part = source[start:end].decode('utf-8', 'replace')
        if at <= len(part):
            return source.count(b'\n', 0, start) + part.count('\n', 0, at) + 1
        at -= len(part) + 1
    return 0


def _users(
    corpus: Corpus, chunk: int, found: Said, score: NDArray[np.float32], penalty: NDArray[np.float32]
) -> list[int]:
    """The functions that use the constant in which a chunk says the message, the best few."""
    names = names_of(corpus.text(chunk), found.start, found.end)
    using = [one for one in users(corpus, names, chunk) if corpus.kind_code(one) in FUNCTION_CODES]
    return sorted(using, key=lambda one: (-penalty[one], -round(float(score[one]), 4)))[:USERS]


def lines_named(corpus: Corpus, request: Request) -> dict[int, tuple[int, int]]:
    """The innermost chunks around the lines that the request names, each with such a line as the first and the last.

    A file that could be many is none.
    """
    if not request.places:
        return {}
    named, project = by_file_name(corpus.paths()), corpus.repo.root.name
    meant = {name: files_meant(named, name, project) for name, _ in request.places}
    frames = [(path, line) for name, line in request.places for path in meant[name]]
    if len(frames) > FRAMES:
        frames = frames[: FRAMES // 2] + frames[-FRAMES // 2 :]
    found = {}
    for path, line in frames:
        around = [
            (place.end_line - place.start_line, chunk)
            for chunk, place in corpus.in_file(path)
            if place.start_line <= line <= place.end_line
        ]
        found.update({chunk: (line, line) for _, chunk in sorted(around)[:1]})
    return found


def _in_hunks(corpus: Corpus, request: Request) -> list[int]:
    """The code that a diff in the request touches, where the tree holds the lines of one of its sides."""
    found = set()
    named = by_file_name(corpus.paths()) if request.hunks else {}
    for side in (side for hunk in request.hunks for side in (hunk.new, hunk.old)):
        for path in files_meant(named, side.path, corpus.repo.root.name):
            shift = side.shift_in(corpus.source(path))
            if shift is not None:
                chunks = corpus.in_file(path)
                places = [place for _, place in chunks]
                for first, last in side.touched:
                    found |= {chunks[number][0] for number in innermost(places, first + shift, last + shift)}
                break
    return sorted(chunk for chunk in found if corpus.place(chunk).kind not in ('section', 'text'))
