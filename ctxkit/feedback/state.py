"""Whether to step down: give paths in place of code while the answers show that the code does not help."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ctxkit.feedback import log
from ctxkit.records import count
from ctxkit.repo import Repo

WINDOW = 20  # answers that are looked at
LIMIT = 0.05  # share of invented names above which the block steps down
MIN_NAMES = 20  # fewer names say nothing about a share
PHRASE_ANSWERS = 3  # answers without the phrase that end its effect
MAX_AGE = 24 * 3600.0  # seconds after which an answer says nothing about the tree of now


class State(NamedTuple):
    """Whether the block is stepped down, why (for the block and the person), and the figures behind it."""

    down: bool
    reason: str
    answers: int
    names: int
    invented: int

    @property
    def rate(self) -> float:
        """Share of the names in the window that are invented."""
        return self.invented / self.names if self.names else 0.0


def judge(records: Iterable[dict[str, Any]], now: float) -> State:
    """The state after these records. Answers of the control group do not count: they saw no block."""
    answers = [
        record
        for record in records
        if record.get('kind') == 'answer' and record.get('group') != 'control' and now - record['time'] <= MAX_AGE
    ][-WINDOW:]
    names = sum(count(record, 'names') for record in answers)
    invented = sum(count(record, 'invented') for record in answers)
    state = State(False, '', len(answers), names, invented)
    if any(record.get('phrase') for record in answers[-PHRASE_ANSWERS:]):
        return State(True, 'an answer said that it cannot see the latest code', len(answers), names, invented)
    if names >= MIN_NAMES and state.rate > LIMIT:
        return State(
            True,
            f'{state.rate:.0%} of the names in the last {len(answers)} answers do not exist',
            len(answers),
            names,
            invented,
        )
    return state


def current(repo: Repo, now: float) -> State:
    """The state of a repository; `now` is epoch seconds. Never raises for what is on disk."""
    return judge(log.tail(repo), now)


def stepped_down(repo: Repo, now: float) -> bool:
    """Whether render gives the list of paths in place of code."""
    return current(repo, now).down
