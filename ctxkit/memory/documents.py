"""MEMORY.md, memory_summary.md and the skills: made anew from the facts, with every line of a person kept.

A generated line ends in the id of its fact. When a person edits it, adds a line or deletes one, that is read back as
their word (see `edits`), and their own lines stay in the file as they wrote them.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ctxkit.errors import CtxError
from ctxkit.memory.database import Connection
from ctxkit.memory.facts import Fact, Source, Statement, clean
from ctxkit.memory.markdown import bare, fact_of, kind_of, long_lines, shown, summary_lines, with_own_lines
from ctxkit.memory.project import own_folder
from ctxkit.memory.skills import Skill, document
from ctxkit.repo import Repo
from ctxkit.safety.database import transaction
from ctxkit.safety.paths import real_folder, replace, write_whole
from ctxkit.safety.secrets import find as find_secrets
from ctxkit.safety.secrets import redact

LONG, SUMMARY = 'MEMORY.md', 'memory_summary.md'
MAX_DOCUMENT = 1024 * 1024


def folder(repo: Repo) -> Path:
    """The folder of this work tree's memory files."""
    return repo.ctx_dir / 'memory'


def read(file: Path) -> list[str] | None:
    """The lines of a document; [] if there is none; None if it cannot be read, which is not the same."""
    try:
        if file.is_symlink() or file.stat().st_size > MAX_DOCUMENT:
            return None
        return file.read_text('utf-8-sig').split('\n')
    except FileNotFoundError:
        return []
    except (OSError, ValueError):
        return None


def edits(
    db: Connection, root: Path, now: float, all_facts: Callable[[], Sequence[Fact]]
) -> tuple[list[Statement], list[str]]:
    """What a person's edits of MEMORY.md say, and the ids of the facts whose line they deleted.

    `all_facts` is called only if the file is not as it was written.
    """
    lines = read(root / LONG)
    generated, pending, pending_text = _known(db, root, LONG)
    if not lines or not (generated or pending):
        return [], []
    before = {fact for line in generated if (fact := fact_of(line))}
    if not pending_text and set(lines) <= {*generated, ''} and set(generated) <= {*lines, ''}:
        return [], []
    facts = all_facts()
    ours = {*generated, *pending, *long_lines(facts, now)}
    texts = {fact.id: shown(fact.text) for fact in facts}
    said: list[Statement] = []
    kept: set[str] = set()
    kind = ''
    for line in lines:
        if line.startswith('#'):
            kind = kind_of(line)
            continue
        fact = fact_of(line)
        kept.add(fact)
        if kind and line not in ours and (text := bare(line)) and not (fact and texts.get(fact) == text):
            source = Source('ctxkit', LONG, clean(line)[:80])
            if fact:  # first, or similar new words would be withdrawn with the old
                said.append(Statement('withdraw', '', 'human', source, now, fact=fact))
            said.append(Statement(kind, text, 'human', source, now))
    if pending_text:
        return said, []  # a run was interrupted: missing lines may never have been written
    return said, sorted(before - kept)


def _known(db: Connection, root: Path, name: str) -> tuple[list[str], list[str], str]:
    """The lines generated into a document, those of an interrupted run, and that run's whole text."""
    row = db.execute('SELECT generated, pending FROM documents WHERE root=? AND name=?', (str(root), name)).fetchone()
    if not row:
        return [], [], ''
    pending = json.loads(row[1] or '{}')
    return str(row[0]).split('\n'), pending.get('lines', []), pending.get('text', '')


