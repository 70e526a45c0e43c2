"""The record of what was shown and how the answers were: counts and groups, never a text or a name."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxkit.feedback import share
from ctxkit.repo import Repo

if TYPE_CHECKING:
    from ctxkit.feedback.judge import Verdict

MAX_BYTES = 4_000_000
TAIL_BYTES = 64_000
NAME = 'feedback.jsonl'


def note(repo: Repo, kind: str, now: float, session: str, **values: Any) -> None:
    """Append one record: `kind` is 'shown', 'prompt' or 'answer', `now` epoch seconds. A disk that is full or
    read-only loses the record and nothing else."""
    line = json.dumps({'kind': kind, 'time': round(now, 3), 'session': session[:200], **values}) + '\n'
    file = repo.data_dir / NAME
    with contextlib.suppress(OSError):
        repo.data_dir.mkdir(exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, 'O_NOFOLLOW', 0)
        handle = os.open(file, flags, 0o600)
        try:
            os.write(handle, line.encode('ascii'))  # one write, so that hooks at the same time do not mix lines
            size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if size > MAX_BYTES:
            os.replace(file, file.with_suffix('.old.jsonl'))


def note_answer(repo: Repo, verdict: Verdict, now: float, session: str, agent: str, part: float) -> None:
    """Append how an answer was; `part` is the share of conversations that get the block."""
    figures = {'names': len(verdict.names), 'invented': len(verdict.invented), 'phrase': verdict.unable}
    note(repo, 'answer', now, session, agent=agent, group=share.group(session, part), **figures)


def tail(repo: Repo) -> list[dict[str, Any]]:
    """The last few hundred records, oldest first."""
    return list(_records(repo, NAME, TAIL_BYTES))


def everything(repo: Repo) -> Iterator[dict[str, Any]]:
    """All records that are kept, oldest first."""
    yield from _records(repo, 'feedback.old.jsonl', 0)
    yield from _records(repo, NAME, 0)


def _records(repo: Repo, name: str, last: int) -> Iterator[dict[str, Any]]:
    try:
        with (repo.data_dir / name).open('rb') as stream:
            if last and os.fstat(stream.fileno()).st_size > last:
                stream.seek(-last, os.SEEK_END)
                stream.readline()
            for line in stream:
                with contextlib.suppress(ValueError):
                    record = json.loads(line)
                    if isinstance(record, dict) and isinstance(record.get('time'), (int, float)):
                        yield record
    except OSError:
        return
