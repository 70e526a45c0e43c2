"""Who does which piece of work: claims with a token and a lease, so that work is done once and a killed worker's work
is taken over.

A job is claimed by one conditional update. Its result counts only while the token still holds. `input` is the watermark
of the work that exists, `done` that of the work done; neither goes back.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

from ctxkit.memory.database import Connection
from ctxkit.safety.database import transaction

RETRIES = 3
DAY = 86_400.0  # seconds; the longest possible lease or delay
EXTRACT, CONSOLIDATE = 'extract', 'consolidate'


class Claim(NamedTuple):
    """A piece of work that this process holds until its lease ends."""

    kind: str
    key: str
    token: str
    input: int


def want(db: Connection, kind: str, key: str, watermark: int, force: bool = False) -> None:
    """Record that there is work up to `watermark`. New work restores a job's retries; `force` requests it anyway."""
    with transaction(db):
        db.execute(
            'INSERT OR IGNORE INTO jobs VALUES(?,?,?,?,?,?,?,?,?,?)',
            (kind, key, 'pending', '', 0.0, 0.0, RETRIES, '', 0, -1),
        )
        db.execute(
            'UPDATE jobs SET retries=?, retry_at=0 WHERE kind=? AND key=? AND input<?', (RETRIES, kind, key, watermark)
        )
        db.execute('UPDATE jobs SET input=max(input, ?) WHERE kind=? AND key=?', (watermark, kind, key))
        if force:
            db.execute(
                'UPDATE jobs SET input=max(input, done+1), retries=?, retry_at=0 WHERE kind=? AND key=?',
                (RETRIES, kind, key),
            )


def claim(db: Connection, kind: str, key: str, now: float, lease: float) -> Claim | None:
    """Take the job if there is new work, nobody holds it (or the lease ran out), and its retry time has come.

    Lease and retry time are never set more than a day ahead: a later one comes from a clock that was wrong, and is
    ignored.
    """
    token = secrets.token_hex(16)
    with transaction(db):
        taken = db.execute(
            "UPDATE jobs SET status='running', token=?, lease_until=? WHERE kind=? AND key=? AND input>done"
            ' AND retries>0'
            " AND (retry_at<=? OR retry_at>?) AND (status<>'running' OR lease_until<=? OR lease_until>?)",
            (token, now + lease, kind, key, *2 * (now, now + DAY)),
        ).rowcount
        if not taken:
            return None
        row = db.execute('SELECT input FROM jobs WHERE kind=? AND key=?', (kind, key)).fetchone()
    return Claim(kind, key, token, int(row[0]))


def done(db: Connection, kind: str, key: str) -> int:
    """The watermark up to which the job was done; -1 if it never was."""
    row = db.execute('SELECT done FROM jobs WHERE kind=? AND key=?', (kind, key)).fetchone()
    return int(row[0]) if row else -1


def renew(db: Connection, held: Claim, now: float, lease: float) -> bool:
    """Extend the lease; False if it was lost."""
    with transaction(db):
        return bool(
            db.execute(
                "UPDATE jobs SET lease_until=? WHERE kind=? AND key=? AND status='running' AND token=?",
                (now + lease, held.kind, held.key, held.token),
            ).rowcount
        )


def finish(db: Connection, held: Claim) -> bool:
    """Mark the job as done up to the claimed watermark; False (and nothing changed) if the lease was lost."""
    with transaction(db):
        return bool(
            db.execute(
                "UPDATE jobs SET status='done', token='', lease_until=0, error='', retries=?, done=max(done, ?)"
                " WHERE kind=? AND key=? AND status='running' AND token=?",
                (RETRIES, held.input, held.kind, held.key, held.token),
            ).rowcount
        )


def fail(db: Connection, held: Claim, reason: str, now: float, delay: float) -> None:
    """Give the job back with `reason`; it is tried again after `delay` seconds, three times in all."""
    with transaction(db):
        db.execute(
            "UPDATE jobs SET status='error', token='', lease_until=0, error=?, retries=max(retries-1, 0), retry_at=?"
            " WHERE kind=? AND key=? AND status='running' AND token=?",
            (reason[:500], now + delay, held.kind, held.key, held.token),
        )


def release(db: Connection, held: Claim) -> None:
    """Give the job back undone, because there is nothing to do on it yet."""
    with transaction(db):
        db.execute(
            "UPDATE jobs SET status='pending', token='', lease_until=0 WHERE kind=? AND key=? AND token=?",
            (held.kind, held.key, held.token),
        )