def write(
    repo: Repo,
    db: Connection,
    facts: Sequence[Fact],
    skills: Sequence[Skill],
    limit: int,
    now: float,
    count: Callable[[str], int],
    still_ours: Callable[[], bool],
) -> list[str]:
    """Replace the artefacts; return the names of those left alone because they could not be read.

    All are made in a separate folder, checked, and moved only if `still_ours` then returns True. Raises CtxError if a
    check fails. Files that cannot be read are neither replaced nor removed.
    """
    base = real_folder(own_folder(repo) / 'memory')
    wanted: dict[str, tuple[str, list[str]]] = {}
    unread: list[str] = []
    texts = {fact.id: shown(fact.text) for fact in facts}
    for name, lines in ((LONG, long_lines(facts, now)), (SUMMARY, summary_lines(facts, limit, now, count))):
        current = read(base / name)
        if current is None:
            unread.append(name)
            continue
        generated, pending, _ = _known(db, base, name)
        ours = {
            *generated,
            *pending,
            *lines,
            *(line for line in current if (fact := fact_of(line)) and texts.get(fact) == bare(line)),
        }
        merged = with_own_lines(lines, [redact(line) for line in current], ours)
        written = set(merged)
        wanted[name] = '\n'.join(merged).rstrip('\n') + '\n', [line for line in lines if line in written]
    for skill in skills:
        name = f'skills/{skill.name}/SKILL.md'
        current = read(base / name)
        generated, _, pending_text = _known(db, base, name)
        if current is None:
            unread.append(name)
        elif not current or '\n'.join(current) in ('\n'.join(generated), pending_text):
            content = document(skill, shown)
            wanted[name] = content, content.split('\n')
    stale = _stale(db, base, {f'skills/{skill.name}/SKILL.md' for skill in skills})
    _replace(db, base, wanted, stale, still_ours)
    return unread


def _stale(db: Connection, base: Path, keep: set[str]) -> list[str]:
    """Generated skills that are no longer wanted and that no person has edited."""
    out = []
    rows = db.execute("SELECT name FROM documents WHERE root=? AND name LIKE 'skills/%'", (str(base),)).fetchall()
    for (name,) in rows:
        current = read(base / name)
        generated, _, pending_text = _known(db, base, name)
        if name not in keep and current is not None and '\n'.join(current) in ('\n'.join(generated), pending_text, ''):
            out.append(str(name))
    return out


def _replace(
    db: Connection,
    base: Path,
    wanted: dict[str, tuple[str, list[str]]],
    stale: list[str],
    still_ours: Callable[[], bool],
) -> None:
    staging = base / f'.new-{secrets.token_hex(6)}'
    before = {name: read(base / name) for name in wanted}
    try:
        for name, (content, _) in wanted.items():
            _check(name, content)
            write_whole(real_folder((staging / name).parent) / Path(name).name, content)
        if not still_ours():
            raise CtxError('the lease was lost before the files were replaced', 'another process does this work')
        with transaction(db):
            for name, (content, lines) in wanted.items():
                db.execute(
                    'INSERT INTO documents VALUES(?,?,?,?) ON CONFLICT(root, name) DO UPDATE SET'
                    ' pending=excluded.pending',
                    (str(base), name, '', json.dumps({'text': content, 'lines': lines})),
                )
        for name in wanted:
            if read(base / name) != before[name]:
                continue  # a person just saved it: it stays, and the next run reads it
            replace(staging / name, real_folder((base / name).parent) / Path(name).name)
        with transaction(db):
            for name, (_, lines) in wanted.items():
                db.execute(
                    "UPDATE documents SET generated=?, pending='' WHERE root=? AND name=?",
                    ('\n'.join(lines), str(base), name),
                )
            for name in stale:
                (base / name).unlink(missing_ok=True)
                _prune((base / name).parent)
                db.execute('DELETE FROM documents WHERE root=? AND name=?', (str(base), name))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _prune(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return  # it holds a file of the person's, or is gone already


def _check(name: str, content: str) -> None:
    """Raise CtxError if what is about to be written is empty, too large or holds a secret."""
    if not content.strip() or len(content.encode('utf-8', 'replace')) > MAX_DOCUMENT:
        raise CtxError(f'{name} would be empty or too large', 'run ctxkit memory doctor')
    if find_secrets(content):
        raise CtxError(f'{name} would hold a secret', 'nothing was written; run ctxkit memory doctor')


def sweep(base: Path) -> None:
    """Remove what a killed run left behind: staging folders and partly written files."""
    try:
        left = [entry for entry in base.iterdir() if entry.name.startswith('.') and not entry.is_symlink()]
    except OSError:
        return
    for entry in left:
        if entry.name.startswith('.new-') and entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name.endswith('.tmp') and entry.is_file():
            entry.unlink(missing_ok=True)
