"""Phase 2: make facts from all statements, the person's edits first, and write the documents, whole or not at all."""

from __future__ import annotations

import json

from ctxkit.errors import CtxError
from ctxkit.memory import documents, jobs, model, project, skills, store, tasks
from ctxkit.memory.anchors import Tree
from ctxkit.memory.checks import command_exists
from ctxkit.memory.commands import Workflow
from ctxkit.memory.database import Connection
from ctxkit.memory.facts import Fact, Source, Statement, clean, fact_id
from ctxkit.memory.merge import SUPERSEDED_BY, merge
from ctxkit.memory.model import Caller
from ctxkit.memory.work import Work
from ctxkit.repo import Repo, resolve
from ctxkit.safety.database import transaction
from ctxkit.tokens import count


def consolidate(work: Work) -> None:
    """Consolidate and write, if there is anything new (or `work.everything`) and no other process does it."""
    repo, db, report = work.repo, work.db, work.report
    memories, now = work.settings.memories, work.now
    jobs.want(db, jobs.CONSOLIDATE, str(repo.root), store.generation(db), work.everything)
    held = jobs.claim(db, jobs.CONSOLIDATE, str(repo.root), work.clock(), memories.lease_seconds)
    if held is None:
        return
    try:
        if store.tracked(repo, '.ctx/memory'):
            raise CtxError('git tracks .ctx/memory', 'run: git rm -r --cached .ctx/memory (each machine makes its own)')
        commit = resolve(repo)
        take_in_edits(repo, db, now)
        tidy(db, work.caller, now)
        found = procedures(repo, db, commit, now)
        held = held._replace(input=max(held.input, store.generation(db)))
        report.facts = project.write(repo, db, commit)
        documents.sweep(documents.folder(repo))
        report.unread = documents.write(
            repo,
            db,
            report.facts,
            found,
            memories.summary_injection_token_limit,
            now,
            count,
            lambda: jobs.renew(db, held, work.clock(), memories.lease_seconds),
        )
        report.consolidated = jobs.finish(db, held)
        project.write_others(repo, db)
    except (CtxError, OSError) as error:
        jobs.fail(db, held, str(error), work.clock(), memories.retry_seconds)
        report.failed['consolidation'] = str(error)


def tidy(db: Connection, caller: Caller, now: float) -> None:
    """Let the model of role smol say which facts repeat or contradict which."""
    if model.role(caller.memories, 'smol') is None:
        return
    known = store.rulings(db)
    synopses = [
        str(text) for (text,) in db.execute("SELECT synopsis FROM conversations WHERE synopsis<>'' ORDER BY updated")
    ]
    for drop, keep in tasks.tidy(caller, merge(store.statements(db), known), synopses).items():
        if drop not in known:
            store.rule(db, drop, SUPERSEDED_BY + keep, now)


def take_in_edits(repo: Repo, db: Connection, now: float) -> None:
    """Take what a person changed in MEMORY.md since it was written as their word."""

    def facts() -> list[Fact]:
        return merge(store.statements(db), store.rulings(db))

    said, deleted = documents.edits(db, documents.folder(repo), now, facts)
    if not said and not deleted:
        return
    active = {fact.id for fact in facts() if fact.status == 'active'}
    with transaction(db):
        store.add(db, said, known=project.known_secrets(repo))
        for fact in deleted:
            if fact in active:
                store.rule(db, fact, 'retracted', now)


def procedures(repo: Repo, db: Connection, commit: str, now: float) -> list[skills.Skill]:
    """The recurring procedures that may be written: accepted by the person, or made only of this repository's commands.

    The others are put in the inbox.
    """
    flows = [
        Workflow(tuple(value[0]), value[1])
        for (raw,) in db.execute('SELECT workflows FROM conversations ORDER BY updated, conversation')
        if (value := json.loads(raw))[0]
    ]
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
