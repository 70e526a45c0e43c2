"""The record of what was shown and how the answers were: counts and groups, never a text or a name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxkit import records
from ctxkit.feedback import control_group
from ctxkit.repo import Repo

if TYPE_CHECKING:
    from ctxkit.feedback.judge import Verdict

MAX_BYTES = 4_000_000
TAIL_BYTES = 64_000
LONG_TAIL_BYTES = 512_000  # some 800 turns; TAIL_BYTES hold 100, which three agents make in a morning
MOST_ID = 200  # characters of a session's id
NAME = 'feedback.jsonl'


def note(repo: Repo, kind: str, now: float, session: str, **values: Any) -> None:
    """Append one record: `kind` is 'shown', 'prompt', 'code' or 'answer', `now` epoch seconds. A full or read-only disk
    loses the record and nothing else."""
    with contextlib.suppress(OSError):
        repo.data_dir.mkdir(exist_ok=True)
    record = {'kind': kind, 'time': round(now, 3), 'session': session[:MOST_ID], **values}
    records.append(repo.data_dir / NAME, record, MAX_BYTES)


def note_answer(repo: Repo, verdict: Verdict, now: float, session: str, agent: str, part: float) -> None:
    """Append the figures of an answer; `part` is the share of conversations that get the block."""
    figures = {'names': len(verdict.names), 'invented': len(verdict.invented), 'phrase': verdict.unable}
    note(repo, 'answer', now, session, agent=agent, group=control_group.group(session, part), **figures)


def tail(repo: Repo) -> list[dict[str, Any]]:
    """The last few hundred records, oldest first."""
    return list(records.read(repo.data_dir / NAME, TAIL_BYTES))


def of_conversation(repo: Repo, session: str) -> list[dict[str, Any]]:
    """The records of one conversation among the last few thousand, oldest first; none without an id."""
    named = session[:MOST_ID]
    return (
        [one for one in records.read(repo.data_dir / NAME, LONG_TAIL_BYTES) if one.get('session') == named]
        if named
        else []
    )


def everything(repo: Repo) -> Iterator[dict[str, Any]]:
    """All records that are kept, oldest first."""
    return records.everything(repo.data_dir / NAME)
