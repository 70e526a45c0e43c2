"""Whether to step down: show paths in place of code while answers indicate that the code does not help."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ctxkit.counted import counted
from ctxkit.feedback import log
from ctxkit.records import count
from ctxkit.repo import Repo

WINDOW = 20  # answers considered
LIMIT = 0.05  # share of invented names above which the block steps down
MIN_NAMES = 20  # with fewer names, a share means nothing
PHRASE_ANSWERS = 3  # answers without the phrase after which its effect ends
MAX_AGE = 24 * 3600.0  # seconds after which an answer says nothing about the current tree


class State(NamedTuple):
    """Whether the block is stepped down, why (for the block and the person), and the figures behind it."""

    down: bool
    reason: str
    answers: int
    names: int
    invented: int

    @property
    def rate(self) -> float:
        """The share of the names in the window that are invented."""
        return self.invented / self.names if self.names else 0.0


def judge(records: Iterable[dict[str, Any]], now: float) -> State:
    """The state after `records`. Answers of the control group do not count, because they saw no block."""
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
            f'{state.rate:.0%} of the names in the last {counted(len(answers), "answer")} do not exist',
            len(answers),
            names,
            invented,
        )
    return state


def current(repo: Repo, now: float) -> State:
    """The state of a repository; `now` is epoch seconds. Never raises for what is on disk."""
    return judge(log.tail(repo), now)


def stepped_down(repo: Repo, now: float) -> bool:
    """Whether render shows paths in place of code."""
    return current(repo, now).down
