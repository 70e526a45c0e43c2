"""One repository's memory: what was said, what the person ruled, and the work to be done.

It is in the git common dir, so all worktrees share it and nothing of another repository can get in. Facts are not
stored: they follow from the statements and rulings (see merge.py), so an interrupted run leaves nothing half done.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.memory import snapshot
from ctxkit.memory.database import Connection, connect, meta, set_meta
from ctxkit.memory.facts import Anchor, Source, Statement
from ctxkit.repo import Repo, git
from ctxkit.safety.database import sqlite_errors, transaction
from ctxkit.safety.paths import data_folder, write_whole
from ctxkit.safety.secrets import redact

FORMAT = '1'


def path(repo: Repo) -> Path:
    """The path of the database, which exists only once something was remembered or read."""
    return repo.data_dir / 'memory.db'


@contextmanager
def opened(repo: Repo) -> Iterator[Connection]:
    """Open the database, creating it if needed. An unreadable one is moved aside and made anew. Raises CtxError for the
    database of a newer ctxkit, and where SQLite fails: a full disk, an unwritable folder, a lock.

    A new database imports the snapshot of this work tree, because the folder in the git dir may be deleted at any time;
    but not if git tracks that file, since then somebody else could have written it.
    """
    data_folder(repo.data_dir)
    with sqlite_errors(path(repo)), closing(connect(path(repo))) as db:
        if not meta(db, 'format'):
            _take_in_snapshot(repo, db)
        elif meta(db, 'format') != FORMAT:
            raise CtxError(f'{path(repo)} was written by a newer ctxkit', 'upgrade ctxkit')
        yield db


def seal(repo: Repo, db: Connection) -> str:
    """The text that marks our snapshots, created on first use."""
    found = meta(db, 'seal')
    if not found:
        with transaction(db):
            found = meta(db, 'seal') or secrets.token_hex(12)
            set_meta(db, 'seal', found)
    write_whole(snapshot.seal_path(repo), found + '\n')
    return found


def generation(db: Connection) -> int:
    """A number that rises with every change of statements or rulings."""
    return int(meta(db, 'generation') or 0)


def changed(db: Connection) -> None:
    """Record that statements or rulings changed; call it inside the transaction that changed them."""
    set_meta(db, 'generation', str(generation(db) + 1))


def add(
    db: Connection, statements: Iterable[Statement], conversation: str = '', known: frozenset[str] = frozenset()
) -> int:
    """Store statements, each once, redacted (`known` holds exact secret values); return how many were new."""
    new = 0
    with transaction(db):
        for item in statements:
            text = redact(item.text, known)
            anchors = json.dumps([list(anchor) for anchor in item.anchors])
            row = (
                item.id,
                conversation,
                item.kind,
                text,
                item.who,
                *item.source,
                item.at,
                item.cwd,
                item.branch,
                redact(item.chosen, known),
                redact(item.instead_of, known),
                int(item.negative),
                item.fact,
                anchors,
            )
            new += db.execute(f'INSERT OR IGNORE INTO statements VALUES({",".join("?" * 16)})', row).rowcount
        if new:
            changed(db)
    return new


def replace_conversation(db: Connection, conversation: str, statements: list[Statement]) -> None:
    """Make `statements` those of a conversation, and delete those that it no longer makes."""
    with transaction(db):
        ids = {item.id for item in statements}
        old = [row[0] for row in db.execute('SELECT id FROM statements WHERE conversation=?', (conversation,))]
        stale = [ident for ident in old if ident not in ids]
        db.executemany('DELETE FROM statements WHERE id=?', [(ident,) for ident in stale])
        if stale:
            changed(db)
        add(db, statements, conversation)


def statements(db: Connection) -> list[Statement]:
    """All statements, oldest first, in an order that does not depend on when they were read."""
    rows = db.execute(
        'SELECT kind, text, who, agent, session, message, at, cwd, branch, chosen, instead_of, negative,'
        ' fact, anchors FROM statements ORDER BY at, id'
    )
    return [
        Statement(
            kind,
            text,
            who,
            Source(agent, session, message),
            at,
            cwd,
            branch,
            chosen,
            instead,
            bool(negative),
            fact,
            tuple(Anchor(*anchor) for anchor in json.loads(anchors)),
        )
        for kind, text, who, agent, session, message, at, cwd, branch, chosen, instead, negative, fact, anchors in rows
    ]


def empty(db: Connection, now: float) -> None:
    """Delete everything but the list of forgotten conversations, and record `now`, so that nothing is read again."""
    tables = ('statements', 'rulings', 'places', 'conversations', 'jobs', 'documents', 'units')
    with transaction(db):
        for table in tables:
            db.execute(f'DELETE FROM {table}')
        db.execute("DELETE FROM meta WHERE key IN ('seal', 'generation')")
        set_meta(db, 'cleared', f'{now:.3f}')
    db.execute('VACUUM')  # deleted rows keep their bytes in the file until it is rewritten
    db.execute('PRAGMA wal_checkpoint(TRUNCATE)')


def cleared(db: Connection) -> float:
    """When memory was last cleared; 0 if it never was."""
    return float(meta(db, 'cleared') or 0)


def remember_roots(db: Connection, roots: list[str]) -> list[str]:
    """All work trees that this repository ever had, including `roots`."""
    known: list[str] = json.loads(meta(db, 'roots') or '[]')
    new = [root for root in roots if root not in known]
    if new:
        with transaction(db):
            set_meta(db, 'roots', json.dumps([*known, *new][-200:]))
    return [*known, *new]


def rule(db: Connection, fact: str, ruling: str, now: float) -> None:
    """Store a ruling on a fact, replacing an earlier one: 'accepted', 'rejected', 'retracted', 'superseded by ID'."""
    with transaction(db):
        db.execute(
            'INSERT INTO rulings VALUES(?,?,?) ON CONFLICT(fact) DO UPDATE SET ruling=excluded.ruling, at=excluded.at',
            (fact, ruling, now),
        )
        changed(db)


def rulings(db: Connection) -> dict[str, tuple[str, float]]:
    """All rulings: fact id -> (ruling, when)."""
    return {fact: (ruling, at) for fact, ruling, at in db.execute('SELECT fact, ruling, at FROM rulings')}


def tracked(repo: Repo, name: str) -> bool:
    """Whether git tracks path `name`; then it came with the clone and is not ours."""
    return bool(git(repo, 'ls-files', '-z', '--', name, check=False).strip(b'\0'))


def _take_in_snapshot(repo: Repo, db: Connection) -> None:
    body = {}
    if snapshot.path(repo).exists() and not tracked(repo, '.ctx/memory.json'):
        body = snapshot.read(snapshot.path(repo))
    with transaction(db):
        if meta(db, 'format'):
            return
        for fact in snapshot.parse(body):
            sources = fact.sources or (Source('ctxkit', '', fact.id),)
            for number, source in enumerate(sources):
                at = fact.last_seen if number == len(sources) - 1 and number else fact.first_seen
                add(db, [Statement(fact.kind, fact.text, fact.who, source, at, anchors=fact.anchors)])
            if fact.status in ('superseded', 'retracted'):
                rule(db, fact.id, 'retracted', fact.last_seen)
            elif fact.status == 'active' and fact.who not in ('human', 'commit'):
                rule(db, fact.id, 'accepted', fact.last_seen)
        set_meta(db, 'format', FORMAT)
