"""Phase 1: claim and read each conversation that is due, bind what was said to the code, and store it."""

from __future__ import annotations

import json
from dataclasses import replace

from ctxkit.counted import counted
from ctxkit.memory import binding, jobs, model, project, scan, store, tasks, transcripts
from ctxkit.memory.database import Connection
from ctxkit.memory.extract import VERSION
from ctxkit.memory.facts import Statement
from ctxkit.memory.reading import Reading, readings
from ctxkit.memory.work import Work
from ctxkit.repo import resolve
from ctxkit.safety.database import transaction

Claims = dict[str, jobs.Claim]
Results = list[tuple[scan.Place, Reading]]


def extract_all(work: Work) -> None:
    """Read the conversations that are due, newest first, a batch at a time, within the limits of one run."""
    memories, begun = work.settings.memories, work.clock()
    due: list[scan.Place] = []
    for place in scan.places(work.repo, work.db, work.home, work.environ):
        reason = scan.due(work.db, place, work.settings, work.now, work.clock())
        if reason:
            work.report.skip(reason)
        else:
            due.append(place)
    due.sort(key=lambda place: (-place.updated, place.conversation))
    if not work.everything:
        due = due[: memories.max_rollouts_per_startup]
    total, done = len(due), 0
    tip = resolve(work.repo)
    claims: Claims = {}
    known = project.known_secrets(work.repo)
    with readings(memories.concurrency if total > memories.batch else 1, known) as read:
        while due and work.clock() - begun < memories.max_seconds_per_run:
            batch = _claimed(work, due, claims)
            results: Results = []
            for place, reading in read([(place, _offset(work.db, place)) for place in batch]):
                done += 1
                work.show(done, total)
                results.append((place, _with_model(work, place, reading)))
            _keep(work, tip, results, claims)


def _claimed(work: Work, due: list[scan.Place], claims: Claims) -> list[scan.Place]:
    """Claim the next batch and take it out of `due`, so that other processes can do the rest meanwhile."""
    memories = work.settings.memories
    out: list[scan.Place] = []
    while due and len(out) < memories.batch:
        place = due.pop(0)
        with transaction(work.db):
            # Checked again under the lock: another process may have read it since.
            held = None
            if not scan.due(work.db, place, work.settings, work.now, work.clock()):
                read_before = jobs.done(work.db, jobs.EXTRACT, place.conversation) >= place.mtime_ns
                jobs.want(work.db, jobs.EXTRACT, place.conversation, place.mtime_ns, force=read_before)
                held = jobs.claim(work.db, jobs.EXTRACT, place.conversation, work.clock(), memories.lease_seconds)
        if held is None:
            work.report.skip(scan.ELSEWHERE)
        else:
            claims[place.conversation] = held
            out.append(place)
    return out


def _offset(db: Connection, place: scan.Place) -> int:
    """The offset to read on from; not 0 only in a file that is too long for one run."""
    row = db.execute(
        'SELECT offset, size, extractor FROM conversations WHERE conversation=?', (place.conversation,)
    ).fetchone()
    return int(row[0]) if row and row[0] and row[2] == VERSION and row[1] <= place.size else 0


def _with_model(work: Work, place: scan.Place, reading: Reading) -> Reading:
    """`reading` with what a model finds in addition, if one is configured and the caps allow it."""
    if (
        reading.error
        or not reading.turns
        or model.role(work.settings.memories, 'default') is None
        or work.caller.refused
    ):
        return reading
    info = transcripts.describe(place.candidate)
    if info is None:
        return reading
    try:
        found = tasks.extract(work.caller, info, list(transcripts.messages(info)))
    except OSError:
        return reading
    known = {(item.kind, item.text) for item in reading.statements}
    return replace(reading, statements=[*reading.statements, *(f for f in found if (f.kind, f.text) not in known)])


def _keep(work: Work, tip: str, results: Results, claims: Claims) -> None:
    """Bind what was said to the code at that time, and store each conversation's part if its claim still holds."""
    memories, db = work.settings.memories, work.db
    said = {item.id: binding.Said(item.text, place.updated) for place, read in results for item in read.statements}
    anchors = binding.bind(work.repo, db, tip, said)
    for place, reading in results:
        held = claims.pop(place.conversation)
        if reading.error:
            jobs.fail(db, held, reading.error, work.clock(), memories.retry_seconds)
            work.report.failed[place.conversation] = reading.error
            continue
        if scan.active(place, work.settings, work.now) and reading.turns < _turns(db, place) + scan.TURNS_AT_ONCE:
            hours = counted(memories.min_rollout_idle_hours, 'hour')
            work.report.skip(f'active within {hours} and shorter than {scan.TURNS_AT_ONCE} turns')
            jobs.release(db, held)
            continue
        bound = [replace(item, anchors=anchors.get(item.id, ())) for item in reading.statements]
        if _store(db, place, reading, bound, held):
            work.report.read += 1


def _store(db: Connection, place: scan.Place, reading: Reading, bound: list[Statement], held: jobs.Claim) -> bool:
    """Store all of a conversation's part in one transaction; False if another process took the work over."""
    with transaction(db):
        if not jobs.finish(db, held):
            return False
        if reading.from_start:
            store.replace_conversation(db, place.conversation, bound)
        else:
            store.add(db, bound, place.conversation)
        row = (
            place.conversation,
            place.agent,
            place.session,
            place.path,
            place.size,
            place.mtime_ns,
            reading.offset if reading.truncated else 0,
            reading.turns,
            place.updated,
            reading.synopsis,
            json.dumps(reading.workflow),
            reading.skipped_lines,
            json.dumps(reading.unknown),
            VERSION,
        )
        db.execute(f'INSERT OR REPLACE INTO conversations VALUES({",".join("?" * 14)})', row)
        store.changed(db)
    return True


def _turns(db: Connection, place: scan.Place) -> int:
    row = db.execute('SELECT turns FROM conversations WHERE conversation=?', (place.conversation,)).fetchone()
    return int(row[0]) if row else 0
