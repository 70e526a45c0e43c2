"""The database of one repository's memory: what was said, what the person ruled, and the work that is to be done.

It lies in the git common dir, so all worktrees share it and nothing of another repository can get in. Facts are not
stored: they follow from the statements and rulings (see merge.py), so an interrupted run leaves nothing half done.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ctxkit.memory import snapshot
from ctxkit.memory.facts import Anchor, Source, Statement
from ctxkit.repo import Repo, git
from ctxkit.safety.paths import real_folder, write_whole
from ctxkit.safety.secrets import redact

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS statements(
    id TEXT PRIMARY KEY, conversation TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, who TEXT NOT NULL,
    agent TEXT NOT NULL, session TEXT NOT NULL, message TEXT NOT NULL, at REAL NOT NULL, cwd TEXT NOT NULL,
    branch TEXT NOT NULL, chosen TEXT NOT NULL, instead_of TEXT NOT NULL, negative INTEGER NOT NULL,
    fact TEXT NOT NULL, anchors TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS statements_conversation ON statements(conversation);
CREATE TABLE IF NOT EXISTS rulings(fact TEXT PRIMARY KEY, ruling TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS places(
    path TEXT NOT NULL, key TEXT NOT NULL, agent TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    conversation TEXT NOT NULL, session TEXT NOT NULL, cwd TEXT NOT NULL, reason TEXT NOT NULL,
    updated REAL NOT NULL, PRIMARY KEY(path, key));
CREATE TABLE IF NOT EXISTS conversations(
    conversation TEXT PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, path TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL, turns INTEGER NOT NULL,
    updated REAL NOT NULL, synopsis TEXT NOT NULL, workflows TEXT NOT NULL, skipped INTEGER NOT NULL,
    unknown TEXT NOT NULL, extractor INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS forgotten(conversation TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS jobs(
    kind TEXT NOT NULL, key TEXT NOT NULL, status TEXT NOT NULL, token TEXT NOT NULL, lease_until REAL NOT NULL,
    retry_at REAL NOT NULL, retries INTEGER NOT NULL, error TEXT NOT NULL, input INTEGER NOT NULL,
    done INTEGER NOT NULL, PRIMARY KEY(kind, key));
CREATE TABLE IF NOT EXISTS documents(
    root TEXT NOT NULL, name TEXT NOT NULL, generated TEXT NOT NULL, pending TEXT NOT NULL, PRIMARY KEY(root, name));
CREATE TABLE IF NOT EXISTS units(blob TEXT NOT NULL, path TEXT NOT NULL, units TEXT NOT NULL,
    PRIMARY KEY(blob, path));
"""
FORMAT = '1'
Connection = sqlite3.Connection


def path(repo: Repo) -> Path:
    """Where the database is; it is there only once something was remembered or read."""
    return repo.data_dir / 'memory.db'


@contextmanager
def opened(repo: Repo) -> Iterator[Connection]:
    """The database, made if need be. A database that cannot be read is moved aside and made anew.

    A new one takes in the snapshot of this work tree (the folder in the git dir may be deleted at any time), unless
    git tracks that file: then somebody else could have written it.
    """
    real_folder(repo.data_dir)
    file = path(repo)
    try:
        db = _connect(file)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        os.replace(file, file.with_suffix('.broken'))
        for tail in ('-wal', '-shm'):
            Path(f'{file}{tail}').unlink(missing_ok=True)
        db = _connect(file)
    try:
        if not _meta(db, 'format'):
            _take_in_snapshot(repo, db)
        yield db
    finally:
        db.close()


