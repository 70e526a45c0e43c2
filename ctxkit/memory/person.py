"""What a person does to memory by hand: set, add, retract, rule on the inbox, forget, clear, request consolidation."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from ctxkit.counted import counted
from ctxkit.errors import CtxError
from ctxkit.memory import binding, documents, jobs, project, snapshot, store
from ctxkit.memory.database import Connection
from ctxkit.memory.event import error_file
from ctxkit.memory.facts import Fact, Source, Statement, clean, fact_id
from ctxkit.memory.merge import merge
from ctxkit.memory.phrases import options
from ctxkit.repo import Repo, resolve, worktrees
from ctxkit.safety.database import transaction
from ctxkit.safety.secrets import redact


def say(repo: Repo, kind: str, text: str, now: float) -> Fact:
    """Remember what the person says, active at once; return its fact, or the older fact that says the same. Raises
    CtxError for an empty text."""
    said = clean(redact(text, project.known_secrets(repo)))
    if not said:
        raise CtxError('nothing to remember', 'give the text in quotes')
    picked, source = options(said), Source('ctxkit', '', f'{now:.3f}')
    with store.opened(repo) as db:
        tip = resolve(repo)
        anchors = binding.bind(repo, db, tip, {'': binding.Said(said, now)}).get('', ())
        store.add(
            db,
            [
                Statement(
                    kind,
                    said,
                    'human',
                    source,
                    now,
                    str(repo.root),
                    '',
                    picked.chosen,
                    picked.instead_of,
                    picked.negative,
                    anchors=anchors,
                )
            ],
        )
        db.execute("DELETE FROM rulings WHERE fact=? AND ruling<>'accepted'", (fact_id(kind, said),))
        facts = _written(repo, db)
    # If it was said before in other words or as another kind, both are one fact: the one with this source.
    return min(facts, key=lambda fact: (fact.id != fact_id(kind, said), source not in fact.sources, -fact.last_seen))


def all_facts(repo: Repo) -> list[Fact]:
    """All facts in the order in which they were first said, with current anchors; [] before any memory exists."""
    if store.path(repo).exists() or snapshot.path(repo).exists():
        with store.opened(repo) as db:
            return project.checked(repo, db, merge(store.statements(db), store.rulings(db)), resolve(repo))
    return []


def find(facts: list[Fact], ident: str, statuses: tuple[str, ...]) -> Fact:
    """The one fact whose id begins with `ident` or else whose text contains it. Raises CtxError for none or several."""
    among = [fact for fact in facts if fact.status in statuses]
    found = [fact for fact in among if fact.id.startswith(ident.casefold())] or [
        fact for fact in among if ident.casefold() in fact.text.casefold()
    ]
    if len(found) != 1:
        reason = 'nothing remembered' if not found else f'{len(found)} facts'
        raise CtxError(f'{reason} under {ident!r}', 'run ctxkit memory list to see the ids')
    return found[0]


def rule(repo: Repo, ident: str, ruling: str, now: float) -> Fact:
    """Accept or reject a proposal, or retract an active fact; return the fact. Raises CtxError if it is not found."""
    with store.opened(repo) as db:
        facts = merge(store.statements(db), store.rulings(db))
        fact = find(facts, ident, ('active',) if ruling == 'retracted' else ('proposed',))
        store.rule(db, fact.id, ruling, now)
        _written(repo, db)
    return fact


def _written(repo: Repo, db: Connection) -> list[Fact]:
    facts = project.write(repo, db, resolve(repo))
    project.write_others(repo, db)
    return facts


def enqueue(repo: Repo) -> None:
    """Request consolidation at the next start."""
    with store.opened(repo) as db:
        jobs.want(db, jobs.CONSOLIDATE, str(repo.root), store.generation(db), force=True)


def forget(repo: Repo, conversation: str, now: float) -> int:
    """Delete what only this conversation said, and never read it again; return how many statements were deleted.

    `conversation` is AGENT:SESSION as `ctxkit memory doctor` prints it. Raises CtxError if it is not known.
    """
    with store.opened(repo) as db:
        known = db.execute(
            'SELECT 1 FROM places WHERE conversation=? UNION SELECT 1 FROM statements WHERE conversation=?',
            (conversation, conversation),
        ).fetchone()
        if known is None:
            raise CtxError(f'no conversation {conversation!r}', 'run ctxkit memory doctor to list them')
        with transaction(db):
            gone = db.execute('DELETE FROM statements WHERE conversation=?', (conversation,)).rowcount
            db.execute('DELETE FROM conversations WHERE conversation=?', (conversation,))
            db.execute('INSERT OR REPLACE INTO forgotten VALUES(?,?)', (conversation, now))
            store.changed(db)
        _written(repo, db)
    return gone


def what_goes(repo: Repo) -> list[str]:
    """What `clear` would remove, a line each; [] for nothing."""
    out = []
    if store.path(repo).exists():
        with store.opened(repo) as db:
            facts = len(merge(store.statements(db), store.rulings(db)))
            read = db.execute('SELECT count(*) FROM conversations').fetchone()[0]
        if facts or read:
            out.append(f'{store.path(repo)}: {counted(facts, "fact")} from {counted(read, "conversation")}')
    for root in worktrees(repo):
        out += [str(path) for path in _artefacts(root) if path.exists() and not path.is_symlink()]
    return out


def _artefacts(root: Path) -> list[Path]:
    return [root / '.ctx' / 'memory.json', root / '.ctx' / 'memory']


def clear(repo: Repo, now: float, removed: Callable[[str], None]) -> None:
    """Forget all of this repository: database, snapshots and artefacts of all its work trees, and nothing else.

    Calls `removed` with each thing removed. Conversations from before `now` are not read again. Files that git tracks
    stay, because they are not ours to delete. The database is emptied in place, since another process may have it open.
    """
    if store.path(repo).exists():
        with store.opened(repo) as db:
            store.empty(db, now)
        removed(f'{store.path(repo)}: all that was in it')
    if not store.tracked(repo, '.ctx/memory') and not store.tracked(repo, '.ctx/memory.json'):
        for root in worktrees(repo):
            for path in _artefacts(root):
                if path.is_symlink() or not path.exists() or path.parent.is_symlink():
                    continue
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                removed(str(path))
    for file in (store.path(repo).with_suffix('.broken'), snapshot.seal_path(repo), error_file(repo)):
        if file.exists():
            file.unlink()
            removed(str(file))


def summary(repo: Repo) -> str:
    """The text of memory_summary.md; '' if there is none, or git tracks it."""
    lines = documents.read(documents.folder(repo) / documents.SUMMARY)
    return '\n'.join(lines or ()) if not store.tracked(repo, '.ctx/memory') else ''
