"""Which conversations belong to this repository, and which of them need work. A file is opened only when it changed."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ctxkit.counted import counted
from ctxkit.memory import jobs, store, transcripts
from ctxkit.memory.database import Connection
from ctxkit.memory.extract import VERSION
from ctxkit.memory.transcripts.record import Candidate, SessionInfo
from ctxkit.repo import Repo, worktrees
from ctxkit.safety.database import transaction
from ctxkit.settings import Settings

TURNS_AT_ONCE = 24
ELSEWHERE = 'being read by another process'
CALLS_FOLDER = 'memory-calls'
DAY = 86_400.0


class Place(NamedTuple):
    """What is known of one candidate: its conversation, the folder of that, and why it is not used ('' if it is)."""

    path: str
    key: str
    agent: str
    size: int
    mtime_ns: int
    conversation: str
    session: str
    cwd: str
    reason: str
    updated: float

    @property
    def candidate(self) -> Candidate:
        """The candidate for the transcript's reader."""
        return Candidate(self.agent, self.path, self.key, self.size, self.mtime_ns)


class Owner:
    """Decides whether a folder belongs to this repository: to a work tree, but not to a repository nested in one."""

    def __init__(self, repo: Repo, db: Connection) -> None:
        current = worktrees(repo)
        former = [Path(root) for root in store.remember_roots(db, [str(root) for root in current])]
        # Conversations of a removed work tree stay ours, unless another repository moved in there.
        self.roots = [_forms(root) for root in current] + [
            _forms(root) for root in former if root not in current and not (root / '.git').exists()
        ]
        self.calls = _forms(repo.data_dir / CALLS_FOLDER)
        self.known: dict[str, str] = {}

    def reason(self, cwd: str) -> str:
        """Why a conversation in folder `cwd` is not used: another folder, or ctxkit's own model call; '' if it is used.

        A folder is ours if it is a work tree of the repository or inside one; the innermost repository wins.
        """
        if '\0' in cwd:
            return 'another folder'  # no folder has such a name, and looking for it is an error
        if cwd not in self.known:
            own_call = any(form.startswith(call) for form in _forms(Path(cwd)) for call in self.calls)
            self.known[cwd] = "ctxkit's own model call" if own_call else '' if self._owns(cwd) else 'another folder'
        return self.known[cwd]

    def _owns(self, cwd: str) -> bool:
        if not cwd or (not Path(cwd).is_absolute() and ':' not in cwd):
            return False
        for form in _forms(Path(cwd)):
            inside = [root for roots in self.roots for root in roots if form == root or form.startswith(root + '/')]
            if inside and not _nested(Path(cwd), max(inside, key=len)):
                return True
        return False


def _forms(path: Path) -> tuple[str, ...]:
    """The path as written and as resolved, normalized for comparison; the folder may no longer exist."""
    forms = dict.fromkeys((str(path), os.path.realpath(path)))
    fold = sys.platform in ('darwin', 'win32')
    out = []
    for form in forms:
        form = unicodedata.normalize('NFC', form.replace('\\', '/')).rstrip('/')
        out.append(form.casefold() if fold else form)
    return tuple(dict.fromkeys(out))


def _nested(folder: Path, root: str) -> bool:
    """Whether a separate repository lies between `folder` and the work tree's root."""
    while not any(form == root for form in _forms(folder)) and folder != folder.parent:
        if os.path.exists(folder / '.git'):  # Path.exists raises for a name that is too long
            return True
        folder = folder.parent
    return False


def places(
    repo: Repo, db: Connection, home: Path, environ: Mapping[str, str], agents: Sequence[str] = transcripts.AGENTS
) -> Iterator[Place]:
    """All candidates with what is known of them; only new and changed ones are opened."""
    owner = Owner(repo, db)
    rows = db.execute(
        'SELECT path, key, agent, size, mtime_ns, conversation, session, cwd, reason, updated FROM places'
    )
    known = {(row[0], row[1]): Place(*row) for row in rows}
    fresh: list[Place] = []
    for found in transcripts.candidates(home, environ, worktrees(repo), agents):
        old = known.get((found.path, found.key))
        if old is None or (old.size, old.mtime_ns) != (found.size, found.mtime_ns):
            old = _look(found)
            fresh.append(old)
        # The owner of a folder can change with the work trees, so it is determined each time.
        foreign = owner.reason(old.cwd) if old.conversation else ''
        yield old._replace(reason=foreign or old.reason)
    if fresh:
        with transaction(db):
            db.executemany(f'INSERT OR REPLACE INTO places VALUES({",".join("?" * 10)})', fresh)


def _look(found: Candidate) -> Place:
    info = transcripts.describe(found)
    updated = found.mtime_ns / 1e9
    mark = found.path, found.key, found.agent, found.size, found.mtime_ns
    if info is None:
        return Place(*mark, '', '', '', 'no conversation in it', updated)
    conversation = f'{info.agent}:{info.session_id}'
    return Place(*mark, conversation, info.session_id, info.cwd, _reason(info), updated)


def _reason(info: SessionInfo) -> str:
    if info.kind != 'main':
        return {'subagent': 'a subagent', 'headless': 'run by a program, not by a person'}[info.kind]
    return 'its memory is turned off' if info.memory_off else ''


def due(db: Connection, place: Place, settings: Settings, now: float, clock: float) -> str:
    """'' if this conversation needs work, else why not. Ages are measured by `now`, leases by `clock`."""
    if place.reason:
        return place.reason
    if db.execute('SELECT 1 FROM forgotten WHERE conversation=?', (place.conversation,)).fetchone():
        return 'forgotten on request'
    if place.updated <= store.cleared(db):
        return 'from before memory was cleared'
    row = db.execute(
        'SELECT size, mtime_ns, extractor, offset FROM conversations WHERE conversation=?', (place.conversation,)
    ).fetchone()
    if row is not None and row == (place.size, place.mtime_ns, VERSION, 0):
        return 'read; nothing new since then'
    days = settings.memories.max_rollout_age_days
    if now - place.updated > days * DAY:
        return f'older than {counted(days, "day")}'
    job = db.execute(
        'SELECT status, lease_until, retry_at, retries, error FROM jobs WHERE kind=? AND key=? AND input>=?',
        (jobs.EXTRACT, place.conversation, place.mtime_ns),
    ).fetchone()
    if job is None:
        return ''
    status, lease_until, retry_at, retries, error = job
    if status == 'running':
        return ELSEWHERE if lease_until > clock else ''
    if not retries:
        return f'given up after {jobs.RETRIES} tries: {error}'
    return f'tried again later: {error}' if retry_at > clock else ''


def active(place: Place, settings: Settings, now: float) -> bool:
    """Whether the conversation may still be going on; then it is left alone unless it is long."""
    return now - place.updated < settings.memories.min_rollout_idle_hours * 3600