def private_file(file: Path) -> Path:
    """Make an empty file that only the person may read, if there is none; SQLite gives its mode to its log too."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return file


def _connect(file: Path) -> Connection:
    db = sqlite3.connect(private_file(file), isolation_level=None, timeout=30)
    try:
        db.execute('PRAGMA busy_timeout=30000')
        db.execute('PRAGMA journal_mode=WAL')
        db.execute('PRAGMA synchronous=NORMAL')
        db.executescript(SCHEMA)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: Connection) -> Iterator[None]:
    """One immediate transaction: all of it happens, or none; nests into one that is open already."""
    if db.in_transaction:
        yield
        return
    db.execute('BEGIN IMMEDIATE')
    try:
        yield
    except BaseException:
        db.execute('ROLLBACK')
        raise
    db.execute('COMMIT')


def _meta(db: Connection, key: str) -> str:
    row = db.execute('SELECT value FROM meta WHERE key=?', (key,)).fetchone()
    return str(row[0]) if row else ''


def _set_meta(db: Connection, key: str, value: str) -> None:
    db.execute('INSERT INTO meta VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value=excluded.value', (key, value))


def seal(repo: Repo, db: Connection) -> str:
    """The text that marks our snapshots, made on first use."""
    found = _meta(db, 'seal')
    if not found:
        with transaction(db):
            found = _meta(db, 'seal') or secrets.token_hex(12)
            _set_meta(db, 'seal', found)
    write_whole(snapshot.seal_path(repo), found + '\n')
    return found


def generation(db: Connection) -> int:
    """A number that rises with every change of statements or rulings."""
    return int(_meta(db, 'generation') or 0)


def changed(db: Connection) -> None:
    """Note that statements or rulings changed (inside the transaction that changed them)."""
    _set_meta(db, 'generation', str(generation(db) + 1))


def add(
    db: Connection, statements: Iterable[Statement], conversation: str = '', known: frozenset[str] = frozenset()
) -> int:
    """Keep statements, each once, redacted (`known`: secrets by their value). Returns how many were new."""
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
    """Make these the statements of a conversation: those that it no longer makes go."""
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
    """Delete everything but what keeps it from coming back: what was forgotten, and that it was cleared at `now`."""
    tables = ('statements', 'rulings', 'places', 'conversations', 'jobs', 'documents', 'units')
    with transaction(db):
        for table in tables:
            db.execute(f'DELETE FROM {table}')
        db.execute("DELETE FROM meta WHERE key IN ('seal', 'generation')")
        _set_meta(db, 'cleared', f'{now:.3f}')
    db.execute('VACUUM')  # deleted rows leave their bytes in the file until it is written anew
    db.execute('PRAGMA wal_checkpoint(TRUNCATE)')


def cleared(db: Connection) -> float:
    """When memory was cleared last; 0 if it never was."""
    return float(_meta(db, 'cleared') or 0)


def remember_roots(db: Connection, roots: list[str]) -> list[str]:
    """All work trees that this repository ever had, these included."""
    known: list[str] = json.loads(_meta(db, 'roots') or '[]')
    new = [root for root in roots if root not in known]
    if new:
        with transaction(db):
            _set_meta(db, 'roots', json.dumps([*known, *new][-200:]))
    return [*known, *new]


def rule(db: Connection, fact: str, ruling: str, now: float) -> None:
    """Keep the person's ruling on a fact: 'accepted', 'rejected' or 'retracted'; the last one holds."""
    with transaction(db):
        db.execute(
            'INSERT INTO rulings VALUES(?,?,?) ON CONFLICT(fact) DO UPDATE SET ruling=excluded.ruling, at=excluded.at',
            (fact, ruling, now),
        )
        changed(db)


def rulings(db: Connection) -> dict[str, tuple[str, float]]:
    """The person's rulings: fact id -> (ruling, when)."""
    return {fact: (ruling, at) for fact, ruling, at in db.execute('SELECT fact, ruling, at FROM rulings')}


def tracked(repo: Repo, name: str) -> bool:
    """Whether git tracks this path: then it came with the clone and is not ours."""
    return bool(git(repo, 'ls-files', '-z', '--', name, check=False).strip(b'\0'))


def _take_in_snapshot(repo: Repo, db: Connection) -> None:
    body = {}
    if snapshot.path(repo).exists() and not tracked(repo, '.ctx/memory.json'):
        body = snapshot.read(snapshot.path(repo))
    with transaction(db):
        if _meta(db, 'format'):
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
        _set_meta(db, 'format', FORMAT)
