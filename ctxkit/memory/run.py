"""The whole of memory on one page: read what is due (phase 1), add it up and write it down (phase 2).

Each step is claimed, so that any number of processes may run this at once, and is done again after a crash.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ctxkit.config import Settings
from ctxkit.errors import CtxError
from ctxkit.memory import binding, documents, jobs, project, scan, skills, store
from ctxkit.memory.anchors import Tree
from ctxkit.memory.checks import command_exists
from ctxkit.memory.commands import Workflow
from ctxkit.memory.extract import VERSION
from ctxkit.memory.facts import Fact, Source, Statement, clean, fact_id
from ctxkit.memory.reading import Reading, readings
from ctxkit.memory.similar import Meaning
from ctxkit.repo import Repo, resolve

Progress = Callable[[str, int, int], None]


@dataclass
class Report:
    """What a run did: conversations read and left alone by reason, facts by status, files that were left alone."""

    read: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    consolidated: bool = False


def run(repo: Repo, settings: Settings, home: Path, environ: Mapping[str, str], now: float,
        everything: bool = False, progress: Progress | None = None, clock: Callable[[], float] = time.time) -> Report:
    """Both phases. `everything` reads all that is due and consolidates even without anything new (`rebuild`).

    Raises CtxError where transcripts may not be read; a conversation that cannot be read is reported, not raised.
    """
    if not settings.memories.enabled:
        raise CtxError('reading transcripts is switched off', 'set memories.enabled: true in your own settings')
    report = Report()
    with store.opened(repo) as db:
        extract_all(repo, db, settings, home, environ, now, report, everything, progress, clock)
        consolidate(repo, db, settings, now, report, everything, progress, clock)
    return report


def extract_all(repo: Repo, db: store.Connection, settings: Settings, home: Path, environ: Mapping[str, str], now: float,
                report: Report, everything: bool = False, progress: Progress | None = None,
                clock: Callable[[], float] = time.time) -> None:
    """Phase 1: claim and read each conversation that is due, newest first, within the limits of one run."""
    memories = settings.memories
    due: list[scan.Place] = []
    for place in scan.places(repo, db, home, environ):
        reason = scan.due(db, place, settings, now)
        if reason:
            report.skipped[reason] = report.skipped.get(reason, 0) + 1
        else:
            due.append(place)
    due.sort(key=lambda place: (-place.updated, place.conversation))
    if not everything:
        due = due[:memories.max_rollouts_per_startup]
    begun, done = clock(), 0
    claims: dict[str, jobs.Claim] = {}

    def wanted() -> list[scan.Place]:
        """Claim the next few conversations, so that other processes can take the rest meanwhile."""
        out: list[scan.Place] = []
        while due and len(out) < memories.batch and clock() - begun < memories.max_seconds_per_run:
            place = due.pop(0)
            jobs.want(db, jobs.EXTRACT, place.conversation, scan.watermark(place))
            held = jobs.claim(db, jobs.EXTRACT, place.conversation, clock(), memories.lease_seconds)
            if held is None:
                report.skipped['being read by another process'] = report.skipped.get('being read by another process', 0) + 1
                continue
            claims[place.conversation] = held
            out.append(place)
        return out

    tip = resolve(repo)
    total = len(due)
    with readings(memories.concurrency if total > memories.batch else 1) as read:
        while batch := wanted():
            results = []
            for place, reading in read([(place, _offset(db, place)) for place in batch]):
                done += 1
                if progress is not None:
                    progress('reading', done, total)
                results.append((place, reading))
            _keep(repo, db, settings, tip, results, claims, report, now, clock)


def _offset(db: store.Connection, place: scan.Place) -> int:
    """Where to read on: only in a file that is longer than what one run reads."""
    row = db.execute('SELECT offset, size, extractor FROM conversations WHERE conversation=?', (place.conversation,)).fetchone()
    return int(row[0]) if row and row[0] and row[2] == VERSION and row[1] <= place.size else 0


def _keep(repo: Repo, db: store.Connection, settings: Settings, tip: str, results: list[tuple[scan.Place, Reading]],
          claims: dict[str, jobs.Claim], report: Report, now: float, clock: Callable[[], float]) -> None:
    """Bind what was said to the code as it was, and store each conversation's part if its claim still holds."""
    memories = settings.memories
    said = {item.id: binding.Said(item.text, place.updated)
            for place, reading in results for item in reading.statements}
    anchors = binding.bind(repo, db, tip, said)
    for place, reading in results:
        held = claims.pop(place.conversation)
        if reading.error:
            jobs.fail(db, held, reading.error, clock(), memories.retry_seconds)
            report.failed[place.conversation] = reading.error
            continue
        if scan.active(place, settings, now) and reading.turns < _turns(db, place) + scan.TURNS_AT_ONCE:
            reason = f'active within {memories.min_rollout_idle_hours} hours and shorter than {scan.TURNS_AT_ONCE} turns'
            report.skipped[reason] = report.skipped.get(reason, 0) + 1
            jobs.release(db, held)
            continue
        bound = [replace(item, anchors=anchors.get(item.id, ())) for item in reading.statements]
        with store.transaction(db):
            if not jobs.finish(db, held):
                continue  # another process took it over; its result is the one that counts
            if reading.from_start:
                store.replace_conversation(db, place.conversation, bound)
            else:
                store.add(db, bound, place.conversation)
            db.execute(f'INSERT OR REPLACE INTO conversations VALUES({",".join("?" * 14)})', (
                place.conversation, place.agent, place.session, place.path, place.size, place.mtime_ns,
                reading.offset if reading.truncated else 0, reading.turns, place.updated, reading.synopsis,
                json.dumps(reading.workflow), reading.skipped_lines, json.dumps(reading.unknown), VERSION))
            store.changed(db)
        report.read += 1


