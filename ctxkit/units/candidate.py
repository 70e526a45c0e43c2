"""A place that could be shown, and a reader that turns it into a unit: its code, some of its lines, or its path."""

from __future__ import annotations

from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.safety.secrets import redact, redact_part
from ctxkit.units.code import clean_code
from ctxkit.units.shown import Unit

CONTEXT_LINES = 3  # shown on each side of the lines that are meant
LONGEST_LINE = 400  # characters of such a line that are shown


class Candidate(NamedTuple):
    """A place that could be shown, by score; `why` says what brought it here."""

    chunk: int
    score: float
    why: str
    lines: tuple[int, int] = (0, 0)  # the lines that are meant, in a table or by a stack trace
    literal: int = 0  # the line of a large function that holds a literal of the request


class Reader:
    """Reads the text of candidates and cleans it."""

    def __init__(self, corpus: Corpus, known: frozenset[str]) -> None:
        """`known` are secret values; they never appear in a unit."""
        self._corpus = corpus
        self._known = known

    def unit(self, candidate: Candidate, level: str) -> Unit:
        """The candidate as a unit; `level` is 'code' for its code, or 'path' for its place alone."""
        path, place = self._corpus.path(candidate.chunk), self._corpus.place(candidate.chunk)
        text = clean_code(place, self._corpus.source(path), self._known) if level == 'code' else ''
        symbol = redact(place.symbol, self._known)  # the symbol of a section is its heading, which can hold a secret
        return Unit(path, place.start_line, place.end_line, symbol, place.kind, candidate.why, level, text)

    def line(self, path: str, number: int) -> str:
        """Line `number` (from 1) of a file without its indent; '' if the number is 0 or past the end."""
        lines = self._corpus.source(path).split(b'\n') if number else []
        return lines[number - 1].decode('utf-8', 'replace').strip() if number <= len(lines) and lines else ''

    def some_lines(self, candidate: Candidate) -> Unit:
        """An excerpt: the lines that `candidate.lines` names, and CONTEXT_LINES around them."""
        path, place = self._corpus.path(candidate.chunk), self._corpus.place(candidate.chunk)
        first = max(place.start_line, candidate.lines[0] - CONTEXT_LINES)
        last = min(place.end_line, candidate.lines[1] + CONTEXT_LINES)
        source = self._corpus.source(path)
        lines = source.split(b'\n')
        start = sum(len(line) + 1 for line in lines[: first - 1])
        text = redact_part(source, start, start + len(b'\n'.join(lines[first - 1 : last])), self._known)
        text = '\n'.join(line if len(line) <= LONGEST_LINE else f'{line[:LONGEST_LINE]}…' for line in text.split('\n'))
        symbol = redact(place.symbol, self._known)
        return Unit(path, first, last, symbol, place.kind, candidate.why, 'excerpt', text)
