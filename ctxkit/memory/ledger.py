"""The ledger of model calls: what each cost, and the daily caps, for all repositories of this person together.

A call is booked before it is made, in one transaction, so any number of parallel processes stay below the caps.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from ctxkit.config import user_config_file
from ctxkit.safety.database import private_file, sqlite_errors, transaction
from ctxkit.safety.paths import real_folder
from ctxkit.safety.secrets import redact
from ctxkit.settings import MemorySettings, Settings

# Later dates come from a clock that was ahead; they would fill the day's caps until then.
WITHIN_A_DAY = 'at BETWEEN ?1 - 86400 AND ?1 + 86400'
# Whatever the settings say, a day never costs more than this.
HARD_CALLS, HARD_TOKENS, HARD_SECONDS = 2_000, 20_000_000, 86_400
SCHEMA = """CREATE TABLE IF NOT EXISTS calls(id INTEGER PRIMARY KEY, at REAL NOT NULL, run TEXT NOT NULL,
    repository TEXT NOT NULL, phase TEXT NOT NULL, role TEXT NOT NULL, model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, seconds REAL NOT NULL, outcome TEXT NOT NULL)"""


def path(environ: Mapping[str, str]) -> Path:
    """The path of the ledger: beside the person's settings."""
    return user_config_file(environ).parent / 'memory-ledger.db'


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    real_folder(file.parent)
    with sqlite_errors(file), closing(sqlite3.connect(private_file(file), isolation_level=None, timeout=30)) as db:
        db.execute('PRAGMA busy_timeout=30000')
        db.execute(SCHEMA)
        yield db


def book(
    file: Path,
    memories: MemorySettings,
    now: float,
    run: str,
    repository: str,
    phase: str,
    role: str,
    model: str,
    tokens: int,
) -> tuple[int, str]:
    """Book a call of `tokens` input tokens and return (its number, ''), or (0, the cap that forbids it). Raises
    CtxError if the ledger cannot be opened."""
    with _opened(file) as db:
        with transaction(db):
            refusal = _refusal(db, memories, now, run, tokens)
            if refusal:
                return 0, refusal
            seconds = memories.max_model_seconds_per_call
            row = (
                now,
                run,
                repository.encode('utf-8', 'backslashreplace').decode(),
                phase,
                role,
                redact(model),
                tokens,
                seconds,
                'under way',
            )
            number = db.execute(
                'INSERT INTO calls(at, run, repository, phase, role, model, input_tokens, output_tokens, seconds,'
                ' outcome) VALUES(?,?,?,?,?,?,?,0,?,?)',
                row,
            ).lastrowid
    return number or 0, ''


def _refusal(db: sqlite3.Connection, memories: MemorySettings, now: float, run: str, tokens: int) -> str:
    day = _sum(db, WITHIN_A_DAY, now)
    this = _sum(db, 'run=?', run)
    caps = (
        ('calls per run', this[0] + 1, memories.max_calls_per_run),
        ('calls per day', day[0] + 1, min(memories.max_calls_per_day, HARD_CALLS)),
        ('input tokens per call', tokens, memories.max_input_tokens_per_call),
        ('input tokens per run', this[1] + tokens, memories.max_input_tokens_per_run),
        ('input tokens per day', day[1] + tokens, min(memories.max_input_tokens_per_day, HARD_TOKENS)),
        ('seconds per run', this[2] + memories.max_model_seconds_per_call, memories.max_model_seconds_per_run),
        (
            'seconds per day',
            day[2] + memories.max_model_seconds_per_call,
            min(memories.max_model_seconds_per_day, HARD_SECONDS),
        ),
    )
    return next((f'{name}: {wanted:g} is above the cap of {cap}' for name, wanted, cap in caps if wanted > cap), '')


def _sum(db: sqlite3.Connection, where: str, value: float | str) -> tuple[int, int, float]:
    sums = 'count(*), coalesce(sum(input_tokens), 0), coalesce(sum(seconds), 0)'
    row = db.execute(f'SELECT {sums} FROM calls WHERE {where}', (value,)).fetchone()
    return int(row[0]), int(row[1]), float(row[2])


def settle(file: Path, number: int, output_tokens: int, seconds: float, outcome: str) -> None:
    """Record how a booked call ended."""
    with _opened(file) as db:
        db.execute(
            'UPDATE calls SET output_tokens=?, seconds=?, outcome=? WHERE id=?',
            (output_tokens, seconds, redact(outcome)[:200], number),
        )


def lines(file: Path, settings: Settings, now: float, last: int = 50) -> list[str]:
    """The last calls, oldest first, and what is left of the day's caps."""
    from ctxkit.memory.export import day

    memories = settings.memories
    if not file.is_file():
        return ['no model was ever called']
    with _opened(file) as db:
        rows = db.execute(
            'SELECT at, phase, role, model, input_tokens, output_tokens, seconds, outcome, repository'
            ' FROM calls ORDER BY id DESC LIMIT ?',
            (last,),
        ).fetchall()
        calls, tokens, seconds = _sum(db, WITHIN_A_DAY, now)
    out = [
        f'{day(at)} {phase} {role} {model}: {given} tokens in, {got} out, {took:.1f} s, {outcome} ({repository})'
        for at, phase, role, model, given, got, took, outcome, repository in reversed(rows)
    ]
    return [
        *out,
        f'within a day: {calls} of {memories.max_calls_per_day} calls, {tokens} of '
        f'{memories.max_input_tokens_per_day} input tokens, '
        f'{seconds:.0f} of {memories.max_model_seconds_per_day} s',
    ]
