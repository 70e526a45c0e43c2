"""Why each conversation was or was not used, and what is wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

from ctxkit.counted import counted
from ctxkit.memory import scan, store
from ctxkit.memory.database import Connection
from ctxkit.memory.event import error_file
from ctxkit.memory.transcripts import aider
from ctxkit.repo import Repo, worktrees
from ctxkit.safety.secrets import redact
from ctxkit.settings import Settings


def lines(
    repo: Repo, settings: Settings, home: Path, environ: Mapping[str, str], now: float, every: bool = False
) -> list[str]:
    """The findings, one a line: settings, failures, then each conversation with its reason. Only reads transcripts."""
    out = []
    failure = error_file(repo)
    if failure.is_file():
        out.append(f'the last event failed: {failure.read_text("utf-8", "replace").strip()}')
    if store.tracked(repo, '.ctx/memory.json') or store.tracked(repo, '.ctx/memory'):
        out.append('git tracks memory files below .ctx: they are not read; run git rm --cached on them')
    out += [
        f"git tracks {root / aider.NAME}: it may be somebody else's, so it is not read"
        for root in worktrees(repo)
        if aider.is_tracked(root)
    ]
    if not settings.memories.enabled:
        out.append('memories.enabled is false: no transcript is read or listed')
        return out
    if not store.path(repo).exists():
        out.append('nothing was read yet; run ctxkit memory rebuild')
    with store.opened(repo) as db:
        others: dict[str, int] = {}
        for place in scan.places(repo, db, home, environ):
            reason = scan.due(db, place, settings, now, time.time())
            if reason in ('another folder', 'no conversation in it') and not every:
                others[reason] = others.get(reason, 0) + 1
                continue
            if not reason and scan.active(place, settings, now):
                reason = (
                    f'active within {counted(settings.memories.min_rollout_idle_hours, "hour")}: '
                    f'read from {scan.TURNS_AT_ONCE} turns on'
                )
            out.append(
                f'{place.conversation or place.path}: {reason or "due: read at the next start"}'
                f'{_notes(db, place.conversation)}'
            )
        out += [f'{counted(number, "place")}: {reason}' for reason, number in sorted(others.items())]
        for kind, key, error in db.execute("SELECT kind, key, error FROM jobs WHERE error<>'' ORDER BY kind, key"):
            out.append(f'{kind} {key} failed last time: {error}')
    return [redact(line) for line in out]


def _notes(db: Connection, conversation: str) -> str:
    row = db.execute(
        'SELECT turns, skipped, unknown FROM conversations WHERE conversation=?', (conversation,)
    ).fetchone()
    if row is None:
        return ''
    facts = db.execute('SELECT count(*) FROM statements WHERE conversation=?', (conversation,)).fetchone()[0]
    unknown = json.loads(row[2])
    notes = [counted(row[0], 'turn'), counted(facts, 'statement')]
    if row[1]:
        notes.append(f'{counted(row[1], "line")} could not be read')
    if unknown:
        notes.append('unknown records: ' + ', '.join(f'{name} ({number})' for name, number in sorted(unknown.items())))
    return f' ({"; ".join(notes)})'
