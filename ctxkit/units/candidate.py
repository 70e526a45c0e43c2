"""A place that could be shown, and how its text is read for each way to show it."""

from __future__ import annotations

from typing import NamedTuple

from ctxkit.index.corpus import Corpus
from ctxkit.safety.secrets import redact, redact_part
from ctxkit.units.code import clean_code
from ctxkit.units.shown import Unit

BESIDE = 3  # lines shown on each side of what a table says
LONGEST_LINE = 400  # characters of one of them


class Candidate(NamedTuple):
    """A place that could be shown, by score; `why` says what brought it here."""

    chunk: int
    score: float
    why: str
    lines: tuple[int, int] = (0, 0)  # the ones that are meant: of a table of messages, or named by a trace


class Reader:
    """Reads the text of candidates and cleans it."""

    def __init__(self, corpus: Corpus, known: frozenset[str]) -> None:
        """`known` are secret values; they never appear."""
        self._corpus = corpus
        self._known = known

    def unit(self, candidate: Candidate, level: str) -> Unit:
        """A candidate as a unit: its 'code', or its 'path' alone."""
        path, place = self._corpus.path(candidate.chunk), self._corpus.place(candidate.chunk)
        text = clean_code(place, self._corpus.source(path), self._known) if level == 'code' else ''
        symbol = redact(place.symbol, self._known)  # a heading is a symbol too, and can hold anything
        return Unit(path, place.start_line, place.end_line, symbol, place.kind, candidate.why, level, text)

    def line(self, path: str, number: int) -> str:
        """A line of a file without its indent; '' for 0, which is none."""
        lines = self._corpus.source(path).split(b'\n') if number else []
        return lines[number - 1].decode('utf-8', 'replace').strip() if number <= len(lines) and lines else ''

    def some_lines(self, candidate: Candidate) -> Unit:
        """The lines of a candidate that are meant, and a few around them, as an excerpt."""
        path, place = self._corpus.path(candidate.chunk), self._corpus.place(candidate.chunk)
        first = max(place.start_line, candidate.lines[0] - BESIDE)
        last = min(place.end_line, candidate.lines[1] + BESIDE)
        source = self._corpus.source(path)
        lines = source.split(b'\n')
        start = sum(len(line) + 1 for line in lines[: first - 1])
        text = redact_part(source, start, start + len(b'\n'.join(lines[first - 1 : last])), self._known)
        text = '\n'.join(line if len(line) <= LONGEST_LINE else f'{line[:LONGEST_LINE]}…' for line in text.split('\n'))
        symbol = redact(place.symbol, self._known)
        return Unit(path, first, last, symbol, place.kind, candidate.why, 'excerpt', text)
