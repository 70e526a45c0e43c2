"""Find in the tree what a request quotes: lines of files, qualified names, literals, a diff, an error message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.index.constants import names_of, users
from ctxkit.index.frames import by_file_name, files_meant
from ctxkit.index.lexical import Table
from ctxkit.index.literal_chunks import chunks_holding, holding
from ctxkit.index.messages import Said, how_much_said
from ctxkit.index.path_classes import BY_NAME
from ctxkit.index.qualified import defined_as
from ctxkit.index.record import FUNCTION_CODES, innermost
from ctxkit.index.terms import STOP, split, term_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxkit.index.corpus import Corpus
    from ctxkit.index.request import Request

TESTS = BY_NAME['test'].factor  # penalty of tests; a message in a chunk with such a penalty is not used as a constant
QUOTING = 100  # best chunks that are searched for the words of an error message
TABLES = 40  # best chunks other than functions that are searched, too: messages stand in tables
LONGEST = 100_000  # characters of a chunk that are searched for the message
QUOTED = 2.0  # gain of a chunk that says all of the message; a line of a trace gains 1, for it only leads there
USES = 0.85  # share of a message's score that a user of its constant gets, so that it comes after it
USERS = 3  # functions that use the constant and are lifted
IN_SHORT = 1.2  # gain of a chunk with a literal in a request of up to SHORT terms, which is about that literal
SHORT = 16
IN_LONG = 0.5  # gain of a chunk that holds one where the request says much else
SAYS = 0.4  # share of a message from which on a chunk counts as saying it
FRAMES = 12  # frames of a trace in the tree that are used: the first and the last ones


def gains(
    corpus: Corpus,
    request: Request,
    score: NDArray[np.float32],
    factor: NDArray[np.float32],
    penalty: NDArray[np.float32],
) -> NDArray[np.float32]:
    """What each chunk's score gains from quotes in the request: lines of files, qualified names, a diff, a message.

    `score` are the scores so far, `factor` is 0 for chunks that cannot be found, `penalty` that of the chunk's path.
    """
    import numpy as np

    gain = np.zeros_like(score)
    top = score.max() or np.float32(1)  # 0 if the request has only words that say nothing
    for owner, name in request.qualified:
        gain[defined_as(corpus, owner, name)] = 1
    gain[list(lines_named(corpus, request))] = 1
    share = (IN_SHORT if len(request.terms) <= SHORT else IN_LONG) / max(len(request.literals), 1) ** 0.5
    for literal in request.literals:
        for chunk, part in chunks_holding(corpus, literal, score, penalty).items():
            gain[chunk] = max(gain[chunk], share * part * penalty[chunk])
    touched = _in_hunks(corpus, request)
    gain[touched] = 1 + factor[touched]  # before all others; among these, code before tests
    if request.message:
        saying = _chunks_saying(corpus, request, score, factor, penalty)
        for chunk, found in saying.items():
            gain[chunk] += QUOTED * penalty[chunk] * found.share
        for chunk, found in saying.items():
            if found.share >= SAYS and corpus.kind_code(chunk) not in FUNCTION_CODES and penalty[chunk] > TESTS:
                whole = gain[chunk] + score[chunk] / top
                for user in _users(corpus, chunk, found, score, penalty):
                    gain[user] = max(gain[user], USES * penalty[user] * whole - score[user] / top)
    lifted: NDArray[np.float32] = np.where(factor > 0, gain, 0) * top
    return lifted


def _chunks_saying(
    corpus: Corpus,
    request: Request,
    score: NDArray[np.float32],
    factor: NDArray[np.float32],
    penalty: NDArray[np.float32],
) -> dict[int, Said]:
    """Chunk -> how much of the message it says, for those of the best chunks that say any of it."""
    import numpy as np

    best = set(np.argpartition(-score, min(QUOTING, len(score) - 1))[:QUOTING].tolist())
    tables = np.flatnonzero((factor > 0) & ~np.isin(Table.of(corpus).kind, FUNCTION_CODES))
    held = _word_weights(corpus, request.message)[tables] * penalty[tables]
    best |= set(tables[np.argsort(-held, kind='stable')[:TABLES]].tolist())
    out = {}
    for chunk in sorted(best):
        if factor[chunk] > 0:
            found = message_said(corpus, request, chunk)
            if found.share:
                out[chunk] = found
    return out


def _word_weights(corpus: Corpus, words: tuple[str, ...]) -> NDArray[np.float64]:
    """How many of the words each chunk holds, weighted by rarity: BM25 would rank a table low for its length."""
    import numpy as np

    table = Table.of(corpus)
    out = np.zeros(table.count)
    for term in sorted({term_id(term) for word in words if word not in STOP for term in split(word)}):
        here = holding(corpus, term)
        out[here] += np.log(1 + table.count / max(int(here.sum()), 1))
    return out


def message_said(corpus: Corpus, request: Request, chunk: int) -> Said:
    """How much of the request's message a chunk says, and where in the chunk's text."""
    return how_much_said(request.message, corpus.text(chunk)[:LONGEST], corpus.place(chunk).kind == 'text')


def lines_that_say(corpus: Corpus, request: Request, chunk: int) -> tuple[int, int]:
    """(first, last) line in the file where a chunk that is not a function says the request's message, else (0, 0)."""
    if not request.message or corpus.kind_code(chunk) in FUNCTION_CODES:
        return 0, 0
    found = message_said(corpus, request, chunk)
    if found.share < SAYS:
        return 0, 0
    return _line_at(corpus, chunk, found.start), _line_at(corpus, chunk, found.end)


def _line_at(corpus: Corpus, chunk: int, at: int) -> int:
    """The line in the file of the character at index `at` of a chunk's text; 0 if the text is shorter."""
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
    """The best USERS functions that use the constant of the message in `chunk`; `found` is where the message is."""
    names = names_of(corpus.text(chunk), found.start, found.end)
    using = [one for one in users(corpus, names, chunk) if corpus.kind_code(one) in FUNCTION_CODES]
    return sorted(using, key=lambda one: (-penalty[one], -round(float(score[one]), 4)))[:USERS]


def lines_named(corpus: Corpus, request: Request) -> dict[int, tuple[int, int]]:
    """The innermost chunk around each line that the request names -> (line, line).

    Names that can mean too many files are left out, and of a long trace all but the first and last frames.
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
        enclosing = [
            (place.end_line - place.start_line, chunk)
            for chunk, place in corpus.in_file(path)
            if place.start_line <= line <= place.end_line
        ]
        found.update({chunk: (line, line) for _, chunk in sorted(enclosing)[:1]})
    return found


def _in_hunks(corpus: Corpus, request: Request) -> list[int]:
    """The chunks of code that a diff in the request touches, as far as the tree holds the lines of either side."""
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