def _turns(db: store.Connection, place: scan.Place) -> int:
    row = db.execute('SELECT turns FROM conversations WHERE conversation=?', (place.conversation,)).fetchone()
    return int(row[0]) if row else 0


def consolidate(repo: Repo, db: store.Connection, settings: Settings, now: float, report: Report, force: bool = False,
                progress: Progress | None = None, clock: Callable[[], float] = time.time) -> None:
    """Phase 2: facts from all statements, the person's edits first; then the documents, whole or not at all."""
    from ctxkit.tokens import count

    memories = settings.memories
    jobs.want(db, jobs.CONSOLIDATE, str(repo.root), store.generation(db), force)
    held = jobs.claim(db, jobs.CONSOLIDATE, str(repo.root), clock(), memories.lease_seconds)
    if held is None:
        return
    if progress is not None:
        progress('consolidating', 0, 1)
    try:
        commit = resolve(repo)
        meaning = Meaning(db, settings)
        take_in_edits(repo, db, now)
        found = procedures(repo, db, commit, now)
        held = held._replace(input=max(held.input, store.generation(db)))
        facts = project.write(repo, db, commit, now, similar=meaning.cosine)
        report.facts = facts
        if store.tracked(repo, '.ctx/memory'):
            raise CtxError('git tracks .ctx/memory', 'take it out of the index: it is made anew on each machine')
        documents.sweep(documents.folder(repo))
        report.unread = documents.write(repo, db, facts, found, memories.summary_injection_token_limit, now, count,
                                        lambda: jobs.renew(db, held, clock(), memories.lease_seconds))
        report.consolidated = jobs.finish(db, held)
        project.write_others(repo, db, now)
    except (CtxError, OSError) as error:
        jobs.fail(db, held, str(error), clock(), memories.retry_seconds)
        report.failed['consolidation'] = str(error)
    if progress is not None:
        progress('consolidating', 1, 1)


def take_in_edits(repo: Repo, db: store.Connection, now: float) -> None:
    """What a person changed in MEMORY.md since it was written becomes their word."""
    from ctxkit.memory.merge import merge

    facts = merge(store.statements(db), store.rulings(db))
    said, deleted = documents.edits(db, documents.folder(repo), now, facts)
    active = {fact.id for fact in facts if fact.status == 'active'}
    with store.transaction(db):
        store.add(db, said)
        for fact in deleted:
            if fact in active:
                store.rule(db, fact, 'retracted', now)


def procedures(repo: Repo, db: store.Connection, commit: str, now: float) -> list[skills.Skill]:
    """The recurring procedures that may be written: accepted by the person, or made of this repository's commands.

    The others are put in the inbox.
    """
    flows = [Workflow(tuple(value[0]), value[1]) for (raw,) in db.execute(
        'SELECT workflows FROM conversations ORDER BY updated, conversation') if (value := json.loads(raw))[0]]
    found = skills.recurring(flows)
    if not found:
        return []
    rulings = store.rulings(db)
    tree = Tree(repo, commit, db) if commit else None
    out = []
    for skill in found:
        ruling = rulings.get(fact_id('convention', clean(skill.text)), ('', 0.0))[0]
        checked = tree is not None and all(command_exists(tree, step) for step in skill.steps)
        if ruling == 'accepted' or (checked and ruling not in ('rejected', 'retracted')):
            out.append(skill)
        elif not ruling:
            store.add(db, [Statement('convention', clean(skill.text), 'tool', Source('ctxkit', '', skill.name), now)])
    return out
